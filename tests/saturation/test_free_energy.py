"""The free energy, the entropy and ‖J‖² of shared rows, by another quadrature and by draws."""

import math

import numpy as np
import pytest

from tests.saturation.draws import close, draw, is_mean
from tests.saturation.quadrature import jacobian_mean, log_sum, power_sums


@pytest.mark.parametrize("n", [16, 512, 65536])
def test_entropy_and_free_energy(snippet, n):
    page, ln_n = snippet("saturation/free_energy"), math.log(n)
    for at in (9, 19, 39):
        sigma = page.ratio[at] * math.sqrt(2 * ln_n)
        log_z = log_sum(n, sigma)
        entropy = log_z - sigma**2 * (1 - power_sums(n, sigma)[0])
        assert close(page.log_sum[n][at], log_z / ln_n, 3e-5)
        assert close(page.share[n][at], entropy / ln_n, 1e-4)
        assert not close(page.share[n][at], log_z / ln_n, 0.01)


def test_the_limit(snippet):
    page = snippet("saturation/free_energy")
    x, n = page.ratio, 10**100
    # The entropy is ln Z less σ times its slope, in the limit too.
    slope = np.gradient(page.log_sum_limit, x)
    smooth = abs(x - 1) > 0.06
    smooth[[0, -1]] = False
    assert np.allclose((page.log_sum_limit - x * slope - page.limit)[smooth], 0, atol=1e-9)
    # What is left out of ln Z is of order ln ln n.
    for factor in (1, 1.1):
        far = np.max(abs(page.log_sum[n] - factor * page.log_sum_limit))
        assert (far < 3 * math.log(math.log(n)) / math.log(n)) == (factor == 1)
    # 1 − x, or a freezing point at half the variance, is not the limit of the entropy.
    for limit in (np.maximum(0, 1 - x), np.maximum(0, 1 - 2 * x**2)):
        assert np.max(abs(page.share[n] - page.limit)) < np.max(abs(page.share[n] - limit)) / 2


def test_numbers(snippet):
    page = snippet("saturation/free_energy")
    for s in (1, 2):
        entropy = log_sum(65536, s) - s**2 * (1 - power_sums(65536, s)[0])
        assert close(page.exact[s], entropy / math.log(65536), 2e-6)
        assert close(page.formula[s], 1 - s**2 / 2 / (16 * math.log(2)))
    assert close(page.square, jacobian_mean(65536, 1), 1e-6)
    assert close(page.square_formula, math.e / 2**16)
    J = np.eye(512) / 512 - 1 / 512**2
    assert close(page.even_512, np.sum(J**2))
    squares = draw(3, 512, 0.8, 4000)[1] ** 2
    assert is_mean(math.exp(0.64) / 512 * (1 - 0.007), squares.sum(axis=1))
