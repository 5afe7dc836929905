"""From √d to d: the size from vectors themselves, the slope by differences."""

import math

import numpy as np

from tests.theorem.draws import all_coordinates
from tests.tolerance import agrees, close, mean_and_error


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


def test_regimes_against_coordinates(snippet):
    # The figure draws χ² numbers; here are the vectors themselves.
    page = snippet("theorem/regimes")
    for rho in page.correlations:
        S = all_coordinates(np.random.default_rng(2), 64, rho, 20_000)
        second, error = mean_and_error(S**2)
        assert agrees(second, page.rms[rho][64] ** 2, error)
        assert not agrees(second, page.rms[rho][128] ** 2, error)


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
