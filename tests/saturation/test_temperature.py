"""The three weights at every temperature, with many digits."""

import mpmath
import numpy as np
from scipy.special import entr, logsumexp, rel_entr, softmax

from tests.saturation.draws import close


def test_temperature(snippet):
    page = snippet("saturation/temperature")
    for t, weights in page.at.items():
        e = [mpmath.exp(mpmath.mpf(int(s)) / t) for s in page.scores]
        assert close(weights, [float(x / sum(e)) for x in e], 1e-12)
        assert close(page.taking_part[t], float(sum(e) ** 2 / sum(x**2 for x in e)), 1e-12)
        assert close(np.log(page.ratio[t]), (page.scores[0] - page.scores[1]) / t)
        if t > 1:
            assert not close(page.ratio[t], page.ratio[1])


def test_softmax_collects_the_most_score_and_entropy(snippet):
    scores = snippet("saturation/temperature").scores

    def value(p, T):
        return p @ scores + T * np.sum(entr(p), axis=-1)

    others = np.random.default_rng(5).dirichlet([0.3, 0.3, 0.3], 2000)
    for T in (0.5, 1, 8, 64):
        best = softmax(scores / T)
        # What the proof says of any weights: how far they fall short.
        short = T * rel_entr(others, best).sum(axis=1)
        assert close(value(others, T) + short, T * logsumexp(scores / T))
        assert np.all(short >= 0)
        for wrong in (softmax(scores / (1.1 * T)), softmax(scores / (0.9 * T))):
            assert value(wrong, T) < value(best, T)
