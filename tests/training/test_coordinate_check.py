"""Losses and logits of the layer over twenty steps."""

from itertools import product

import numpy as np

from tests.tolerance import close
from tests.training import by_hand


def test_coordinate_check(recall, snippet):
    page = snippet("training/coordinate_check")
    plain, mup, zero = page.losses
    for name, table in page.losses.items():
        for step in (0, 10, 20):
            losses = [table[d][step] for d in page.dims]
            assert close(page.apart[name][step], max(losses) / min(losses) - 1)
        assert close(page.larger[name] * page.sizes[name][64][20], page.sizes[name][512][20])
    # At the start the divisors differ, by √(d/64), and the scores do not.
    for d in page.dims:
        assert not page.sizes[zero][d][0]
        assert close(page.sizes[mup][d][0], page.sizes[plain][d][0] * np.sqrt(64 / d))
    # Ten steps again, by the second program; the ends of each table are compared above.
    for d, (name, s) in product((128, 256), ((plain, np.sqrt), (mup, lambda d: d / 8))):
        runs = [by_hand.train(recall, d, seed, s(d), 10) for seed in (0, 1)]
        right = [np.log(np.diag(by_hand.probabilities(X, W, s(d)))) for X, W in runs]
        assert close(page.losses[name][d][10], -np.mean(right), 1e-6)
    # Twenty steps again, by the second program, for the narrowest model.
    for name, other, start in [(plain, zero, False), (mup, zero, False), (zero, plain, True)]:
        ends = []
        for seed in (0, 1):
            X, W = by_hand.train(recall, 64, seed, 8, 20, zero_query=start)
            logits = np.log(by_hand.probabilities(X, W, 8))
            ends.append((-np.diag(logits).mean(), np.sqrt(logits.var(axis=1).mean())))
        loss, size = np.mean(ends, axis=0)
        assert close([page.losses[name][64][20], page.sizes[name][64][20]], [loss, size], 1e-6)
        assert not close(page.losses[other][64][20], loss, 1e-2)
