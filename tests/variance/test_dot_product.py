"""The density of a dot product, as a mean of bell curves."""

import numpy as np
import pytest
from scipy import stats

from tests.tolerance import close


@pytest.mark.parametrize("d", [1, 2, 3, 4, 16, 64, 256])
def test_density_is_a_mean_of_bell_curves(module, d):
    # Given k, q·k is N(0, |k|²), and |k|² is χ²_d. With correlation: tests/theorem/test_mixture.py
    density = module("variance/dot_product").density
    s = np.array([0.5, 1, 3, 8]) * np.sqrt(d)

    def mixture(degrees):
        u = np.linspace(-25, np.log(stats.chi2.isf(1e-60, degrees)), 6000)
        weight = np.exp(stats.chi2.logpdf(np.exp(u), degrees) + u)
        bells = stats.norm.pdf(s[:, np.newaxis], scale=np.exp(u / 2))
        return np.trapezoid(weight * bells, u, axis=1)

    assert close(density(s, d) / mixture(d), 1, 1e-7)
    assert not close(density(s, d) / mixture(d + 1), 1, 1e-4)
