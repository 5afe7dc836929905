"""How far a score strays: the bands and the bound, tried on drawn scores."""

import math

import numpy as np

from tests.theorem.draws import all_coordinates
from tests.tolerance import agrees, close


def test_strays(snippet):
    page = snippet("theorem/strays")
    for d, band in zip(page.dims[:6], page.band[:6], strict=True):
        share = all_coordinates(np.random.default_rng(d), d, page.rho, 20_000) / d
        error = math.sqrt(0.01 * 0.99 / len(share))
        outside = np.array([np.mean(share < band[0]), np.mean(share > band[1])])
        assert agrees(outside, 0.01, error)
        straying = abs(share - page.rho) >= page.bound[page.dims.index(d)]
        assert np.mean(straying) < 0.02
    z = np.random.default_rng(1).standard_normal((2, 200_000))
    outside = np.mean(z[0] * z[1] > page.never[1])
    assert agrees(outside, 0.01, math.sqrt(0.01 * 0.99 / z.shape[1]))
    variance = np.array(page.dims) * (1 + page.rho**2)
    over = np.sqrt(2 * np.log(100) * variance) + 2 * np.log(100) * 0.65
    assert close(page.bound * page.dims, over)
