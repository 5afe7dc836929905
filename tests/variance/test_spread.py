"""The spread and the average size of a score: by drawing, and in closed form."""

import numpy as np
from scipy import special

from tests.tolerance import agrees, close, variance_and_error
from tests.variance.draws import dots


def test_spread(snippet):
    spread = snippet("variance/spread")
    for d in spread.dims:
        variance, error = variance_and_error(dots(d, d, 10_000))
        assert agrees(variance, spread.std[d] ** 2, error)
        assert agrees(variance / d, spread.std_scaled[d] ** 2, error / d)
        assert not agrees(variance, spread.std_scaled[d] ** 2, error), "no divisor"
        assert not agrees(variance / d**2, spread.std_scaled[d] ** 2, error / d**2), "d for √d"


def test_average_size_by_its_closed_form(snippet):
    spread = snippet("variance/spread")
    exact = {}
    for d in spread.dims:
        log_ratio = special.gammaln((d + 1) / 2) - special.gammaln(d / 2)
        exact[d] = 2 / np.sqrt(np.pi) * np.exp(log_ratio)
        # The trapezoid rule errs by the kink of |s| at 0: step² f(0) / 6.
        error = 1.01 * spread.step**2 * spread.pdf[d].max() / 6 + 1e-9
        assert abs(spread.mean_size[d] - exact[d]) <= error
        assert abs(np.sqrt(2 / np.pi) * spread.std[d] - exact[d]) > error, "if it were Gaussian"
    assert close(spread.growth, exact[64] / exact[4], 1e-3)
    assert not close(spread.growth, np.sqrt(16), 1e-3)
