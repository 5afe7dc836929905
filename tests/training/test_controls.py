"""Ten settings of the layer: each is trained again by another program."""

import numpy as np

from tests.tolerance import close, mean_and_error
from tests.training import by_hand


def test_each_control_by_another_program(recall, snippet):
    page = snippet("training/controls")
    seed, column, d = 1, 0, page.dims[0]
    for name, (power, how) in page.settings.items():
        start = {key: how[key] for key in how.keys() & {"zero_query", "width", "cosine"}}
        X, W = recall.init(d, seed, **start)
        for drawn in how.keys() & {"labels", "batch"}:
            how = how | {drawn: np.random.default_rng([seed, d, 2])}
        _, V = by_hand.train(recall, d, seed, 8 * (d / 64) ** power, page.steps, **how)
        moved = by_hand.scores(X, V) - by_hand.scores(X, W)
        found = [np.sqrt(np.mean(np.diag(moved) ** 2)), np.sqrt(np.mean(moved**2))]
        found.append(np.sqrt(np.mean(moved.var(axis=1))))
        # The row of this name has these sizes, in single precision, and no other row has.
        same = [row for row in page.size if close(page.size[row][:, seed, column], found, 2e-5)]
        assert same == [name]


def test_each_exponent_is_of_its_own_sizes(snippet):
    page = snippet("training/controls")
    for place, kind in enumerate([page.right_key, page.all_pairs, page.less_mean]):
        for name, found in kind.items():
            again = [
                np.polyfit(np.log2(page.dims), np.log2(each).T, 1)[0] for each in page.size[name]
            ]
            assert close(found, mean_and_error(again[place]))
            assert not close(found, mean_and_error(again[place - 1]))
