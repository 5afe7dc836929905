"""The experiment with 1111 × 111 arrays: repeated, and its arithmetic in whole numbers."""

import math

import numpy as np
from scipy import stats

from tests.tolerance import agrees, close, mean_and_error, variance_and_error


def draws_of_the_experiment(seed, n, d, m, draws):
    """Give np.var of products without computing any n × m product."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        Q, K = rng.standard_normal((n, d)), rng.standard_normal((d, m))
        square = np.sum((Q.T @ Q) * (K @ K.T))  # tr(QᵀQ KKᵀ) = Σ S_ij²
        mean = Q.sum(axis=0) @ K.sum(axis=1) / (n * m)
        result.append(square / (n * m) - mean**2)
    return np.array(result)


def test_experiment(snippet):
    page = snippet("variance/experiment")
    V = draws_of_the_experiment(14, page.n, page.d, page.m, 100)
    mean, error = mean_and_error(V)
    assert agrees(mean, page.expected, error)
    assert not agrees(mean, page.d + 1, error)
    variance, error = variance_and_error(V)
    assert agrees(variance, page.sd**2, error)
    assert not agrees(variance, page.iid_sd**2, error)
    # The snippet multiplies.
    mean, error = mean_and_error(page.repeated)
    assert agrees(mean, V.mean(), np.hypot(error, page.sd / 10))
    assert stats.ks_2samp(page.repeated, V).pvalue > 1e-4
    assert stats.ks_2samp((page.repeated - mean) / page.ratio + mean, V).pvalue < 1e-2


def test_numbers_of_the_experiment(snippet, module):
    page, law = snippet("variance/experiment"), module("variance/sample_variance")
    cells = 1111 * 1111
    assert page.entries == cells
    assert close(page.expected * cells, 111 * (cells - 1))
    assert close(page.excess, page.expected - page.observed)
    assert close(page.sd, math.sqrt(law.variance(1111, 111, 1111)))
    assert close([page.low * page.sd, page.iid_low * page.iid_sd], page.excess)
    assert close(page.ratio * page.iid_sd, page.sd)
    assert close(page.relative_sd * page.expected, page.sd)
    assert page.factor_entries == 1111 * 111
    assert close(page.factor_sd**2, 2 / page.factor_entries)
