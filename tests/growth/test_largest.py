"""The largest of n logits: by quantiles and by draws; the room that the weights leave."""

import numpy as np
from scipy import integrate, stats

from tests.tolerance import agrees, close, mean_and_error


def mean_maximum(n):
    """Average the quantile of the largest: with y exponential, all lie below it by e^{−y/n}."""

    def quantile(y):
        return np.exp(-y) * stats.norm.isf(-np.expm1(-y / n))

    return sum(integrate.quad(quantile, *ends)[0] for ends in [(0, 1e-3), (1e-3, 1), (1, 60)])


def test_the_largest_gaussian(snippet):
    page = snippet("growth/largest")
    for n in page.keys:
        assert close(page.row[n], mean_maximum(n), 1e-3)
        assert close(page.rows[n], mean_maximum(n**2), 1e-3)
        assert not close(page.rows[n], mean_maximum(n), 1e-1)
    assert close(page.of_batch, mean_maximum(1e12), 1e-3)
    assert close(page.tail * stats.norm.ppf(0.75), page.of_batch)


def test_the_largest_product(snippet):
    page, rng = snippet("growth/largest"), np.random.default_rng(0)
    for n, draws in ((64, 4000), (4096, 400)):
        a, b = np.sort(rng.standard_normal((2, draws, n)))
        mean, error = mean_and_error(np.maximum(a[:, -1] * b[:, -1], a[:, 0] * b[:, 0]))
        assert agrees(mean, page.direction[n], error)
        one_end, error = mean_and_error(a[:, -1] * b[:, -1])
        assert not agrees(one_end, page.direction[n], error), "the lower ends forgotten"


def test_room(snippet):
    page = snippet("growth/largest")
    W = np.random.default_rng(0).standard_normal((page.d, page.D)) / np.sqrt(page.D)
    assert close(page.norm, 1 + 2**-2.5)
    assert 0 < page.norm - np.linalg.norm(W, 2) < 0.02, "a limit, from below"
    assert not np.linalg.norm(W) < 2 * page.norm, "the Frobenius norm"
    assert close(page.room, (page.D**0.5 + page.d**0.5) ** 2 / page.d**0.5)
    # Two numbers of one size, a small step on each: the product moves by twice size and step.
    size = np.array([1, 1000]) ** 0.5
    moved = (size + 1e-6) ** 2 - size**2
    assert close(page.moved / page.step, moved[1] / moved[0], 1e-4)
    assert close(np.log(page.times), page.moved)


def test_what_clamped_numbers_leave_room_for(snippet):
    """All numbers of q and of k at the clamp, divided by the root."""
    page = snippet("growth/largest")
    q = k = np.full(page.heads_of, page.clamp)
    assert close(page.clamped, q @ k / np.sqrt(page.heads_of))
    assert not close(page.clamped, q @ k / page.heads_of, 0.1), "d for √d"
