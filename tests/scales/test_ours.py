"""Our row under the rivals: by the powers of two, and what it shows in rows that are drawn."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import close, mean_and_error

DIMS = [16, 64, 128]
LOGITS = {
    "undivided": lambda S, d, cosine: S,
    "÷ 8": lambda S, d, cosine: S / 8,
    "÷ log d": lambda S, d, cosine: S / math.log(d),
    "÷ √d": lambda S, d, cosine: S / math.sqrt(d),
    "÷ d": lambda S, d, cosine: S / d,
    "10 cos": lambda S, d, cosine: 10 * cosine,
}


@pytest.mark.parametrize("d", DIMS)
@pytest.mark.parametrize("name", LOGITS)
def test_weights_of_our_row(snippet, module, name, d):
    page, row = snippet("scales/ours"), module("common/our_row")
    powers, wrong = [], []
    for key in row.keys:
        score = sum(q * k for q, k in zip(row.query[:d], key[:d], strict=True))
        cosine = score / math.hypot(*row.query[:d]) / math.hypot(*key[:d])
        powers.append(2 ** (LOGITS[name](score, d, cosine) / math.log(2)))
        wrong.append(2 ** (LOGITS[name](score, 2 * d, 2 * cosine) / math.log(2)))
    assert close(page.weights[d][name], np.array(powers) / sum(powers))
    assert page.largest[name][d] == max(page.weights[d][name])
    if name not in ("undivided", "÷ 8"):  # those do not ask for d
        assert not close(page.weights[d][name], np.array(wrong) / sum(wrong), 1e-3)
    assert page.winner[d] == 1 + powers.index(max(powers))


def drawn(d, samples=2000):
    """Give the mean of the largest weight under each rival, over rows that are drawn."""
    rng = np.random.default_rng(d)
    q, k = rng.standard_normal((samples, d)), rng.standard_normal((samples, 32, d))
    S = np.einsum("sd,snd->sn", q, k)
    lengths = np.linalg.norm(q, axis=1, keepdims=True) * np.linalg.norm(k, axis=2)
    return {
        name: mean_and_error(softmax(logit(S, d, S / lengths), axis=1).max(axis=1))
        for name, logit in LOGITS.items()
    }


def test_what_our_row_shows_holds_on_average(snippet):
    """Under √d it is level but for the length of the query, and under the others it is not."""
    page = snippet("scales/ours")
    largest = {d: drawn(d) for d in DIMS}
    for name in LOGITS:
        means, errors = np.transpose([largest[d][name] for d in DIMS])
        ours = [page.largest[name][d] for d in DIMS]
        steps, error = np.diff(means), 4.5 * np.hypot(errors[1:], errors[:-1])
        if name == "÷ √d":
            assert np.all(abs(steps) < 0.02)
        else:
            assert np.all(abs(steps) > error)
            assert np.all(np.sign(steps) == np.sign(np.diff(ours)))
