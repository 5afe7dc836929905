"""The angle between a query and a key, by an integral."""

import math

import numpy as np
from scipy import integrate

from tests.tolerance import close


def test_cosine(snippet):
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
