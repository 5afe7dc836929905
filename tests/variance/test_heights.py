"""What a range says of a variance: the best bounds, tried on many numbers."""

import math

import numpy as np

from tests.tolerance import close


def test_heights(snippet):
    page = snippet("variance/heights")
    for name, heights in page.classes.items():
        mean = math.fsum(heights) / len(heights)
        squares = math.fsum((h - mean) ** 2 for h in heights)
        assert close(page.variance[name], squares / len(heights))
        assert not close(page.variance[name], squares / (len(heights) - 1))


def test_popoviciu_is_the_best_bound(snippet):
    page = snippet("variance/heights")
    rng = np.random.default_rng(5)
    heights = np.concatenate([rng.uniform(3, 7, (500, 8)), rng.choice([3, 7], (500, 8))])
    heights[:, 0], heights[:, 1] = 3, 7
    largest = heights.var(axis=1).max()
    assert largest <= page.bound["B"] == np.var([3, 3, 7, 7])
    assert largest > (7 - 3) ** 2 / 12, "the variance of a uniform distribution"


def test_a_range_bounds_the_variance_from_below_too():
    rng = np.random.default_rng(17)

    def holds(bound):  # of n numbers with range 1: random ones, and the best
        best = [[0, 1, *[0.5] * (n - 2)] for n in range(2, 9)]
        drawn = [[0, 1, *rng.random(n - 2)] for n in range(2, 9) for _ in range(300)]
        return all(np.var(x) >= bound(len(x)) - 1e-12 for x in best + drawn)

    assert holds(lambda n: 1 / (2 * n))
    assert not holds(lambda n: 1.01 / (2 * n)), "it is the best bound"
