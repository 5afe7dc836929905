"""What the page derives of one step: each by drawing, or by finite differences."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, mean_and_error


def one_pair(rng, d, D):
    """Draw two tokens with x·x = D, weights of variance 1/D, and the pair's q and k."""
    x, y = rng.standard_normal((2, D))
    x, y = (a * np.sqrt(D) / np.linalg.norm(a) for a in (x, y))
    W = rng.standard_normal((2, d, D)) / np.sqrt(D)
    return x, y, W, W[0] @ x, W[1] @ y


def pair_gradient(x, y, W, s, label):
    """Differentiate ln(1 + e^{-±a}) by each weight, by finite differences; give g too."""

    def loss(V):
        return np.logaddexp(0, -label * (V[0] @ x) @ (V[1] @ y) / s)

    gradient = np.zeros_like(W)
    for place in np.ndindex(W.shape):
        h = np.zeros_like(W)
        h[place] = 1e-6
        gradient[place] = (loss(W + h) - loss(W - h)) / 2e-6
    a = (W[0] @ x) @ (W[1] @ y) / s
    return gradient, -label / (1 + np.exp(label * a))


@pytest.mark.parametrize("label", [1, -1])
def test_one_step_of_sgd_moves_q_along_k(label):
    rng = np.random.default_rng(6)
    d, D, s, eta = 5, 12, 2.0, 0.3
    x, y, W, q, k = one_pair(rng, d, D)
    gradient, g = pair_gradient(x, y, W, s, label)
    dq, dk = -eta * gradient[0] @ x, -eta * gradient[1] @ y
    assert close(dq, -eta * g * D / s * k, 1e-7)
    assert close(dk, -eta * g * D / s * q, 1e-7)
    assert not close(dq, -eta * g * D / s * q, 1e-7), "along itself"
    assert not close(dq, -eta * g / s * k, 1e-7), "without the length of x"
    assert np.sign((q + dq) @ (k + dk) - q @ k) == label


@pytest.mark.parametrize("label", [1, -1])
def test_one_step_of_adam_moves_q_by_the_signs_of_k(label):
    rng = np.random.default_rng(7)
    d, D, s, eta = 5, 12, 2.0, 0.3
    x, y, W, _, k = one_pair(rng, d, D)
    gradient, g = pair_gradient(x, y, W, s, label)
    dq = -eta / D * np.sign(gradient[0]) @ x
    assert close(dq, -eta * np.sign(g) * np.abs(x).sum() / D * np.sign(k))
    assert not close(dq, -eta * np.sign(g) * np.sign(k)), "without |x|₁/D"
    assert not close(dq / np.linalg.norm(dq), label * k / np.linalg.norm(k)), "along k exactly"


def test_adam_moves_the_score_by_4_over_pi_and_from_zero_queries_by_half_of_it():
    rng = np.random.default_rng(8)
    eta, D = 0.1, 400
    for d in (16, 64, 256):
        moves = []
        for _ in range(400):
            x, y, q, k = (rng.standard_normal(n) for n in (D, D, d, d))
            dq = -eta * np.abs(x).mean() * np.sign(k)
            dk = -eta * np.abs(y).mean() * np.sign(q)
            moves.append([(q + dq) @ (k + dk) - q @ k, dq @ k])
        mean, error = mean_and_error(moves)
        assert agrees(mean, np.array([-4, -2]) / np.pi * eta * d, error)
        assert not agrees(mean[::-1], np.array([-4, -2]) / np.pi * eta * d, error)
        assert not agrees(mean[0], -2 * np.sqrt(2 / np.pi) * eta * d, error[0]), "without |x|"
        assert not agrees(mean[0], -4 / np.pi * eta * np.sqrt(d), error[0]), "√d for d"


def test_mean_of_the_product_matrix_after_one_step():
    # E M' = −(2ηd/(Ds)) G with G fixed, and M' by two routes.
    rng = np.random.default_rng(9)
    d, D, s, eta = 6, 5, 2.0, 0.4
    G = rng.standard_normal((D, D))
    drawn = []
    for _ in range(40_000):
        Q, K = rng.standard_normal((2, d, D)) / np.sqrt(D)
        drawn.append((Q - eta / s * K @ G.T).T @ (K - eta / s * Q @ G))
    M = Q.T @ K
    formula = M - eta / s * (G @ K.T @ K + Q.T @ Q @ G) + (eta / s) ** 2 * G @ M.T @ G
    assert close(drawn[-1], formula)
    assert not close(drawn[-1], M - eta / s * (G @ K.T @ K + Q.T @ Q @ G))
    mean, error = mean_and_error(drawn)
    assert agrees(mean, -2 * eta * d / (D * s) * G, error)
    assert not agrees(mean, -eta * d / (D * s) * G, error)
    assert not agrees(mean, -2 * eta / (D * s) * G, error), "without d"


def test_the_first_error_shrinks_like_the_root_of_d_in_a_network():
    # ∂loss/∂a = p_j (v_j − o)·W_Oᵀ W_readoutᵀ (p − target), for four heads and muP's readout.
    rng = np.random.default_rng(10)
    dims, keys, size = [8, 16, 32, 64, 128], 8, {"muP": [], "standard": []}
    for d in dims:
        D = 4 * d
        for name, readout in (("muP", 1 / D), ("standard", D**-0.5)):
            found = []
            for _ in range(40):
                v = rng.standard_normal((keys, d))
                W_O = rng.standard_normal((D, d)) / np.sqrt(D)
                wrong = np.eye(50)[0] - 1 / 50
                behind = W_O.T @ (readout * rng.standard_normal((D, 50)) @ wrong)
                found.append((v - v.mean(axis=0)) @ behind / keys)
            size[name].append(np.sqrt(np.mean(np.square(found))))
    slope = {name: np.polyfit(np.log(dims), np.log(sizes), 1)[0] for name, sizes in size.items()}
    assert abs(slope["muP"] + 0.5) < 0.06
    assert abs(slope["standard"] + 0.5) > 0.3, "a readout that is not μP's"


def test_zero_queries(recall):
    # In the first step the right pair moves by μd, and all sixteen scores by noise of variance vd.
    # With u = k less the mean of all k: μ = 15/16 · E[u²/|u|²]^{1/2}, about √15/16, and v = 1/16.
    # Less its mean, a row has mean square ∝ 16/15 μ²d² + 15 vd, so its size is like √(d² + 15 d).
    dims = np.array([16, 32, 64, 128])
    bend = recall.exponent(dims, [np.sqrt(1 + 15 / dims)] * 2)[0]
    size = np.empty((6, len(dims)))
    for seed, column in np.ndindex(size.shape):
        d = dims[column]
        (_, old), (X, W) = recall.train(d, seed, d / 8, 1, zero_query=True)
        size[seed, column] = recall.rms(recall.logits(X, W, d / 8))
        assert close(W[1], old[1])  # the keys wait
    slope, error = recall.exponent(dims, size)
    assert agrees(slope, bend, error, 6)
    assert not agrees(slope, 0, error, 6), "not quite flat"
    assert not agrees(slope, bend - 0.5, error, 6)
