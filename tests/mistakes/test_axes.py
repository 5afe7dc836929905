"""A row's weights over the queries, and with a mask of nearly 0; and what is usual of both."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, mean_and_error


def attended(scores, place, code):
    """Give the weights of one query, key by key; scores are (queries, keys)."""
    found, n = [], len(scores)
    for j in range(n):
        late = j >= place
        if code == "queries":
            column = sum(np.exp(scores[i, j]) for i in range(j, n))
            found.append(0 if late else np.exp(scores[place - 1, j]) / column)
        else:
            hidden = 1.0 if code == "1e−9" else 0.0
            found.append(hidden if late else np.exp(scores[place - 1, j]))
    return np.array(found) / (1 if code == "queries" else sum(found))


def test_the_two_lines_by_other_code(snippet):
    axes = snippet("mistakes/axes")
    right = attended(axes.scores, axes.place, "right")
    assert close(axes.right, right)
    for name in axes.lines:
        assert close(axes.wrong[name], attended(axes.scores, axes.place, name), 1e-8)
        assert not close(axes.wrong[name], right, 1e-2)
    assert axes.future == pytest.approx(8 / (8 + np.exp(axes.scores[23, :24]).sum()))
    assert (axes.best, axes.most) == (right.argmax() + 1, pytest.approx(right.max()))


def test_it_is_our_row(snippet, module):
    axes, row = snippet("mistakes/axes"), module("common/our_row")
    assert close(axes.scores[axes.place - 1], row.scores() / 8)
    assert not close(axes.scores[axes.place], row.scores() / 8, 1e-2)


def test_the_newest_keys_usually_get_more(snippet):
    """Of n queries n − j ask for key j, so on average it gives each of them 1/(n − j)."""
    axes = snippet("mistakes/axes")
    n, rng = axes.n_keys, np.random.default_rng(3)
    rows = [
        attended(rng.standard_normal((n, n)), axes.place, "queries")[: axes.place]
        for _ in range(400)
    ]
    exact = 1 / (n - np.arange(axes.place))
    for part in (slice(axes.old), slice(axes.new, axes.place)):
        mean, error = mean_and_error(np.sum(np.array(rows)[:, part], axis=1))
        assert agrees(mean, exact[part].sum(), error)
        assert not agrees(mean, len(exact[part]) / axes.place, error)
