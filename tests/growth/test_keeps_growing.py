"""Our row as it runs away: its gradients by a complex step, and its laws by arithmetic."""

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.tolerance import close

STEPS = 1000


def gradient(q, keys, meant, divisor):
    """Give the derivatives of ln(e^loss − 1), which has the loss's signs, by a complex step."""
    h, d = 1e-30, len(q)

    def height(queries, mine):
        scores = queries @ keys.T / divisor
        own = (queries * mine).sum(axis=-1) / divisor
        rest = np.delete(scores, meant, axis=-1) - own[..., np.newaxis]
        top = rest.real.max(axis=-1, keepdims=True)
        return np.log(np.exp(rest - top).sum(axis=-1)) + top[..., 0]

    turned = 1j * h * np.eye(d)
    by_q = height(q + turned, np.tile(keys[meant], (d, 1))).imag / h
    by_k = height(np.tile(q, (d, 1)), keys[meant] + turned).imag / h
    return by_q, by_k


def climb(row, divisor, together=True):
    """Give the logits before each step, one vector at a time or both."""
    q, keys, found = row.query[: row.d].copy(), row.keys[:, : row.d].copy(), []
    for _ in range(STEPS + 1):
        found.append(keys @ q / divisor)
        by_q, by_k = gradient(q, keys, row.meant, divisor)
        q = q - 0.01 * np.sign(by_q)
        if together:
            keys[row.meant] -= 0.01 * np.sign(by_k)
    return np.array(found)


@pytest.fixture
def row(module):
    return module("common/our_row")


@pytest.mark.parametrize("divisor", ["1", "√d", "d"])
def test_the_row_step_by_step(snippet, row, divisor):
    page = snippet("growth/keeps_growing")
    logits = climb(row, {"1": 1, "√d": 8, "d": 64}[divisor])
    mine, others = logits[:, row.meant], np.delete(logits, row.meant, axis=1)
    assert close(page.logit[divisor][: STEPS + 1], mine, 1e-9)
    assert close(page.lead[divisor][: STEPS + 1], mine - others.max(axis=1), 1e-9)
    loss = np.logaddexp(0, logsumexp(others, axis=1) - mine)
    assert np.all(np.diff(loss[loss > 1e-12]) < 0)
    right = np.flatnonzero(loss < -np.log(page.most))
    assert page.full[divisor] == right[0]
    assert close(page.at_dot[divisor], page.lead[divisor][right[0]])
    assert page.rate == 0.01
    assert (page.d, page.n_keys, page.steps) == (*row.keys[:, : row.d].shape[::-1], STEPS)
    for step in page.shown:
        assert close(page.weights[divisor][step][row.meant], np.exp(-loss[step]), 1e-9)
    alone = climb(row, 8, together=False)[:, row.meant]
    assert close(page.alone[: STEPS + 1], alone, 1e-9)
    assert not close(mine[-1], alone[-1], 0.1), "the key held still"


def test_late_it_grows_like_a_square_and_alone_in_proportion(snippet, row):
    page, k = snippet("growth/keeps_growing"), row.keys[row.meant, : row.d]
    for name, s in {"1": 1, "√d": 8, "d": 64}.items():
        # The size of each coordinate of q and k is rate × steps, and what it began with.
        second = np.diff(page.logit[name][::100], 2)[-1]
        assert abs(second * s / (2 * row.d) - 1) < 0.02
    # Alone, q moves along the meant key, but for coordinates in which the others' lead.
    alone = np.diff(page.alone)[-500:]
    assert 0.9 < alone[0] / (0.01 * abs(k).sum() / 8) <= 1
    assert np.ptp(alone) < 0.05 * alone[0], "no faster than in proportion"


def test_length_and_direction_make_the_logit(snippet):
    page = snippet("growth/keeps_growing")
    for step in (0, page.turned, page.last):
        product = page.length[step].prod() * page.cosine[step] / 8
        assert close(product, page.logit["√d"][step])
    lengths = page.length[page.last] / page.length[0]
    assert close(page.longer, np.exp(np.log(lengths).mean()))
    turned, began = page.cosine[page.last], page.cosine[0]
    assert close(page.logit["√d"][page.last], page.longer**2 * page.ceiling * turned)
    assert not close(page.logit["√d"][page.last], page.longer * page.ceiling * turned, 0.1)
    assert abs(began) < 0.05
