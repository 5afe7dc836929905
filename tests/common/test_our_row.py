"""The row that all pages show: typical, and the first that is; another seed's is not."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import close

DIMS = (1, 4, 64, 1024)  # at which pages tell the median of the largest weight


@pytest.fixture(scope="module")
def row(module):
    return module("common/our_row")


@pytest.fixture(scope="module")
def medians():
    """Give the medians of the largest weight and of the keys that take part, by the spread."""
    g = np.random.default_rng(5).standard_normal((60_000, 32))
    largest = {d: np.median(softmax(np.sqrt(d) * g, axis=1).max(axis=1)) for d in (*DIMS, 128)}
    return largest, np.median(1 / np.sum(softmax(8 * g, axis=1) ** 2, axis=1))


def flaws(query, keys, medians):
    """List in what a row differs from what is usual.

    Args:
        query: 128 coordinates.
        keys: a row of them for each key.
        medians: of the largest weight, by dimension, for a query of length √d; and of the keys
            that take part at 64.
    """
    largest, taking_part = medians
    walks = np.cumsum(query * keys, axis=1)
    g = walks[:, 63] / 8
    found = [d for d in DIMS if abs(softmax(np.sqrt(d) * g).max() - largest[d]) > 0.005]
    if found:  # most rows, and the rest takes long
        return found
    if abs(softmax(walks[:, 127]).max() - largest[128]) > 0.02:
        found.append("the largest weight at 128")
    if round(1 / np.sum(softmax(8 * g) ** 2), 1) != round(taking_part, 1):
        found.append("keys that take part")
    if abs(np.linalg.norm(query[:64]) / 8 - 1) > 0.05:
        found.append("the query's length")
    for d in (16, 32, 64, 128):
        if abs(walks[:, d - 1].std() / np.sqrt(d) - 1) > 0.1:
            found.append(f"the spread of the scores at {d}")
    return found


def drawn(seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(128).round(1), rng.standard_normal((32, 128)).round(1)


def test_our_row_is_typical(row, medians):
    assert flaws(row.query, row.keys, medians) == []
    assert flaws(*drawn(33830), medians)
    assert flaws(2 * row.query, row.keys, medians), "a query of twice the length"


def test_the_key_that_is_to_be_found_is_not_found_by_chance(row):
    scores = row.scores()
    below = np.mean(scores < scores[row.meant])
    assert 0.25 < below < 0.75, "it is neither among the best nor among the worst"
    assert abs(scores[row.meant]) < scores.std()


@pytest.mark.parametrize("d", [1, 16, 64, 128])
def test_scores_are_where_the_walks_end(row, d):
    by_hand = [sum(q * k for q, k in zip(row.query[:d], key[:d], strict=True)) for key in row.keys]
    assert close(row.scores(d), by_hand)
    assert close(row.walk(row.query, row.keys)[:, d - 1], by_hand)
    assert not close(row.scores(d), [*by_hand[1:], by_hand[0]])


def test_where_it_goes_on_it_is_typical_too(row):
    g = np.random.default_rng(6).standard_normal((10_000, 512))

    def usual(scores, tolerance=0.03):
        for by in (1, 8):
            p, others = softmax(scores / by), softmax(8 * g / by, axis=1)
            for count in (np.max, lambda p, axis: 1 / np.sum(p**2, axis)):
                if abs(count(p, -1) / np.median(count(others, -1)) - 1) > tolerance:
                    return False
        return True

    assert len(row.long_scores) == 512
    assert np.array_equal(row.long_scores[:32], row.scores())
    assert not usual(row.long_scores * 1.2)
    assert not usual(8 * g[0])
    assert usual(row.long_scores, 0.08)


@pytest.mark.long
def test_it_is_the_first_such_row(row, medians):
    """Nobody chose among rows that are typical."""
    first = next(seed for seed in range(50_000) if not flaws(*drawn(seed), medians))
    assert np.array_equal(drawn(first)[1], row.keys)
