"""Steps that get shorter: Adam's averages as sums over all past gradients."""

import numpy as np
import pytest
from scipy.special import log_softmax

from tests.tolerance import close

STEPS = 120


def loss(q, keys, meant):
    """Give −ln of the meant key's weight."""
    return -log_softmax(keys @ q / 8)[meant]


def gradient(q, keys, meant):
    """Give the derivatives by central differences."""
    h, d = 1e-5, len(q)
    moved = keys.copy()
    found = np.empty((2, d))
    for i, e in enumerate(h * np.eye(d)):
        found[0, i] = loss(q + e, keys, meant) - loss(q - e, keys, meant)
        moved[meant] = keys[meant] + e
        up = loss(q, moved, meant)
        moved[meant] = keys[meant] - e
        found[1, i] = up - loss(q, moved, meant)
    return found / (2 * h)


def climb(row, rate, b=None, corrected=True):
    """Give the lead after STEPS steps, by the gradient or, with b, by Adam."""
    q, keys = row.query[: row.d].copy(), row.keys[:, : row.d].copy()
    past = []
    for t in range(1, STEPS + 1):
        past.append(gradient(q, keys, row.meant))
        step = past[-1]
        if b is not None:
            old = np.arange(t)[::-1, np.newaxis, np.newaxis]
            first, second = 0.9**old, b**old
            if corrected:
                first, second = first / first.sum(), second / second.sum()
            else:
                first, second = 0.1 * first, (1 - b) * second
            size = np.sqrt((second * np.square(past)).sum(0))
            step = (first * past).sum(0) / (size + 1e-8)
        q = q - rate * step[0]
        keys[row.meant] -= rate * step[1]
    scores = keys @ q / 8
    return scores[row.meant] - np.delete(scores, row.meant).max()


@pytest.fixture
def row(module):
    return module("common/our_row")


def test_step_by_step(snippet, row):
    page = snippet("growth/slower")
    assert close(page.lead["gradient"][STEPS], climb(row, page.plain), 1e-4)
    for name, b in {"Adam, 20": 0.95, "Adam, 1000": 0.999}.items():
        assert close(page.lead[name][STEPS], climb(row, page.rate, b), 1e-3), name
    wrong = climb(row, page.rate, 0.999, corrected=False)
    assert not close(page.lead["Adam, 1000"][STEPS], wrong, 1e-2), "averages that begin at 0"


def test_steps_of_one_length_are_those_of_the_other_figure(snippet):
    page, other = snippet("growth/slower"), snippet("growth/keeps_growing")
    n = page.steps + 1
    assert close(page.lead["sign"], other.lead["√d"][:n], 1e-9)
    assert page.full["sign"] == other.full["√d"]


def test_without_end_the_gradients_lead_grows_like_a_logarithm(snippet):
    """The gradient falls like e^−lead: the lead gains about as much with each doubling."""
    lead = snippet("growth/slower").lead["gradient"]
    gains = lead[[400, 800]] - lead[[200, 400]]
    assert abs(gains[1] / gains[0] - 1) < 0.25
    signs = snippet("growth/slower").lead["sign"]
    assert not abs((signs[800] - signs[400]) / (signs[400] - signs[200]) - 1) < 0.25
