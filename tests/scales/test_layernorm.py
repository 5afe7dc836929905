"""What LayerNorm gives each token, and what tokens without a fixed length would give."""

import numpy as np

from tests.tolerance import agrees, close, mean_and_error


def test_layernorm():
    x = np.random.default_rng(11).standard_normal((5, 32)) + 3
    v = x.var(axis=1)
    for epsilon in (0, 0.1):
        y = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(v + epsilon)[:, np.newaxis]
        assert close(y.sum(axis=1), 0)
        assert close(np.sum(y**2, axis=1), 32 * v / (v + epsilon))
        assert close(np.sum(y**2, axis=1), 32) == (epsilon == 0)
    uncentred = x / x.std(axis=1, keepdims=True)
    assert not close(np.sum(uncentred**2, axis=1), 32), "it must centre"
    rms = x / np.sqrt(np.mean(x**2, axis=1, keepdims=True))
    assert close(np.sum(rms**2, axis=1), 32)


def test_a_gaussian_token_with_itself():
    rng, D, d = np.random.default_rng(19), 8, 4
    x = rng.standard_normal((60_000, 1, D))
    W_Q, W_K = rng.standard_normal((2, 60_000, D, d)) / np.sqrt(D)
    score = np.sum((x @ W_Q) * (x @ W_K), axis=2)[:, 0]
    square, error = mean_and_error(score**2)
    assert agrees(square, d * (1 + 2 / D), error)
    assert not agrees(square, d, error)
