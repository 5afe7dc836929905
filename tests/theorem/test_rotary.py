"""Rotary embeddings: against drawn vectors, Theorem 1, and the eigenvalues of C."""

import math

import numpy as np
import pytest

from tests.tolerance import agrees, close


def test_rotary(snippet):
    page = snippet("theorem/rotary")
    for m, (mean, variance) in page.simulated.items():
        place = round(m * 10)
        assert close(page.distance[place], m)
        error = page.standard_error[m]
        assert agrees([mean, variance], [page.mean[place], page.variance[place]], error)
        if m >= 12:
            assert not agrees(variance, page.published, error[1])
            assert not agrees(mean, page.mean[0], error[0])


@pytest.mark.parametrize(("m", "rho"), [(0, 0.3), (1, 1.0), (3542, 1.0)])
def test_rotary_by_the_theorem(snippet, module, m, rho):
    page, moments = snippet("theorem/rotary"), module("theorem/moments")
    one, C = np.eye(page.d), np.zeros((page.d, page.d))
    for j, theta in enumerate(page.theta):
        c, s = math.cos(m * theta), math.sin(m * theta)
        C[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = [[rho * c, rho * s], [-rho * s, rho * c]]
    ratio = moments.published(one, one, C) / moments.second_moment(one, one, C)
    assert close(ratio, page.ratio[rho][m])
    assert close(ratio, 1) == (m == 0)


def test_the_worst_distance_by_the_eigenvalues_of_c(snippet):
    # They are ρe^{imθ} and their conjugates.
    page = snippet("theorem/rotary")
    turns = np.exp(1j * np.outer(np.arange(page.distances), page.theta))
    for rho, worst in page.worst.items():
        second = page.d + (2 * rho * turns.real.sum(1)) ** 2
        ratio = (second + rho**2 * page.d) / (second + 2 * rho**2 * (turns**2).real.sum(1))
        assert close([ratio.max(), np.median(ratio)], [worst, page.median[rho]])
    assert (page.where[1.0], page.distances) == (ratio.argmax(), 4096)  # of the last, ρ = 1
