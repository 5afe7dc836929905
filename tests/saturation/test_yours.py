"""The products, the weights and the step of the example: by fractions, and by small differences."""

from fractions import Fraction

import mpmath
import numpy as np

from tests.saturation.draws import close

CAP = 5


def weights(scores, by, cap=None):
    """Give the weights of divided and capped scores, in many digits."""
    logits = [score / by for score in scores]
    if cap:
        logits = [cap * mpmath.tanh(logit / cap) for logit in logits]
    powers = [mpmath.exp(logit) for logit in logits]
    return [power / sum(powers) for power in powers]


def slopes(scores, wanted, by, cap=None):
    """Tell how the wanted weight answers to each score."""
    h = mpmath.mpf(10) ** -15

    def moved(i, by_how_much):
        each = [mpmath.mpf(int(z)) + by_how_much * (i == j) for j, z in enumerate(scores)]
        return weights(each, by, cap)[wanted]

    return [float((moved(i, h) - moved(i, -h)) / (2 * h)) for i in range(len(scores))]


def test_the_products_add_up(snippet):
    page = snippet("saturation/yours")
    sums = [Fraction(0)]
    for x, y in zip(page.q, page.k, strict=True):
        sums.append(sums[-1] + Fraction(float(x)) * Fraction(float(y)))
    assert [*page.sums] == [float(each) for each in sums[1:]]


def test_a_step_is_how_the_weight_answers(snippet):
    page = snippet("saturation/yours")
    with mpmath.workdps(50):
        for name, by in {"undivided": 1, "divided": 8}.items():
            exact = slopes(page.scores, page.wanted, by)
            assert close(page.weights[name], [float(p) for p in weights(page.scores, by)])
            assert close(page.step[name], exact)
            assert not close(page.step[name], by * np.array(exact)) or by == 1  # not by the logit
            moved = [int(z) + step for z, step in zip(page.scores, exact, strict=True)]
            assert close(page.after[name], [float(p) for p in weights(moved, by)])
        capped = slopes(page.scores, page.wanted, 1, CAP)
        assert page.cap == CAP
        assert close(
            page.capped, [float(p) for p in weights(map(mpmath.mpf, page.scores.tolist()), 1, CAP)]
        )
        assert close(page.pull, capped)
        assert not close(page.pull, slopes(page.scores, page.wanted, 1))
