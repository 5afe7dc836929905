"""Softmax of Gaussian logits: two chapters' quadratures, which other tests draw."""

import pytest

from tests.tolerance import close


@pytest.mark.parametrize("sigma", [0.1, 1, 8])
@pytest.mark.parametrize("n", [3, 512, 65_536])
def test_two_chapters_compute_the_same_averages_by_their_own_quadratures(module, n, sigma):
    here, there = module("scales/gaussian_logits"), module("saturation/gaussian_logits")
    assert close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, sigma), 1e-8)
    assert close(here.mean_square_weights(n, sigma), 1 / there.participation(n, sigma), 1e-8)
    assert close(here.mean_largest(n, sigma) / there.largest(n, sigma), 1, 1e-4)
    assert not close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, 1.01 * sigma), 1e-8)
