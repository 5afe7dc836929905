"""The powers of d in the start and in the first step, for each divisor."""

from functools import cache

import numpy as np
from scipy import special

from tests.tolerance import agrees, close, mean_and_error
from tests.training import by_hand


def test_one_pair_in_the_model_moves_by_4_over_pi(snippet):
    page = snippet("training/no_scale")
    mean, error = mean_and_error(page.moves)
    assert close(page.alone, (mean, error))
    assert agrees(mean, 4 / np.pi * 0.1 * 256, error)
    assert close(page.formula, 4 / np.pi * 0.1 * 256)
    assert page.pairs == 16
    assert not agrees(mean, 2 / np.pi * 0.1 * 256, error), "one of the two only"


def test_a_batch_moves_each_pair_by_less(recall, snippet):
    # Where softmax is uniform, W_Q's gradient is Σ (k_t − mean of k) x_tᵀ. Its sign, averaged over
    # Gaussian x, is √(2/π) u_t/|u|, where |u|² is χ² with 15 degrees of freedom, as one is lost.
    mean_root = np.sqrt(2) * special.gamma(8) / special.gamma(7.5)  # E√χ²₁₅
    share = np.sqrt(np.pi / 2) * mean_root / 16
    d, moves = 128, []
    for seed in range(200, 212):
        (X, _), (_, new) = recall.train(d, seed, d / 8, 1, zero_query=True)
        moves.append(np.diag(recall.scores(X, new)).mean())
    mean, error = mean_and_error(moves)
    alone = 2 / np.pi * 0.1 * d  # the query alone
    assert agrees(mean, share * alone, error)
    assert not agrees(mean, alone, error), "one pair"
    assert not agrees(mean, np.sqrt(np.pi / 2) / 4 * alone, error), "√16 for the mean length"
    # From random queries, by the second program.
    page = snippet("training/no_scale")
    X, W = recall.init(256, 2)
    _, V = by_hand.train(recall, 256, 2, 256 / 8, 1)
    moved = np.diag(by_hand.scores(X, V) - by_hand.scores(X, W)).mean()
    assert close(page.shares[2], moved / (4 / np.pi * 0.1 * 256), 1e-6)
    assert close((page.share, page.share_error), mean_and_error(page.shares))


def test_the_start_and_a_step_of_adam_by_another_program(recall, snippet):
    # What the snippet leaves is of its last power.
    page = snippet("training/no_scale")
    d, s, seed = 32, 8 * 0.5**1.25, 3
    X, W = recall.init(d, seed)
    _, V = by_hand.train(recall, d, seed, s, 1)
    start, after = by_hand.scores(X, W) / s, by_hand.scores(X, V) / s
    found = [np.sqrt(np.mean(start**2)), np.sqrt(np.mean(np.diag(after - start) ** 2))]
    assert close([page.before[seed, 0], page.added[seed, 0]], found, 1e-6)
    assert not close([page.before[seed, 1], page.added[seed, 1]], found, 1e-2)
    for a in page.powers:  # a power of d divides both
        assert close(page.start[a][0], page.start[0][0] - a)
    assert close(page.movement[1.25], recall.exponent(page.dims, page.added))


def test_a_smaller_rate_keeps_the_step_too(recall, snippet):
    page = snippet("training/no_scale")
    d, seed = 32, 3
    X, W = recall.init(d, seed)
    for rate, right in ((0.1 * np.sqrt(2), True), (0.1, False)):
        _, V = by_hand.train(recall, d, seed, np.sqrt(d), 1, eta=rate)
        moved = np.diag(by_hand.scores(X, V) - by_hand.scores(X, W)) / np.sqrt(d)
        found = np.sqrt(np.mean(moved**2))
        assert close(page.of_slower[seed, 0], found, 1e-6) == right
    assert close(page.slower, recall.exponent(page.dims, page.of_slower))


def test_the_divisor_and_a_step_of_sgd(recall, snippet):
    # By the change of M = W_Qᵀ W_K in place of the weights.
    page = snippet("training/no_scale")
    begin = cache(recall.init)

    def step_of_sgd(seed, d, s, rate):
        """Give what a step moves: a logit at the right key, and a coordinate of q (rms)."""
        X, W = begin(d, seed)
        p = np.exp(recall.log_softmax(recall.scores(X, W) / s))
        G = X.T @ (p - np.eye(16)) @ X / 16
        step = rate / X.shape[1] / s
        XG, GX = X @ G, G @ X.T
        # X ΔM Xᵀ, with ΔM = −step (G W_KᵀW_K + W_QᵀW_Q G) + step² G Mᵀ G.
        change = -step * (XG @ W[1].T @ (W[1] @ X.T) + X @ W[0].T @ (W[0] @ GX))
        change += step**2 * (XG @ W[1].T) @ (W[0] @ GX)
        of_q = recall.rms(step * W[1] @ (X @ G).T)
        return recall.rms(np.diag(change)) / s, of_q

    def exponents(a, rate):
        sizes = [
            [step_of_sgd(seed, d, s := 8 * (d / 64) ** a, rate(s)) for d in page.dims]
            for seed in range(4)
        ]
        return [recall.exponent(page.dims, part) for part in np.moveaxis(sizes, -1, 0)]

    for a in (0.5, 1):
        logit, of_q = exponents(a, lambda s: 16)
        assert close([page.sgd[a], page.coordinate[a]], [logit, of_q], 1e-6)
        # With η like s/D the logit moves as with Adam, and coordinates move alike.
        logit, of_q = exponents(a, lambda s: 2 * s)
        assert abs(logit[0] - page.movement[a][0]) < 0.1 < abs(page.sgd[a][0] - page.movement[a][0])
        assert abs(of_q[0]) < 0.1 < abs(page.coordinate[a][0])
