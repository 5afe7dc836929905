"""The distribution as a mean of bell curves, against the Bessel function of another chapter."""

import math

import numpy as np
import pytest

from tests.tolerance import close


@pytest.mark.parametrize(("d", "rho"), [(2, 0.0), (3, 0.2), (8, 0.6), (16, -0.3), (64, 0.1)])
def test_density_by_another_route(module, d, rho):
    mixture, other = module("theorem/mixture"), module("variance/dot_product")
    sd = math.sqrt(d * (1 + rho**2))
    s = rho * d + sd * np.array([-2.5, -1, 0.3, 1, 4])
    pdf = mixture.density(s, d, rho)
    assert close(pdf / other.density(s, d, rho), 1, 1e-8)
    assert not close(pdf / other.density(s, d, rho + 0.1), 1, 1e-3)
