"""Two hundred steps: trained again by another program."""

import numpy as np

from tests.tolerance import close
from tests.training import by_hand


def test_where_training_ends_by_another_program(recall, snippet):
    page = snippet("training/later")
    d, seed, steps = 16, 2, 200
    losses = {}
    for name, s in (("1/√d", 4), ("8/d", 2)):
        X, W = by_hand.train(recall, d, seed, s, steps)
        losses[name] = -np.log(np.diag(by_hand.probabilities(X, W, s))).mean()
        assert close(page.final_loss[name][seed, 0], losses[name], 1e-6)
    assert not close(losses["1/√d"], losses["8/d"], 1e-4)
    # The last scale.
    S = by_hand.scores(X, W)
    found = [np.sqrt(np.mean(np.diag(S) ** 2)), np.sqrt(np.mean(S**2))]
    assert close([page.at_right["8/d"][seed, 0], page.over_all["8/d"][-1, seed, 0]], found, 1e-6)
    assert not close(
        [page.at_right["8/d"][seed, 1], page.over_all["8/d"][-1, seed, 1]], found, 1e-2
    )
    for name, sizes in page.at_right.items():
        assert close(page.right[name], recall.exponent(page.dims, sizes))
        assert close(page.end[name], recall.exponent(page.dims, page.over_all[name][-1]))
    assert page.worst_loss == max(loss.max() for loss in page.final_loss.values())
    assert page.bound - 0.01 < page.worst_loss < page.bound
