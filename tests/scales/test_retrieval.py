"""The match that a key needs, with whole queries and keys, and by another quadrature."""

import math

import numpy as np
import pytest
from scipy import special

from tests.scales.draws import N
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize(
    ("name", "s"), [("√64", 8), ("1", 1), ("log n", 8 / math.log(N)), ("64", 64)]
)
def test_threshold(snippet, name, s):
    # Real queries of length √64, real keys: the log-odds of the match have mean 0 at ρ.
    page, rng, d, samples = snippet("scales/retrieval"), np.random.default_rng(16), 64, 1500
    rho = page.needed[name][N]
    q = rng.standard_normal((samples, d))
    q *= math.sqrt(d) / np.linalg.norm(q, axis=1, keepdims=True)
    # Given such a q, q·k is N(0, d) for a noise key.
    noise = math.sqrt(d) * rng.standard_normal((samples, N - 1))
    fresh = rng.standard_normal((samples, d))

    def log_odds(correlation):
        # A key with covariance ρ, of unit variance as long as ρ ≤ 1.
        k = correlation * q + math.sqrt(max(0, 1 - correlation**2)) * fresh
        return np.sum(q * k, axis=1) / s - special.logsumexp(noise / s, axis=1)

    mean, error = mean_and_error(log_odds(rho))
    assert agrees(mean, 0, error)
    for wrong in (0.9 * rho, 1.1 * rho):
        mean, error = mean_and_error(log_odds(wrong))
        assert not agrees(mean, 0, error)


def test_thresholds_by_the_other_quadrature(snippet, other):
    page = snippet("scales/retrieval")
    spreads = {"√64": (64, 1), "√128": (128, 1), "1": (64, 8), "64": (64, 1 / 8)}
    for name, (d, sigma) in spreads.items():
        log_odds = page.needed[name][N] * math.sqrt(d) * sigma
        assert close(log_odds, other.mean_log_sum(N - 1, sigma), 1e-6)
        assert not close(log_odds, other.mean_log_sum(N, sigma), 1e-6)
    for d, n in page.capacity.items():  # the whole number
        assert other.mean_log_sum(n - 1.5, 1) < math.sqrt(d) < other.mean_log_sum(n - 0.5, 1)
    assert close(page.floor, other.mean_maximum(N - 1) / 8, 1e-6)
    assert close(page.perfect_by_d, special.expit(1 - other.mean_log_sum(N - 1, 1 / 8)), 1e-6)
