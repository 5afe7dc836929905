"""From √d to d: the size by the theorem's matrices, the slope by differences."""

import math

import numpy as np

from tests.tolerance import agrees, close


def test_regimes(snippet, module):
    page, moments = snippet("theorem/regimes"), module("theorem/moments")
    for rho in page.correlations:
        for d in (1, 64):
            C, one = rho * np.eye(d), np.eye(d)
            assert close(page.rms[rho][d] ** 2, moments.second_moment(one, one, C))
            assert close(page.aligned[rho][d], np.trace(C) ** 2)
            assert close(page.other[rho][d], np.trace(one) + np.trace(C @ C))
        for d, simulated in page.simulated[rho].items():
            error = page.standard_error[rho][d]
            assert agrees(simulated, page.rms[rho][d], error)
            if rho in (0.1, 1) and d >= 1024:
                assert not agrees(simulated, math.sqrt(d), error), "√d whatever ρ"
            if d >= 4 and rho < 1:
                assert not agrees(simulated, d, error), "d whatever ρ"


def test_slope_and_crossover(snippet):
    page = snippet("theorem/regimes")
    for rho in page.correlations:
        for d, slope in page.slope[rho].items():
            near = d * np.exp([-1e-4, 1e-4])
            size = np.log(near + rho**2 * (near + near**2)) / 2
            assert close(slope, np.diff(size)[0] / 2e-4, 1e-6)
    for rho, crossover in page.crossover.items():
        # "Any ρ makes d² dominate": not before d*.
        for d in page.dims:
            assert (page.aligned[rho][d] > page.other[rho][d]) == (d > crossover)
        assert close(rho**2 * crossover**2, crossover * (1 + rho**2))
        assert not close(crossover, 1 / rho**2)
    (small,) = page.small.values()
    assert close(small**2 * 64**2, 64 * (1 + small**2)), "the mean is as large as the spread"
