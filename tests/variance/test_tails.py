"""Light tails and heavy ones: the chances by drawing."""

import math

import numpy as np
from scipy import stats

from tests.tolerance import agrees, close


def draw(rng, kind, rows, d):
    """Draw scores for a query of ones: the sum of a key's coordinates."""
    if kind == "signs":
        return rng.choice(np.array([-1, 1], np.int8), (rows, d)).sum(1, dtype=int)
    large = rng.binomial(d, 0.01, rows)  # coordinates that are not 0
    return 10 * (2 * rng.binomial(large, 0.5) - large)


def test_tails(snippet):
    page, rng = snippet("variance/tails"), np.random.default_rng(21)
    for kind, far in page.far.items():
        S = draw(rng, kind, 100_000, page.d)
        for t in (1, 2, 3):
            chance = far[round(100 * t)]
            error = math.sqrt(chance * (1 - chance) / len(S))
            assert agrees(np.mean(abs(S) >= t * page.root), chance, error)
        assert kind == "signs" or not agrees(np.mean(abs(S) >= 24), page.bound[300] / 2, error)
    assert close(page.gaussian, stats.chi2.sf(page.t**2, 1))


def test_the_rare_coordinate_is_not_sub_gaussian(snippet):
    # E e^k ≤ e^½ would have to hold.
    value, chance = np.array([-10, 0, 10]), np.array([0.005, 0.99, 0.005])
    generating = snippet("variance/tails").generating
    assert close(generating, chance @ np.exp(value))
    assert generating > np.exp(0.5) > np.cosh(1), "signs are"


def test_the_largest_of_512_scores(snippet):
    # By the characteristic function of one coordinate; the mean is the top less Σ P(max ≤ s).
    page, angle = snippet("variance/tails"), np.linspace(0, 2 * np.pi, 513)[:-1]
    waves = np.cos(np.outer(np.arange(-page.d, page.d), angle))
    for kind, turning, worth in [
        ("signs", np.cos(angle), 1),
        ("rare", 0.99 + 0.01 * np.cos(angle), 10),
    ]:
        below = np.cumsum(np.mean(waves * turning**page.d, axis=1))
        assert close(page.mean_largest[kind], worth * (page.d - np.sum(below**page.n)))
        assert not close(page.mean_largest[kind], worth * (page.d - np.sum(below ** (page.n - 1))))


def test_scores_that_are_exactly_0(snippet):
    # By the characteristic function of a product of two such coordinates, 0 or ±100.
    page, angle = snippet("variance/tails"), np.linspace(0, 2 * np.pi, 513)[:-1]
    for chance, same in ((1e-4, True), (1e-2, False)):  # the second: a coordinate, no product
        turning = (1 - chance + chance * np.cos(angle)) ** page.d
        assert close(turning.mean(), page.zero) == same
