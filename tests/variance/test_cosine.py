"""The angle between a query and a key: of vectors that are drawn, and by an integral."""

import math

import numpy as np
from scipy import integrate

from tests.tolerance import agrees, close, mean_and_error


def angles(seed, d, correlation=0.0, samples=40_000):
    q, other = np.random.default_rng(seed).standard_normal((2, samples, d))
    k = correlation * q + math.sqrt(1 - correlation**2) * other
    lengths = np.linalg.norm(q, axis=1) * np.linalg.norm(k, axis=1)
    return np.arccos(np.sum(q * k, axis=1) / lengths)


def test_cosine(snippet):
    page = snippet("variance/cosine")
    for d, sd in page.sd.items():
        square, error = mean_and_error(np.cos(angles(d, d)) ** 2)
        assert agrees(square, sd**2, error)
        square, error = mean_and_error(np.cos(angles(d, d, 0.2)) ** 2)
        assert not agrees(square, sd**2, error), "keys that turn towards their queries"


def test_angles_by_the_area_of_a_sphere(snippet):
    # The part of a sphere at an angle t has the measure sin^(d − 2) t.
    page = snippet("variance/cosine")

    def share(degrees, d):
        whole, part = (
            integrate.quad(lambda t: np.sin(t) ** (d - 2), 0, end, epsabs=0)[0]
            for end in (math.pi, math.radians(degrees))
        )
        return part / whole

    for d, degrees in page.angle.items():
        assert close(sorted(share(t, d) for t in degrees), page.share, 1e-6)
        assert not close(sorted(share(t, d + 1) for t in degrees), page.share, 1e-4)
    assert close([share(page.from_degrees, 64), share(page.to_degrees, 64)], [0.025, 0.975], 1e-6)
