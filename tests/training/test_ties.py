"""How far weights move: by moving scores a little; and in the mean of many rows, by an integral."""

import numpy as np
from scipy import integrate, stats
from scipy.special import softmax

from tests.tolerance import agrees, close


def moved(scores, by, tiny=1e-5):
    """Give for each key how far its weight moves, by differences."""
    z = scores / by
    up, down = (softmax(z + s * np.eye(len(z)), axis=1).diagonal() for s in (tiny, -tiny))
    return (up - down) / (2 * tiny)


def test_our_row(snippet, module):
    page, row = snippet("training/ties"), module("common/our_row")
    for name, by in [("undivided", 1), ("÷ √d", 8)]:
        for bars, query in zip(page.shown[name], page.queries, strict=False):
            scores = row.keys[:, : row.d] @ query
            assert close(bars, moved(scores, by), 1e-7)
            assert not close(bars, moved(scores, 2 * by), 1e-3)
        assert close(page.ours[name], page.shown[name][0][row.meant])
    assert close(page.queries[0], row.query[:64])


def mean_of_a_row(d, by, n=32):
    """Give E p(1−p), for a query whose length varies and n − 1 other keys that are Gaussian.

    E Σp² by an integral: 1/(Σe)² = ∫ t e^{−tΣe} dt.
    """

    def given(spread):
        g = np.linspace(-9, 9, 1801)
        weight = stats.norm.pdf(g) * (g[1] - g[0])
        z = spread * g

        def inside(u):
            t = np.exp(u)
            fall = np.exp(-np.minimum(t * np.exp(z), 700))
            one, two = weight @ fall, weight @ (np.exp(2 * z) * fall)
            return t**2 * two * one ** (n - 1)

        top = 2 + 9 * spread
        square = integrate.quad(inside, -top - 9 * spread, 12, limit=400, epsabs=1e-9)[0]
        return 1 / n - square

    lengths = np.sqrt(stats.chi2.ppf((np.arange(24) + 0.5) / 24, d))
    return np.mean([given(length / by) for length in lengths])


def test_the_mean_of_many_rows(snippet):
    page = snippet("training/ties")
    for name, by in [("undivided", 1), ("÷ √d", 8)]:
        exact = mean_of_a_row(page.d, by)
        bars = page.shown[name][-1]
        error = bars.std(ddof=1) / np.sqrt(len(bars))
        assert agrees(page.means[name], exact, error + 0.003 * exact)
        assert not agrees(page.means[name], mean_of_a_row(page.d, 1.5 * by), error)
    assert close(page.left, page.means["undivided"] / page.means["÷ √d"])
