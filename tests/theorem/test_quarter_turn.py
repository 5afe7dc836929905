"""The quarter turn, and every other turn of the plane, by plane geometry; and three keys."""

import math

import numpy as np

from tests.tolerance import agrees, close


def test_quarter_turn(snippet):
    page = snippet("theorem/quarter_turn")
    assert close(page.quarter @ [1, 10], [10, -1])
    for degrees in page.exact:
        # q·k = |q|² cos, and E|q|⁴ = 8 in the plane.
        cosine = math.cos(math.radians(degrees))
        assert close(page.exact[degrees], 8 * cosine**2)
        assert close(page.printed[degrees], 4 + 4 * cosine**2)
    for degrees, second in page.simulated.items():
        error = page.standard_error[degrees] + 1e-12
        assert agrees(second, page.exact[degrees], error)
        if 30 < degrees < 150:
            assert not agrees(second, page.printed[degrees], error)


def test_three_keys(snippet):
    # Means over z₁ and z₂ by quadrature, from the scores as the page writes them.
    at, weight = np.polynomial.hermite_e.hermegauss(4)
    (z_1, z_2), chance = np.meshgrid(at, at), np.outer(weight, weight) / (2 * np.pi)
    scores = {"copy": z_1**2 + z_2**2, "swapped": 2 * z_1 * z_2, "turned": z_1 * z_2 - z_2 * z_1}
    for name, baseline, middle, aligned, size, printed in snippet("theorem/quarter_turn").keys:
        mean, square = np.sum(chance * scores[name]), np.sum(chance * scores[name] ** 2)
        assert close([aligned, size], [mean**2, square])
        assert close(baseline + middle, square - mean**2)
        assert close(printed, size) == (name != "turned")
