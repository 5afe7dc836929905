"""First steps of Adam: by taking them, with weights that are drawn."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("d", [64, 256])
def test_how_far_the_first_step_goes(snippet, d):
    """Each weight moves by one rate, up the score of one pair: ΔW = rate · sign(gradient)."""
    rng = np.random.default_rng(d)
    width, rate, ratios = 256, 1e-4, []
    for _ in range(40):
        x, y = rng.standard_normal((2, width))
        W_q, W_k = rng.standard_normal((2, d, width)) / np.sqrt(width)
        change = {}
        for in_weights in (False, True):
            A, divisor = (W_q / np.sqrt(d), 1) if in_weights else (W_q, np.sqrt(d))
            step_q = rate * np.sign(np.outer(W_k @ y, x))
            step_k = rate * np.sign(np.outer(A @ x, y))
            parts = (step_q @ x) @ (W_k @ y) + (A @ x) @ (step_k @ y)  # to first order
            change[in_weights] = parts / divisor
        ratios.append(change[True] / change[False])
    mean, error = mean_and_error(np.array(ratios))
    farther = snippet("questions/steps").farther[d]
    assert agrees(mean, farther, error)
    assert not agrees(mean, np.sqrt(d), error), "only one of the two matrices has the root"


@pytest.mark.parametrize("rank", [4, 16])
def test_loras_first_step_does_not_depend_on_its_rank(snippet, rank):
    result, rng, moved = snippet("questions/steps"), np.random.default_rng(rank), []
    width, d = 512, result.head
    for _ in range(400):
        x = rng.standard_normal(width)
        x *= np.sqrt(width) / np.linalg.norm(x)
        k = rng.standard_normal(d)
        A = rng.uniform(-1, 1, (rank, width)) / np.sqrt(width)
        B = result.eta * np.sign(np.outer(k, A @ x))  # after one step of Adam, from 0
        moved.append(result.alpha / rank * (B @ (A @ x)) @ k / np.sqrt(d))
    mean, error = mean_and_error(np.array(moved))
    # (A x)_j is a sum of 512 uniform numbers, Gaussian to a thousandth.
    assert agrees(mean, result.lora, error + 1e-3 * result.lora)
    assert not agrees(mean, result.lora / np.sqrt(rank), error), "not with α/√r"


def test_a_learned_factor_follows_its_own_rate(snippet):
    """By another program, with numerical derivatives of the loss for the factor."""
    result = snippet("questions/steps")
    for rate, end in result.learned.items():
        rng = np.random.default_rng(0)
        X = np.sqrt(256) * np.linalg.qr(rng.standard_normal((256, 16)))[0].T
        W, a = rng.standard_normal((2, 64, 256)) / 16, 1.0
        moments = {name: [0.0, 0.0] for name in "Wa"}

        def loss(W, a, X=X):
            z = a * (X @ W[0].T) @ (X @ W[1].T).T / 8
            z = z - z.max(axis=1, keepdims=True)
            return (np.log(np.exp(z).sum(axis=1)) - np.diag(z)).mean()

        for step in range(1, 200):
            Q, K = X @ W[0].T, X @ W[1].T
            z = a * Q @ K.T / 8
            p = np.exp(z - z.max(axis=1, keepdims=True))
            g = (p / p.sum(axis=1, keepdims=True) - np.eye(16)) / 16
            slope = (loss(W, a + 1e-6) - loss(W, a - 1e-6)) / 2e-6
            gradient = {"W": np.stack([(g @ K).T @ X, (g.T @ Q).T @ X]) * a / 8, "a": slope}
            steps = {}
            for name, each in gradient.items():
                m, v = moments[name]
                m, v = 0.9 * m + 0.1 * each, 0.999 * v + 0.001 * each**2
                moments[name] = [m, v]
                steps[name] = m / (1 - 0.9**step) / np.sqrt(v / (1 - 0.999**step) + 1e-60)
            W, a = W - 0.01 / 256 * steps["W"], a - rate * steps["a"]
        assert close(a, end, 0.02)
    assert result.learned[0.01] > 1.5 * result.learned[0.001]
