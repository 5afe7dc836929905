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
