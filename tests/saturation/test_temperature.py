"""The three weights at every temperature, with many digits."""

import mpmath
import numpy as np

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


def test_how_far_the_winner_moves(snippet):
    """By a small step of the first score, in many digits; p(1 - p) alone is that of the logit."""
    page, step = snippet("saturation/temperature"), mpmath.mpf(10) ** -12
    for (_, p, by_logit, by_score), t in zip(page.winner, page.divisors, strict=True):

        def weight(score, t=t):
            e = [mpmath.exp(mpmath.mpf(z) / t) for z in (score, 0, -8)]
            return e[0] / sum(e)

        with mpmath.workdps(40):
            slope = float((weight(8 + step) - weight(8 - step)) / (2 * step))
            assert close(p, float(weight(8)))
        assert close(by_score, slope)
        assert close(by_logit, slope) == (t == 1)
