"""What ten steps add to q·k, and random movement of the same length."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, mean_and_error
from tests.training import by_hand


@pytest.mark.parametrize(("name", "zero"), [("right key", False), ("from 0", True)])
def test_movement_by_another_program(recall, snippet, name, zero):
    page = snippet("training/movement")
    other = "right key" if zero else "from 0"
    for column, d in enumerate(page.dims[:3]):
        X, W = recall.init(d, 1, zero_query=zero)
        _, V = by_hand.train(recall, d, 1, d / 8, 10, zero_query=zero)
        before = by_hand.scores(X, W)
        size = np.sqrt(np.mean(np.diag(by_hand.scores(X, V) - before) ** 2))
        assert close(size / page.size[name][1, column], 1, 1e-6)
        assert not close(size / page.size[other][1, column], 1, 1e-2)
        if not zero:
            assert close(page.size["before"][1, column], np.sqrt(np.mean(before**2)), 1e-6)
    # Each exponent between neighbours again, from the doublings of each seed.
    doublings = np.log2(page.size[name][:, 1:] / page.size[name][:, :-1])
    for place, found in enumerate(page.local[name]):
        assert close(found, mean_and_error(doublings[:, place]))


def test_random_movement_has_its_exact_size(recall, snippet):
    # E (Δq·k)² = |Δq|²|k|²/d in a random direction, and cross terms vanish.
    page = snippet("training/movement")
    column, d = 2, page.dims[2]
    expected = []
    for seed in page.seeds:
        (X, old), *_, (_, new) = recall.train(d, seed, d / 8, page.steps)
        (q, k), (Q, K) = ([X @ w.T for w in W] for W in (old, new))
        a, b, A, B = (np.sum(v**2, 1) for v in (q, k, Q - q, K - k))
        expected.append((np.outer(A, b) + np.outer(a, B) + np.outer(A, B)).mean() / d)
        assert close(page.length[seed, column], np.sqrt(A.mean() / d), 1e-6)
    ratio = page.size["random q, k"][:, column] ** 2 / np.array(expected)
    mean, error = mean_and_error(ratio)
    assert agrees(mean, 1, error, 6.5)
    assert not agrees(mean, d, error, 6.5), "if it were coherent"
    # It is as long as the trained one, so its slope differs from ½ by that of the length.
    (slope, error), (of_length, _) = page.fit["random q, k"], page.fit["length"]
    assert close(page.fit["length"], recall.exponent(page.dims, page.length))
    assert agrees(slope, 0.5 + of_length, error, 6)
    assert not agrees(slope, 1 + of_length, error, 6)
