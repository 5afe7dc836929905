"""Three Gaussian scores by the length and the angle of their differences."""

import itertools
import math
from decimal import Decimal

import numpy as np

from tests.saturation.draws import close


def three_by_angle(sigma, f):
    """Average over the angle of three scores' differences; their length is Rayleigh's, times σ.

    The angle runs from the best two alike to the last two alike; f gets the range per length.
    """
    angle = np.pi / 6 * (np.arange(400) + 0.5) / 200
    lead, whole = (math.sqrt(2) * np.sin(a) for a in (angle, angle + np.pi / 3))
    return np.mean(f(sigma * lead, sigma * whole))


def test_three_scores_by_their_angle(snippet):
    page = snippet("saturation/three_scores")

    def within(lead, whole):
        return -np.expm1(-((page.example_range / whole) ** 2) / 2)

    def below(weight):
        def f(lead, whole):
            low, high = np.zeros_like(lead), np.full_like(lead, 1e4)
            for _ in range(60):  # the length at which the largest weight is this one
                r = (low + high) / 2
                over = 1 / (1 + np.exp(-lead * r) + np.exp(-whole * r)) > weight
                low, high = np.where(over, low, r), np.where(over, r, high)
            return -np.expm1(-(low**2) / 2)

        return f

    mean_length = math.sqrt(np.pi / 2)
    for sigma in (8, 8.1):
        found = [
            (page.p_range_4, three_by_angle(sigma, within), 1e-4),
            (page.mean_range, mean_length * three_by_angle(sigma, lambda lead, whole: whole), 0.01),
            (0.5, three_by_angle(sigma, below(page.median_weight)), 5e-4),
            (page.p_weight_example, three_by_angle(sigma, below(page.example_weight)), 1e-3),
        ]
        assert all(abs(value - other) < error for value, other, error in found) == (sigma == 8)
    assert close(page.mean_range, page.sigma * 3 / math.sqrt(math.pi), 1e-4)


def test_the_example(snippet):
    page = snippet("saturation/three_scores")
    # Halves of squared differences of pairs estimate a variance.
    halves = [(a - b) ** 2 / 2 for a, b in itertools.combinations([14, 10, 12], 2)]
    assert close(page.example_sd, math.sqrt(np.mean(halves)))
    assert not close(page.example_sd, np.std([14, 10, 12])), "divided by n"
    first, total = (Decimal(x) for x in ("4.482", "13.727"))
    assert close(page.printed_fraction, float(first / total))
