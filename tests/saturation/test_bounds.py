"""What a lead leaves of the gradient: with many digits."""

import mpmath
import numpy as np

from tests.saturation.draws import close


def test_norms_have_many_digits(snippet):
    page = snippet("saturation/bounds")
    with mpmath.workdps(50):
        for row in (9, 150, 299):
            lead, n = mpmath.mpf(float(page.lead["all equal but one"][row])), 512
            assert close(float(lead), np.linspace(0.1, 30, 300)[row])
            top = 1 / (1 + (n - 1) * mpmath.exp(-lead))
            other = (1 - top) / (n - 1)
            square = (top * (1 - top)) ** 2 + (n - 1) * (other * (1 - other)) ** 2
            square += 2 * (n - 1) * (top * other) ** 2 + (n - 1) * (n - 2) * other**4
            assert close(page.norm["all equal but one"][row], float(mpmath.sqrt(square)), 1e-9)
            assert close(
                page.trace["all equal but one"][row], float(1 - top**2 - (n - 1) * other**2)
            )
