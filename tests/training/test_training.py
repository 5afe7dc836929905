"""The size of logits at the start and after each step, by the second program."""

import numpy as np
import pytest

from tests.tolerance import close
from tests.training import by_hand

DIVISORS = [lambda d: 1, np.sqrt, lambda d: d]


@pytest.mark.parametrize("d", [16, 32])
def test_the_logits_by_another_program(recall, snippet, d):
    table = snippet("training/training").explore
    column = table["dims"].index(d)

    def sizes(divisor, zero, steps):
        """Give the logits at the start, and the change at the right key, as means of two seeds."""
        begin, added = [], []
        for seed in (0, 1):
            X, W = recall.init(d, seed, zero_query=zero)
            _, V = by_hand.train(recall, d, seed, divisor, steps, zero_query=zero)
            before, after = by_hand.scores(X, W) / divisor, by_hand.scores(X, V) / divisor
            begin.append(np.sqrt(np.mean(before**2)))
            added.append(np.sqrt(np.mean(np.diag(after - before) ** 2)))
        return np.mean(begin), np.mean(added)

    rounded = 0.006  # three digits
    for i, divisor in enumerate(DIVISORS):
        for j, zero in enumerate((False, True)):
            for steps in (1, 4, 10):
                start, added = sizes(divisor(d), zero, steps)
                assert close(table["added"][i, j, column, steps], added, rounded)
                assert not close(table["added"][i, j, column, steps - 1], added, rounded)
                assert not close(table["added"][i, 1 - j, column, steps], added, rounded)
            assert close(0 if zero else table["start"][i, column], start, rounded)
            assert not np.any(table["added"][i, j, :, 0])
