"""Few keys, by drawing rows; and what zeros in a padded window take."""

import numpy as np
import pytest
from scipy import special

from tests.tolerance import agrees, close, mean_and_error

RNG = np.random.default_rng(0)


def rows(n, sigma, draws=40_000):
    return sigma * RNG.standard_normal((draws, n))


@pytest.mark.parametrize("n", [2, 3, 9, 49])
def test_the_keys_that_take_part(snippet, n):
    result = snippet("questions/few")
    for sigma, taking in ((1, result.divided[n]), (8, result.bare[n])):
        square = np.sum(special.softmax(rows(n, sigma), axis=1) ** 2, axis=1)
        mean, error = mean_and_error(square)
        assert agrees(mean, 1 / taking, error)
        assert not agrees(mean, 1 / (1.05 * taking), error), "five percent more passes"


def test_they_agree_with_another_chapter(snippet, module):
    result, other = snippet("questions/few"), module("scales/gaussian_logits")
    for n in result.keys:
        for sigma, taking in ((1.0, result.divided[n]), (8.0, result.bare[n])):
            assert close(1 / other.mean_square_weights(n, sigma), taking, 1e-6)
            assert not close(1 / other.mean_square_weights(n, 1.02 * sigma), taking, 1e-4)


def test_one_of_two_keys_has_nearly_all(snippet):
    result = snippet("questions/few")
    for sigma, share in ((1, result.sure_divided), (8, result.sure_bare)):
        largest = special.softmax(rows(2, sigma, 200_000), axis=1).max(axis=1)
        mean, error = mean_and_error(largest > 0.99)
        assert agrees(mean, share, error)
        assert not agrees(np.mean(largest > 0.9), share, error)


def test_zero_keys_take_weight_and_masked_ones_do_not(snippet):
    padded = snippet("questions/few").padded
    real = rows(4, 1, 200_000)
    weights = special.softmax(np.hstack([real, np.zeros((len(real), 5))]), axis=1)
    mean, error = mean_and_error(weights[:, 4:].sum(axis=1))
    assert agrees(mean, padded, error)
    masked = special.softmax(np.hstack([real, np.full((len(real), 5), -np.inf)]), axis=1)
    assert not agrees(masked[:, 4:].sum(axis=1).mean(), padded, error)
