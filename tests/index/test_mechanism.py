"""The sums that spread and the one that climbs: by matrix products and a numerical gradient, with
another optimiser's step that fails."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, mean_and_error


def gradient(f, x, tiny=1e-6):
    """Give the gradient of f at x by central differences."""
    steps = tiny * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / (2 * tiny) for step in steps])


@pytest.fixture
def drawn(snippet):
    """Give the query and the keys that are shown, and the size of the step."""
    explore = snippet("index/mechanism").explore
    return explore["q"], explore["k"], explore["step"]


def after(q, k, meant, step, rule):
    """Raise a key's score by a step, whose direction a rule makes from the gradient."""
    along_q = rule(gradient(lambda x: x @ k[meant], q))
    along_k = rule(gradient(lambda x: q @ x, k[meant]))
    moved = k + step * np.outer(np.arange(len(k)) == meant, along_k)
    return q + step * along_q, moved


@pytest.mark.parametrize("d", [1, 16, 64, 128])
def test_where_the_walks_end(snippet, drawn, d):
    page = snippet("index/mechanism")
    q, k, step = drawn

    def adam(slope):
        return np.sign(np.round(slope, 6))

    trained = after(q, k, page.meant, step, adam)
    assert close(page.start[:, d - 1], k[:, :d] @ q[:d])
    assert close(page.trained[:, d - 1], trained[1][:, :d] @ trained[0][:d])
    gained = trained[0][:d] @ trained[1][page.meant, :d] - q[:d] @ k[page.meant, :d]
    assert close(page.added[d - 1], gained)
    by_slope = after(q, k, page.meant, step, np.asarray)
    assert not close(page.trained[:, d - 1], by_slope[1][:, :d] @ by_slope[0][:d], 1e-2)


def test_what_each_dimension_adds(snippet):
    page = snippet("index/mechanism")
    q, k = np.random.default_rng(1).standard_normal((2, 400_000))
    moved_q, moved_k = q + page.step * np.sign(k), k + page.step * np.sign(q)
    mean, error = mean_and_error(moved_q * moved_k - q * k)
    assert agrees(page.each, mean, error)
    assert agrees(page.gain_at_64, 64 * mean, 64 * error)
    assert not agrees(2 * page.step, mean, error), "the mean of |x| is not 1"
