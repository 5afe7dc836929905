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


def test_without_a_divisor_the_root_of_the_logarithm_holds_only_for_few_keys(module):
    """The caption says: as long as ln n is well below d/2. Beyond, the match grows like ln n."""
    mean_log_sum = module("scales/gaussian_logits").mean_log_sum

    def needed(n: float, d: int) -> float:
        return mean_log_sum(n - 1, math.sqrt(d)) / d

    few, many = 1e6, 1e9  # ln n: 14 and 21
    root = math.sqrt(math.log(many) / math.log(few))
    assert close(needed(many, 64) / needed(few, 64), root, 0.02)
    assert not close(needed(many, 16) / needed(few, 16), root, 0.02)  # d/2 is 8
