"""The distribution of a score: its fourth moment symbolically, its curve over the histogram."""

import numpy as np
import pytest
import sympy
from scipy import stats

from tests.tolerance import agrees, close


def test_kurtosis(snippet):
    law = snippet("variance/law")
    t, d = sympy.symbols("t d", positive=True)
    # E e^{t q_i k_i} = E e^{t² k_i²/2} = (1 − t²)^{−1/2}, to the power d.
    cumulants = sympy.series(-d / 2 * sympy.log(1 - t**2), t, 0, 5).removeO()
    second, fourth = (sympy.diff(cumulants, t, n).subs(t, 0) for n in (2, 4))
    excess = sympy.simplify(fourth / second**2)
    for dim, kurtosis in law.kurtosis.items():
        exact = float(excess.subs(d, dim))
        assert close(kurtosis, exact, 1e-5)
        assert not close(kurtosis, 6 / (dim + 1), 1e-5)
        estimate, error = law.simulated_kurtosis[dim], law.kurtosis_standard_error[dim]
        assert agrees(estimate, exact, error)
        assert dim > 16 or not agrees(estimate, 0, error), "a Gaussian"


@pytest.mark.parametrize("d", [1, 4, 16])
def test_law_lies_on_its_histogram(snippet, d):
    law = snippet("variance/law")
    width = np.diff(law.edges)
    away = np.abs(law.edges[1:] - width / 2) > 0.2  # from the peak of d = 1
    fine = np.linspace(-3.5, 3.5, 5601)

    def fits(density):
        share = density[:-1].reshape(len(width), -1).mean(axis=1) * width
        error = np.sqrt(share * (1 - share) / law.samples) + 2e-4 * share
        return agrees((law.histogram[d] * width)[away], share[away], error[away])

    assert fits(np.interp(fine, law.point, law.pdf[d]))
    assert d == 16 or not fits(stats.norm.pdf(fine))
