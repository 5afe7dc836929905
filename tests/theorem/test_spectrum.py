"""Any covariance: the eigenvalues by another matrix, the density over other draws."""

import math

import numpy as np
from scipy import integrate, stats

from tests.theorem.draws import blocks, scores
from tests.tolerance import agrees, close


def test_spectrum(snippet):
    page = snippet("theorem/spectrum")
    cov_q, cov_k, C = blocks(page.cov)
    direct = np.sort(np.linalg.eigvals(page.A @ page.cov).real)
    assert close(direct, page.eigenvalues, 1e-7)
    assert close(page.mean, np.trace(C))
    assert close(page.variance, np.trace(cov_q @ cov_k) + np.trace(C @ C))
    assert close(page.variance + page.mean**2, page.exact)
    assert close(page.printed, page.mean**2 + np.trace(cov_q @ cov_k) + np.sum(C**2))
    # Cumulants of a sum of λ times squares; by them the variance of S².
    two, three, four = (
        2 ** (k - 1) * math.factorial(k - 1) * np.sum(page.eigenvalues**k) for k in (2, 3, 4)
    )
    of_square = four + 4 * page.mean * three + 2 * two**2 + 4 * page.mean**2 * two
    assert abs(page.standard_error - math.sqrt(of_square / page.samples)) < 0.005
    assert not abs(page.standard_error - math.sqrt(2 * two**2 / page.samples)) < 0.005, "a Gaussian"
    assert agrees(page.second, page.exact, page.standard_error)
    assert not agrees(page.second, page.printed, page.standard_error)


def test_density_from_the_eigenvalues(snippet):
    page = snippet("theorem/spectrum")
    S = scores(17, page.L, 200_000)
    fine = np.linspace(-7, 7, 5601)
    whole = integrate.cumulative_trapezoid(np.interp(fine, page.point, page.pdf), fine, initial=0)
    whole += 1 - whole[-1] - np.mean(S > 7)
    points = np.linspace(-2, 5, 29)
    error = 0.5 / math.sqrt(len(S)) + 5e-4
    observed = np.mean(S[:, np.newaxis] <= points, axis=0)
    assert agrees(observed, np.interp(points, fine, whole), error)
    bell = stats.norm.cdf(points, page.mean, math.sqrt(page.printed_variance))
    assert not agrees(observed, bell, error)
