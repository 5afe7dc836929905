"""The sums of coins: by going through every way in which they can fall."""

from itertools import product

import numpy as np

from tests.tolerance import agrees, variance_and_error


def test_four_coins_by_all_the_ways_they_can_fall(snippet):
    coins = snippet("variance/coins")
    sums = [sum(fall) for fall in product([-1, 1], repeat=4)]
    assert coins.ways == {s: sums.count(s) for s in sorted(set(sums))}
    assert coins.variance[4] == np.var(sums)
    biased = [sum(fall) for fall in product([-1, 1, 1], repeat=4)]
    assert coins.variance[4] != np.var(biased)


def test_more_coins_by_products_of_signs(snippet):
    """A score whose query and key are coins is a sum of coins."""
    coins = snippet("variance/coins")
    rng = np.random.default_rng(1)
    for d in coins.dims:
        q, k = rng.choice([-1, 1], (2, 20_000, d))
        variance, error = variance_and_error((q * k).sum(axis=1))
        assert agrees(variance, coins.variance[d], error)
        assert not agrees(variance, coins.spread[d], error), "the root"
        assert not agrees(((q * q).sum(axis=1) ** 2).mean(), coins.variance[d], error), "k = q"
