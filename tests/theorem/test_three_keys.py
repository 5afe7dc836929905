"""Three keys made of one query: the three terms of each, from its scores alone."""

import numpy as np

from tests.tolerance import close


def test_three_keys(snippet):
    page = snippet("theorem/three_keys")
    # Means over z₁ and z₂ by quadrature, from the scores as the page writes them.
    at, weight = np.polynomial.hermite_e.hermegauss(4)
    (z_1, z_2), chance = np.meshgrid(at, at), np.outer(weight, weight) / (2 * np.pi)
    scores = {"copy": z_1**2 + z_2**2, "swapped": 2 * z_1 * z_2, "turned": z_1 * z_2 - z_2 * z_1}
    for name, baseline, middle, aligned, size, printed in page.rows:
        mean, square = np.sum(chance * scores[name]), np.sum(chance * scores[name] ** 2)
        assert close([aligned, size], [mean**2, square])
        assert close(baseline + middle, square - mean**2)
        assert close(printed, size) == (name != "turned")
        assert name != "turned" or close(page.turned_published, 2 + 2 + 0)  # two squares of 1
        # The dots of the picture are these scores.
        a, b = page.z.T
        drawn = {"copy": a**2 + b**2, "swapped": 2 * a * b, "turned": 0 * a}
        assert close(page.scores[name], drawn[name])
