"""What a step does to our row: by a numerical gradient, and to rows whose query has any length."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import agrees, close, is_median, mean_and_error


@pytest.fixture
def page(snippet):
    return snippet("training/stepped")


def stepped(page, row, rule, tiny=1e-6):
    """Move the query and the meant key along the slope of their score, as a rule makes of it."""
    q, k = row.query, row.keys[row.meant]
    slope = [np.array([(at(e) - at(-e)) / (2 * tiny) for e in tiny * np.eye(len(q))]) for at in
             (lambda e: (q + e) @ k, lambda e: q @ (k + e))]  # fmt: skip
    along_q, along_k = (page.step * rule(np.round(each, 6)) for each in slope)
    keys = row.keys.copy()
    keys[row.meant] = k + along_k
    return q + along_q, keys


def test_our_row(page, module):
    row = module("common/our_row")
    (q, k), (other_q, other_k) = (stepped(page, row, rule) for rule in (np.sign, np.asarray))
    for d in page.dims:
        before, after = row.scores(d), k[:, :d] @ q[:d]
        by = np.sqrt(d)
        gain = after[row.meant] - before[row.meant]
        assert close(page.gain[d], gain)
        assert close(page.times[d], np.exp(after / by)[row.meant] / np.exp(before / by)[row.meant])
        assert close(page.share[d], np.exp(after / by)[row.meant] / np.exp(after / by).sum())
        by_slope = other_k[:, :d] @ other_q[:d] - before
        assert not close(page.gain[d], by_slope[row.meant], 1e-2), "gradient descent"


def test_noise_and_step(page):
    """Each product gains a step times |q| and one times |k|; the signs of the rest are random."""
    rng = np.random.default_rng(4)
    for d, strays, adds, over in page.parts[:3]:
        q, k = rng.standard_normal((2, 20_000, d))
        score = np.sum(q * k, axis=1)
        added = np.sum((q + page.step * np.sign(k)) * (k + page.step * np.sign(q)), axis=1) - score
        mean, error = mean_and_error(added)
        assert agrees(adds, mean, error)
        assert agrees(strays**2, *mean_and_error(score**2))
        assert close(over, adds / strays)
        assert not agrees(2 * page.step * d, mean, error), "the mean of |x| is not 1"
    assert close(page.parts[-1][1:3], [1024**0.5, 16 * page.parts[1][2]])


def test_the_usual_share(page):
    """Given the query after the step, its length is the spread of the other scores."""
    rng, n, c = np.random.default_rng(9), 40_000, page.step
    for d in page.dims:
        shares = []
        for step in (c, c / 2):
            q, k = rng.standard_normal((2, n, d))
            moved = q + step * np.sign(k)
            score = np.sum(moved * (k + step * np.sign(q)), axis=1)
            length = np.linalg.norm(moved, axis=1)
            noise = length[:, np.newaxis] * rng.standard_normal((n, page.n_keys - 1))
            shares.append(softmax(np.column_stack([score, noise]) / d**0.5, axis=1)[:, 0])
        assert is_median(page.usual[d], shares[0], page.rows)
        assert not is_median(page.usual[d], shares[1], page.rows), "half the step"
