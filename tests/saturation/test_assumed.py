"""What the averages rest on: keys that resemble each other, and the query's length."""

import math

import numpy as np
from scipy.special import softmax

from tests.saturation.draws import close, is_mean
from tests.saturation.quadrature import power_sums


def test_correlated_keys(snippet):
    page = snippet("saturation/assumed")
    rng = np.random.default_rng(20)
    n, d = page.n, page.d

    def same_key(c, divisor, draws=400):
        result = []
        for _ in range(draws):
            q = rng.standard_normal(d)
            q *= np.sqrt(d) / np.linalg.norm(q)
            common, own = rng.standard_normal(d), rng.standard_normal((n, d))
            K = math.sqrt(c) * common + math.sqrt(1 - c) * own
            result.append(np.sum(softmax(K @ q / divisor) ** 2))
        return np.array(result)

    for c in (0.0, 0.5, 0.9):
        place = int(np.argmin(np.abs(page.correlation - c)))
        for divisor, values in [(1, page.bare), (8, page.divided)]:
            sample = same_key(c, divisor)
            assert is_mean(1 / values[place], sample)
            if c:
                assert not is_mean(1 / values[0], sample), "independent keys"
    assert close((1 - page.leaves_at) * d, 2 * math.log(n))
    assert close(1 / page.bare[0], power_sums(n, 8)[0], 1e-6)


def test_length_of_the_query(snippet, exact):
    page = snippet("saturation/assumed")
    for d in page.mixed:
        # Another rule for the same average: Gauss–Laguerre for the distribution of ‖q‖²/2.
        node, weight = np.polynomial.laguerre.laggauss(120)
        weight = np.exp(np.log(weight) + (d / 2 - 1) * np.log(node) - math.lgamma(d / 2))
        same = [exact.mean_power_sum(page.n, math.sqrt(2 * x / d), 2) for x in node[weight > 1e-9]]
        average = np.sum(weight[weight > 1e-9] * same)
        assert close(1 / page.mixed[d], average, 1e-5)
        fixed = exact.mean_power_sum(page.n, 1.0, 2)
        assert not close(1 / page.mixed[d], fixed, 1e-3)
        assert abs(page.excess[d] - (average / fixed - 1)) < 1e-4
        if d == page.d:
            same = [exact.mean_power_sum(page.n, math.sqrt(2 * x), 2) for x in node[weight > 1e-9]]
            assert close(1 / page.mixed_bare, np.sum(weight[weight > 1e-9] * same), 1e-5)
            assert not close(page.mixed_bare, page.bare[0], 1e-3)
