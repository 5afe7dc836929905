"""The distribution as a mean of bell curves: against Bessel functions and two χ² variables."""

import math

import numpy as np
import pytest
from scipy import special, stats

from tests.tolerance import close


@pytest.mark.parametrize(("d", "rho"), [(2, 0.0), (3, 0.2), (8, 0.6), (16, -0.3), (64, 0.1)])
def test_density_by_three_routes(module, d, rho):
    mixture, other = module("theorem/mixture"), module("variance/dot_product")
    sd = math.sqrt(d * (1 + rho**2))
    s = rho * d + sd * np.array([-2.5, -1, 0.3, 1, 4])
    pdf = mixture.density(s, d, rho)
    assert close(pdf / other.density(s, d, rho), 1, 1e-8)
    assert not close(pdf / other.density(s, d, rho + 0.1), 1, 1e-3)
    # The formula of the page, with scipy's scaled Bessel function in logarithms.
    order, c = (d - 1) / 2, 1 - rho**2
    bessel = np.log(special.kve(order, np.abs(s) / c)) - np.abs(s) / c
    log_pdf = order * np.log(np.abs(s) / 2) + rho * s / c + bessel
    log_pdf -= special.gammaln(d / 2) + np.log(np.pi * c) / 2
    assert close(pdf / np.exp(log_pdf), 1, 1e-8)


@pytest.mark.parametrize(("d", "rho"), [(1, 0.4), (4, 0.0), (8, -0.6), (256, 0.3)])
def test_cdf(module, d, rho):
    mixture = module("theorem/mixture")
    s = rho * d + math.sqrt(d) * np.array([-2, -0.5, 0.7, 2])
    # From the two χ²: P(S ≤ s) = E F_X(((1 − ρ)Y + 2s)/(1 + ρ)).
    u = np.linspace(*np.log(stats.chi2(d).ppf([1e-16, 1 - 1e-15])), 200_001)
    y = np.exp(u)
    inner = stats.chi2.cdf(((1 - rho) * y + 2 * s[:, np.newaxis]) / (1 + rho), d)
    route = np.trapezoid(inner * stats.chi2.pdf(y, d) * y, u, axis=1)
    assert close(mixture.cdf(s, d, rho), route, 1e-6)
    assert not close(mixture.cdf(s, d, rho), stats.norm.cdf(s, rho * d, math.sqrt(d)), 1e-4)
    # P(S ≤ 0) is an incomplete beta function.
    zero = mixture.cdf(np.array([0.0]), d, rho)
    assert close(zero, special.betainc(d / 2, d / 2, (1 - rho) / 2))
    assert rho == 0 or not close(zero, special.betainc(d / 2, d / 2, (1 + rho) / 2))
