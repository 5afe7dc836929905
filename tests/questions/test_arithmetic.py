"""What code does with the scale: by rounding drawn numbers, and by hand."""

from itertools import product
from math import exp

import numpy as np

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import close


def test_a_shift_and_a_division(snippet):
    result = snippet("questions/arithmetic")
    for name, (a, b, c) in {
        "shifted": (0, -4, -2),
        "scores": (14, 10, 12),
        "divided": (1.75, 1.25, 1.5),
    }.items():
        assert close(exp(a) / (exp(a) + exp(b) + exp(c)), result.largest[name])
    assert result.largest["divided"] < 0.5 < result.largest["shifted"]


def test_only_the_gap_between_two_scores_counts(snippet):
    result = snippet("questions/arithmetic")
    assert close(result.apart, [exp(1) / (1 + exp(1)), 1 / (1 + exp(1))])
    assert not close(result.apart, [101 / 201, 100 / 201], 0.1), "in proportion to the scores"
    weight, step = (lambda gap: 1 / (1 + exp(-gap))), 1e-5
    assert close((weight(8 + step) - weight(8 - step)) / (2 * step), result.edge, 1e-6)
    assert close(1 / result.softplus_0, result.log2_e)


def test_two_scores_differ_by_more_than_one_of_them(snippet):
    difference = snippet("questions/arithmetic").difference
    q, k = vectors(64)
    _, other = vectors(64, seed=1)
    assert has_spread(scores(q, k) - scores(q, other), difference)
    assert not has_spread(scores(q, k), difference)


def test_a_mask_that_is_divided_too(snippet):
    result = snippet("questions/arithmetic")
    score = 5.0
    for kept, masked in (
        (result.kept_after, score / 8 - 100),
        (result.kept_before, (score - 100) / 8),
    ):
        assert close(exp(masked) / exp(score / 8), kept)


def grid():
    """List the numbers that e4m3 has: 4 bits for the exponent, 3 for the fraction."""
    normal = [(1 + f / 8) * 2.0**e for e, f in product(range(-6, 9), range(8))]
    small = [f / 8 * 2.0**-6 for f in range(8)]
    positive = np.array(small + normal)
    return np.unique(np.concatenate([-positive, positive]))


def test_the_errors_of_8_bits(snippet):
    result = snippet("questions/arithmetic")
    numbers = grid()
    assert numbers[numbers > 0].min() == result.smallest

    def e4m3(x):
        above = np.clip(np.searchsorted(numbers, x), 1, len(numbers) - 1)
        low, high = numbers[above - 1], numbers[above]
        return np.where(x - low < high - x, low, high)

    def int8(x):
        return np.clip(np.rint(x * 31.75), -127, 127) / 31.75  # 127 steps up to 4

    q, k = vectors(64, 100_000)
    exact = scores(q, k)
    for rounded, error in ((e4m3, result.of_fp8), (int8, result.of_int8)):
        off = (scores(rounded(q), rounded(k)) - exact) / 8
        assert abs(off.std() / error - 1) < 0.012
        assert abs((scores(rounded(q), k) - exact).std() / 8 / error - 1) > 0.1, "one side"
    for n, weight in result.typical.items():
        assert e4m3(np.array([weight]))[0] == result.rounds_to[n]
