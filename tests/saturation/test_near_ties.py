"""Near-ties: the limits by another quadrature, the mean and the median by drawing."""

import math

import numpy as np
from scipy import integrate, stats

from tests.saturation.draws import close, draw, is_mean, jacobian_squares
from tests.saturation.quadrature import jacobian_mean, largest_mean, power_sums
from tests.tolerance import agrees, is_median, mean_and_error


def test_near_ties(snippet):
    page = snippet("saturation/near_ties")
    for d in (1, 64, 1024):
        place = int(np.flatnonzero(page.dims == d)[0])
        square = jacobian_squares(draw(15, page.n, math.sqrt(d), 40_000)[1])
        assert is_mean(page.mean_square[place], square)
        assert is_median(page.median[place], square, math.inf)
        if d > 1:
            assert not is_median(page.mean_square[place], square, math.inf)
    for d, value, unit in [(64, page.tenth_at_64, 0.005), (4096, page.tenth_at_4096, 0.0005)]:
        shares = []
        for seed in range(20):
            square = np.sort(jacobian_squares(draw((30, seed), page.n, math.sqrt(d), 20_000)[1]))
            shares.append(square[-2000:].sum() / square.sum())
        share, error = mean_and_error(np.array(shares))
        assert 4.5 * error < unit
        assert agrees(share, value, error)
        assert not agrees(share, value + 2 * unit, error)


def test_ratios_to_the_limits_by_another_quadrature(snippet):
    # m_n is n(n − 1)∫φ²Φ^{n−2}, the density of ties.
    ties = integrate.quad(lambda x: stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** 14, -9, 9)[0]
    for sigma, ratios in snippet("saturation/near_ties").to_limit.items():
        scale = sigma / 240 / ties
        assert close(ratios["trace"], scale * (1 - power_sums(16, sigma)[0]), 1e-6)
        assert close(ratios["square"], 3 * scale * jacobian_mean(16, sigma), 3e-5)
        assert close(ratios["rest"], scale * (1 - largest_mean(16, sigma)) / math.log(2), 3e-5)
