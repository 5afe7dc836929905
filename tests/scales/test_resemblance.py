"""Tokens that resemble each other, with tokens and weights as they are."""

import math

import numpy as np
import pytest

from tests.scales.draws import N, tokens
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("cosine", [0.0, 0.5, 0.9])
def test_resemblance(snippet, cosine):
    page, rng = snippet("scales/resemblance"), np.random.default_rng(12)
    D, d, n = 64, 16, 32
    x = tokens(cosine, n, D)
    assert close(x @ x.T / D, cosine + (1 - cosine) * np.eye(n))
    assert close(x.sum(axis=1), 0)
    within, about_0 = [], []
    for _ in range(1200):
        W_q, W_k = rng.standard_normal((2, d, D)) / np.sqrt(D)
        row = x @ W_k.T @ (W_q @ x[0]) / np.sqrt(d)
        within.append(np.var(row, ddof=1))
        about_0.append(np.mean(row**2))
    mean, error = mean_and_error(np.array(within))
    assert agrees(mean, page.spread[cosine] ** 2, error)
    assert not agrees(mean / d, page.spread[cosine] ** 2, error / d), "d for √d"
    if cosine:
        assert not agrees(mean, 1, error), "unit variance"
    mean, error = mean_and_error(np.array(about_0))
    assert agrees(mean, 1, error)


def test_effective_keys_of_similar_tokens(snippet, other):
    page = snippet("scales/resemblance")
    assert page.n_keys == N
    for c, keys in page.effective.items():
        assert close(keys / other.participation(N, math.sqrt(1 - c)), 1, 1e-6)
        assert not close(keys / other.participation(N, 1 - c), 1, 1e-6) or c == 0
