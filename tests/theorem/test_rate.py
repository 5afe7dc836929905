"""The distance from a bell curve: its guides by a search, itself by another transform."""

import math

import numpy as np
from scipy import stats

from tests.tolerance import close


def test_rate(snippet):
    page = snippet("theorem/rate")
    x = np.linspace(0, 6, 60_001)
    assert close(page.fourth, np.max(np.abs(x**3 - 3 * x) * stats.norm.pdf(x)) / 4, 1e-7)
    skewness = (6 * 0.5 + 2 * 0.5**3) / (1 + 0.5**2) ** 1.5
    assert close(page.third, skewness / 6 / math.sqrt(2 * math.pi))
    for d in page.dims[2:]:
        assert close(page.distance[0][d] * d, page.fourth, 0.01)
        assert close(page.distance[0.5][d] * math.sqrt(d), page.third, 0.01)
        assert not close(page.distance[0.5][d] * d, page.fourth, 0.5), "1/d whatever ρ"


def test_distance_from_the_characteristic_function(snippet):
    page, d = snippet("theorem/rate"), 64
    for rho, factor in [(0, d), (0.5, math.sqrt(d))]:
        sd, z = math.sqrt(d * (1 + rho**2)), np.linspace(-4, 4, 801)
        t = (np.arange(2000) + 0.5) * 0.005 / sd
        transform = (1 - 2j * rho * t + (1 - rho**2) * t**2) ** (-d / 2)
        wave = np.exp(-1j * np.outer(rho * d + z * sd, t)) * transform / t
        cdf = 0.5 - wave.imag.sum(axis=1) * (t[1] - t[0]) / np.pi
        distance = np.max(np.abs(cdf - stats.norm.cdf(z)))
        assert close(page.at_64[rho], factor * distance, 1e-6)
        assert not close(page.at_64[rho], (d + 1) / d * factor * distance, 1e-6)
