"""The exact distributions of np.var for 2×2 arrays, by their moments."""

import numpy as np

from tests.tolerance import close


def test_the_2x2_law_has_the_mean_and_the_variance_of_the_formulas(module, snippet):
    law, page = module("variance/two_by_two"), snippet("variance/puzzle")
    u, weight = np.polynomial.legendre.leggauss(60)
    u, weight = 10 * (u + 1), 10 * weight  # v = u² from 0 to 400
    above = 1 - law.cdf(u**2)
    mean = np.sum(weight * above * 2 * u)
    variance = np.sum(weight * 2 * u**2 * above * 2 * u) - mean**2
    assert close([mean, mean / 2], [page.exact_mean, page.scaled_mean], 1e-4)
    assert close([variance, variance**0.5], [page.exact_variance, page.exact_sd], 1e-3)
    assert close(law.cdf([page.median, page.observed]), [0.5, page.percentile_of_1_6 / 100])
    assert close(law.cdf(2 * page.observed), page.scaled_percentile / 100)
    assert not close(mean, page.naive, 1e-4)
    u, weight = np.polynomial.legendre.leggauss(40)
    u = u + 1  # v = u² from 0 to 4
    mean = np.sum(weight * (1 - law.standardised_cdf(u**2)) * 2 * u)
    assert close(mean, page.standardised_exact_mean, 1e-4)
    assert not close(mean, page.exact_mean, 1e-4)
