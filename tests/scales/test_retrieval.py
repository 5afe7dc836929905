"""The match that a key needs, with whole queries and keys, and by another quadrature."""

import math

from scipy import special

from tests.scales.draws import N
from tests.tolerance import close


def test_thresholds_by_the_other_quadrature(snippet, other):
    page = snippet("scales/retrieval")
    spreads = {"√64": (64, 1), "√128": (128, 1), "1": (64, 8), "64": (64, 1 / 8)}
    spreads["log n"] = 64, math.log(N)
    for name, (d, sigma) in spreads.items():
        log_odds = page.needed[name][N] * math.sqrt(d) * sigma
        assert close(log_odds, other.mean_log_sum(N - 1, sigma), 1e-6)
        assert not close(log_odds, other.mean_log_sum(N, sigma), 1e-6)
    for d, n in page.capacity.items():  # the whole number
        assert other.mean_log_sum(n - 1.5, 1) < math.sqrt(d) < other.mean_log_sum(n - 0.5, 1)
    assert close(page.floor, other.mean_maximum(N - 1) / 8, 1e-6)
    assert close(page.perfect_by_d, special.expit(1 - other.mean_log_sum(N - 1, 1 / 8)), 1e-6)
