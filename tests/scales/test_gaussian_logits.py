"""Softmax of Gaussian logits: quadratures against draws, closed forms and another chapter's."""

import numpy as np
import pytest
from scipy import special

from tests.scales.draws import N, rows
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize(("n", "sigma"), [(2, 1), (16, 0.5), (N, 1), (N, 1.9), (N, 8)])
def test_quadratures_fit_a_simulation(module, n, sigma):
    exact = module("scales/gaussian_logits")
    z = rows(sigma, n)
    p = special.softmax(z, axis=1)
    for sample, mean_of in [
        (special.logsumexp(z, axis=1), exact.mean_log_sum),
        (np.sum(p**2, axis=1), exact.mean_square_weights),
        (p.max(axis=1), exact.mean_largest),
    ]:
        mean, error = mean_and_error(sample)
        assert agrees(mean, mean_of(n, sigma), error)
        assert not agrees(mean, mean_of(n, 1.3 * sigma), error), "another spread"
        assert not agrees(mean, mean_of(2 * n, sigma), error), "other keys"


@pytest.mark.parametrize("sigma", [0.1, 1, 8])
@pytest.mark.parametrize("n", [3, 512, 65_536])
def test_two_chapters_compute_the_same_averages_by_their_own_quadratures(module, n, sigma):
    here, there = module("scales/gaussian_logits"), module("saturation/gaussian_logits")
    assert close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, sigma), 1e-8)
    assert close(here.mean_square_weights(n, sigma), 1 / there.participation(n, sigma), 1e-8)
    assert close(here.mean_largest(n, sigma) / there.largest(n, sigma), 1, 1e-4)
    assert not close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, 1.01 * sigma), 1e-8)
