"""The puzzle of the 2×2 arrays: np.var of products that are drawn."""

import numpy as np

from tests.tolerance import agrees, close, mean_and_error
from tests.variance.draws import products_of_2x2, signs, standardise


def test_puzzle_gaussian(snippet):
    page = snippet("variance/puzzle")
    V = products_of_2x2(8, 200_000)
    half = 0.5 / np.sqrt(len(V))
    assert agrees(np.mean(page.median >= V), 0.5, half)
    assert not agrees(np.mean(page.exact_mean >= V), 0.5, half), "the mean is no median"
    assert agrees(np.mean(page.observed >= V), page.percentile_of_1_6 / 100, half)
    assert agrees(np.mean(page.observed >= V / 2), page.scaled_percentile / 100, half)
    assert not agrees(np.mean(page.observed >= V), page.scaled_percentile / 100, half)
    assert agrees(page.mean, page.exact_mean, page.standard_error)
    assert not agrees(page.mean, page.naive, page.standard_error)


def test_puzzle_standardised(snippet):
    page = snippet("variance/puzzle")
    V = products_of_2x2(9, 200_000, standardise)
    mean, error = mean_and_error(V)
    half = 0.5 / np.sqrt(len(V))
    assert agrees(mean, page.standardised_exact_mean, error)
    assert not agrees(mean, page.naive, error)
    assert agrees(np.mean(page.standardised_median >= V), 0.5, half)
    assert agrees(np.mean(page.observed >= V), page.standardised_percentile / 100, half)
    assert not agrees(np.mean(page.observed >= V), page.percentile_of_1_6 / 100, half)
    mean, error = page.standardised_mean, page.standardised_standard_error
    assert agrees(mean, page.standardised_exact_mean, error)
    Q, K = np.array([[1, -1], [1, -1]]), np.array([[1, -1], [-1, 1]])
    assert np.var(Q @ K) == 4, "the bound is reached"


def test_16_9_for_signs_where_it_is_defined(snippet):
    page = snippet("variance/puzzle")
    arrays = signs(4).reshape(-1, 2, 2)
    varied = arrays[arrays.std(axis=(1, 2)) > 0]
    assert close(1 - len(varied) / len(arrays), page.constant_signs)
    A = standardise(varied)
    assert close(np.var(A[:, np.newaxis] @ A, axis=(-2, -1)).mean(), page.standardised_exact_mean)
    raw = np.var(arrays[:, np.newaxis] @ arrays, axis=(-2, -1)).mean()
    assert not close(raw, page.standardised_exact_mean), "not standardised"
