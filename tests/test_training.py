"""The claims of docs/training.md: each by a second route, each with a wrong variant that fails."""

from functools import cache

import numpy as np
import pytest
from scipy import integrate, special, stats

from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture(scope="module")
def recall(module):
    return module("training/recall")


# The model


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("random_labels", [False, True])
def test_gradients_by_finite_differences(recall, which, random_labels):
    d, s = 8, 2.5
    X, W = recall.init(d, 0, cosine=0.4)
    rng = np.random.default_rng(1)
    target = rng.multinomial(4, np.full(16, 1 / 16), 16) / 4 if random_labels else recall.RIGHT
    direction = rng.standard_normal(W[which].shape)

    def shifted(h):
        V = [*W]
        V[which] = V[which] + h * direction
        return recall.loss(X, V, s, target)

    measured = (shifted(1e-5) - shifted(-1e-5)) / 2e-5
    exact = recall.gradients(X, W, s, target)

    def holds(gradient):
        return close(np.sum(gradient * direction), measured, 1e-7)

    assert holds(exact[which])
    assert not holds(exact[1 - which]), "the other weight's"
    assert not holds(exact[which] * s), "without the divisor"
    assert not holds(-exact[which])


def test_loss_is_the_mean_over_sequences(recall):
    # Play the game: shuffle keys and values, ask, and read the probability of the right value.
    d, s = 8, 3.0
    X, W = recall.init(d, 3)
    rng = np.random.default_rng(2)
    totals = []
    for asked in range(16):
        keys, values = rng.permutation(16), rng.permutation(16)
        a = np.array([(W[0] @ X[asked]) @ (W[1] @ X[key]) / s for key in keys])
        p = np.exp(a) / np.exp(a).sum()
        answer = np.zeros(16)
        answer[values] += p  # one-hot values, mixed by attention
        totals.append(-np.log(answer[values[keys == asked][0]]))
    assert close(np.mean(totals), recall.loss(X, W, s))
    assert not close(np.mean(totals), recall.loss(X, W, 1))


def test_a_batch_is_the_mean_over_its_sequences(recall):
    X, W = recall.init(8, 4, cosine=0.2)
    drawn = [3, 3, 7, 12]
    asked = np.bincount(drawn, minlength=16)[:, np.newaxis] * 16 / 4
    # One sequence that asks for `row`: no other query has a share in its loss.
    alone = [recall.gradients(X, W, 2.0, asked=16 * np.eye(16)[:, [row]]) for row in range(16)]
    mean = [np.mean([alone[row][i] for row in drawn], axis=0) for i in (0, 1)]
    every = [np.mean([one[i] for one in alone], axis=0) for i in (0, 1)]
    for i in (0, 1):
        assert close(recall.gradients(X, W, 2.0, asked=asked)[i], mean[i])
        assert close(recall.gradients(X, W, 2.0)[i], every[i])
        assert not close(mean[i], every[i], 1e-2)


@pytest.mark.parametrize("cosine", [0, 0.3, 0.9])
def test_start(recall, cosine):
    for d, width in ((16, None), (64, None), (16, 200)):
        X, W = recall.init(d, 0, cosine=cosine, width=width)
        D = width or 4 * d
        assert X.shape == (16, D)
        lengths = np.linalg.norm(X, axis=1)
        angles = X @ X.T / np.outer(lengths, lengths)
        assert close(lengths**2, D)
        assert close(angles[~np.eye(16, dtype=bool)], cosine)  # at every width
        assert not close(angles[~np.eye(16, dtype=bool)], 1 - cosine)
        assert agrees(np.mean(W[0] ** 2), 1 / D, np.sqrt(2 / W[0].size) / D)
    assert not recall.init(16, 0, zero_query=True)[1][0].any()


def adam_by_hand(recall, d, seed, s, steps, labels=None, batch=None, eta=0.1, **how):
    """Train as the textbook says, one flat vector of weights, moments kept as sums."""
    X, W = recall.init(d, seed, **how)
    w, history, target = np.concatenate([a.ravel() for a in W]), [], np.eye(16)
    asked = np.full(16, 1 / 16)
    for t in range(1, steps + 1):
        if labels is not None:  # each query type tosses for its keys, four times
            target = np.stack([labels.multinomial(4, [1 / 16] * 16) for _ in range(16)]) / 4
        if batch is not None:  # four sequences, each asks for one key
            asked = batch.multinomial(4, [1 / 16] * 16) / 4
        V = w.reshape(2, d, -1)
        q, k = np.einsum("iad,td->ita", V, X)
        a = np.einsum("ta,ua->tu", q, k) / s
        p = np.exp(a) / np.exp(a).sum(axis=1)[:, np.newaxis]
        error = np.diag(asked) @ (p - target) / s
        grads = np.einsum("tu,ua,td->ad", error, k, X), np.einsum("tu,ta,ud->ad", error, q, X)
        history.append(np.concatenate([a.ravel() for a in grads]))
        m = sum(0.1 * 0.9 ** (t - 1 - i) * g for i, g in enumerate(history)) / (1 - 0.9**t)
        v = sum(0.001 * 0.999 ** (t - 1 - i) * g**2 for i, g in enumerate(history))
        # A weight without a gradient yet, m = v = 0, stays where it is.
        w = w - eta / X.shape[1] * m / np.sqrt(np.where(v > 0, v, 1) / (1 - 0.999**t))
    return X, w.reshape(2, d, -1)


def test_adam_by_a_second_program(recall):
    *_, (_, W) = recall.train(16, 5, 2.0, 6)
    assert close(adam_by_hand(recall, 16, 5, 2.0, 6)[1], W, 1e-6)
    assert not close(adam_by_hand(recall, 16, 5, 2.0, 5)[1], W, 1e-6)
    assert not close(adam_by_hand(recall, 16, 5, 4.0, 6)[1], W, 1e-6)


def test_exponent_and_its_error(recall):
    rng = np.random.default_rng(4)
    dims = np.array([16, 32, 64, 128, 256])
    estimates = []
    for _ in range(400):
        noisy = dims**0.8 * np.exp(0.1 * rng.standard_normal((8, 5)))
        estimates.append(recall.exponent(dims, noisy))
    slopes, errors = np.transpose(estimates)
    assert agrees(slopes.mean(), 0.8, slopes.std() / 20)
    assert not agrees(slopes.mean(), 0.85, slopes.std() / 20)
    # The error that it states is the scatter that it has; √(mean square) is unbiased for it.
    assert agrees(np.mean(errors**2) / slopes.var(), 1, np.sqrt(2 / 400 * (1 + 1 / 7)))
    assert not agrees(8 * np.mean(errors**2) / slopes.var(), 1, 8 * np.sqrt(2 / 400 * (1 + 1 / 7)))


# One step


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


def test_adam_moves_the_score_by_4_over_pi():
    rng = np.random.default_rng(8)
    eta, D = 0.1, 400
    for d in (16, 64, 256):
        moves = []
        for _ in range(400):
            x, y, q, k = (rng.standard_normal(n) for n in (D, D, d, d))
            dq = -eta * np.abs(x).mean() * np.sign(k)
            dk = -eta * np.abs(y).mean() * np.sign(q)
            moves.append((q + dq) @ (k + dk) - q @ k)
        mean, error = mean_and_error(moves)
        assert agrees(mean, -4 / np.pi * eta * d, error)
        assert not agrees(mean, -2 / np.pi * eta * d, error), "one of the two only"
        assert not agrees(mean, -2 * np.sqrt(2 / np.pi) * eta * d, error), "without the mean of |x|"
        assert not agrees(mean, -4 / np.pi * eta * np.sqrt(d), error), "√d for d"


def test_one_pair_in_the_model_moves_by_4_over_pi(recall, snippet):
    page = snippet("training/no_scale")
    assert agrees(page.alone_mean, page.alone_law, page.alone_error)
    assert not agrees(page.alone_mean, page.alone_law / 2, page.alone_error), "one of the two only"
    assert not agrees(page.alone_mean, page.share * page.alone_law, page.alone_error), (
        "as in a batch"
    )
    assert close((page.alone_mean, page.alone_error), mean_and_error(page.alone))
    assert close(page.alone_law, 4 / np.pi * page.eta * page.d)
    # A target that differs from the weights at one pair leaves that pair's gradient alone.
    d, eta, s, moves = 64, 0.1, 8.0, []
    for seed in range(40):
        X, W = recall.init(d, seed)
        p = np.exp(recall.log_softmax(recall.scores(X, W) / s))
        for pair in [(0, 1), (2, 2), (5, 3), (9, 14)]:
            target = p.copy()
            target[pair] += 0.3
            g = recall.gradients(X, W, s, target)
            new = [w - eta / X.shape[1] * np.sign(a) for w, a in zip(W, g, strict=True)]
            moves.append((recall.scores(X, new) - recall.scores(X, W))[pair])
    mean, error = mean_and_error(moves)
    assert agrees(mean, 4 / np.pi * eta * d, error)
    assert not agrees(mean, 2 / np.pi * eta * d, error)
    assert not agrees(mean, 0.3 * 4 / np.pi * eta * d, error), "as in a batch"


def test_a_batch_moves_each_pair_by_less(recall, snippet):
    # Where softmax is uniform, W_Q's gradient is Σ (k_t − mean of k) x_tᵀ. Its sign, averaged over
    # Gaussian x, is √(2/π) u_t/|u|, where |u|² is χ² with 15 degrees of freedom, as one is lost.
    page = snippet("training/no_scale")
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
    # From random queries the same up to what the start does to softmax; by other seeds:
    d, drawn = page.dims[-1], []
    for seed in range(100, 103):
        X, W = recall.init(d, seed)
        _, V = adam_by_hand(recall, d, seed, d / 8, 1)
        moved = np.diag(recall.scores(X, V) - recall.scores(X, W)).mean()
        drawn.append(moved / (4 / np.pi * page.eta * d))
    # Seven seeds in all: Student's t with five degrees of freedom.
    assert agrees(np.mean(drawn), page.share, page.share_error * np.sqrt(1 + 4 / 3), 8)
    assert not agrees(np.mean(drawn), 1.05 * page.share, page.share_error * np.sqrt(1 + 4 / 3), 8)


def test_first_step(snippet):
    page = snippet("training/first_step")
    exact = {
        # E S², S = Σ of independent terms: d·variance + (d·mean)², of one term.
        "q·k": lambda d, c: d,
        "SGD": lambda d, c: d * (2 * c**2 * 2 + c**4) + (2 * c * d) ** 2,
        "random step": lambda d, c: d * (2 * c**2 + c**4),
    }
    for name, law in exact.items():
        squares = page.size[name] ** 2
        mean, error = mean_and_error(squares)
        expected = np.array([law(d, page.step) for d in page.dims])
        assert agrees(mean, expected, error, 6)  # Student's t, eight groups
        assert not agrees(mean, expected * np.array(page.dims) / 16, error, 6), "another power"
    # Signs add a step times |k|, and one times |q|; what is left has variance like d.
    size = integrate.quad(lambda x: 2 * x * stats.norm.pdf(x), 0, np.inf)[0]
    c, d = page.step, np.array(page.dims)
    expected = (2 * c * size * d) ** 2 + d * (2 * c**2 * (1 - size**2) + c**4)
    mean, error = mean_and_error(page.size["Adam"] ** 2)
    assert agrees(mean, expected, error, 6)
    assert not agrees(mean, expected * np.pi / 2, error, 6), "as if along the key"
    for name, half in [("q·k", 0.5), ("random step", 0.5), ("SGD", 1), ("Adam", 1)]:
        slope, error = page.fit[name]
        assert agrees(slope, half, error, 6)
        assert not agrees(slope, 1.5 - half, error, 6)


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

    for a in page.powers:
        logit, of_q = exponents(a, lambda s: 16)
        assert close(page.sgd[a], logit)
        assert close(page.coordinate[a], of_q)
        # The step has 1/s from the gradient, and 1/s from the logit.
        assert like_d(page.dims, logit[0] + 2 * a, logit[1], recall)
        assert not like_d(page.dims, logit[0] + 2 * a + 0.5, logit[1], recall)
        # With η like s/D the first is gone, as with Adam, and coordinates move alike.
        (slope, error), (of_q, scatter) = exponents(a, lambda s: 2 * s)
        assert like_d(page.dims, slope + a, error, recall)
        assert like_d(page.dims, slope - page.movement[a][0] + 1, error, recall)
        assert abs(of_q) < 1 / 16 + 6 * scatter
        assert not abs(of_q - a) < 1 / 16 + 6 * scatter or a == 0
    kept = {
        name: [a for a in page.powers if close([page.start[a][0], step[a][0]], 0, 0.1)]
        for name, step in (("Adam", page.movement), ("SGD", page.sgd))
    }
    assert kept == {"Adam": [], "SGD": [0.5]}


# Over widths


def sizes(recall, d, seeds, steps=10):
    """Give, by the second program, the rms of q·k before and of its movement at the right key."""
    result = []
    for seed in seeds:
        X, W = recall.init(d, seed)
        before = np.einsum("ad,td,ae,ue->tu", W[0], X, W[1], X, optimize=True)
        _, V = adam_by_hand(recall, d, seed, d / 8, steps)
        moved = np.einsum("ad,td,ae,ue->tu", V[0], X, V[1], X, optimize=True) - before
        result.append([np.sqrt(np.mean(before**2)), np.sqrt(np.mean(np.diag(moved) ** 2))])
    return np.array(result)


def test_movement_by_other_seeds_and_another_program(recall, snippet):
    page = snippet("training/movement")
    dims = [16, 32, 64]
    drawn = np.array([sizes(recall, d, range(100, 106)) for d in dims])
    for place, name in enumerate(["before", "right key"]):
        ours, error = mean_and_error(drawn[:, :, place], axis=1)
        theirs, other = mean_and_error(page.size[name][:, :3])
        # Errors from six values each: Student's t with ten degrees of freedom.
        assert agrees(ours, theirs, np.hypot(error, other), 6.5)
        assert not agrees(ours, theirs * np.sqrt(dims) / 4, np.hypot(error, other), 6.5)
    slope, error = recall.exponent(dims, drawn[:, :, 1].T)
    assert agrees(
        slope, np.log2(page.size["right key"].mean(0)[2] / drawn[0, :, 1].mean()) / 2, 0.1
    )
    assert not agrees(slope, 0.5, error, 9)


def like_d(dims, slope, error, recall):
    """Tell whether a slope is that of d, up to a disturbance of one √d and six standard errors."""
    d = np.array(dims, float)
    low, high = (recall.exponent(dims, [d + sign * np.sqrt(d)] * 2)[0] for sign in (1, -1))
    return bool(low - 6 * error < slope < high + 6 * error)


def test_movement_exponents_and_random_controls(recall, snippet):
    page = snippet("training/movement")

    def goes_like(power, name):
        slope, error = page.fit[name]
        assert close(slope, recall.exponent(page.dims, page.size[name])[0])
        if power == 1:
            return like_d(page.dims, slope, error, recall)
        return agrees(slope, power, error, 6)  # Student's t, six seeds

    assert goes_like(1, "right key")
    assert goes_like(1, "from 0")
    assert goes_like(0.5, "before")
    assert goes_like(0.5, "random q, k")
    assert goes_like(0, "random weights")
    for name in ("before", "random q, k", "random weights"):
        assert not goes_like(1, name)
    for name in ("right key", "from 0"):
        assert not goes_like(0.5, name)
        # Each exponent between neighbours again, from the doublings of each seed.
        doublings = np.log2(page.size[name][:, 1:] / page.size[name][:, :-1])
        for place, found in enumerate(page.local[name]):
            assert close(found, mean_and_error(doublings[:, place]))
    (first, error), *_, (last, scatter) = page.local["right key"]
    assert first > 1 + 2 * error  # the slope falls, towards 1
    assert agrees(last, 1, scatter, 6)
    assert not agrees(last, 1.1, scatter, 6)


def test_movement_from_zero_queries_by_another_program(recall, snippet):
    page = snippet("training/movement")
    for column, d in enumerate(page.dims[:2]):
        X, V = adam_by_hand(recall, d, page.seeds[1], d / 8, page.steps, zero_query=True)
        size = np.sqrt(np.mean(np.diag(recall.scores(X, V)) ** 2))
        assert close(size / page.size["from 0"][1, column], 1, 1e-6)
        assert not close(size / page.size["right key"][1, column], 1, 1e-2)


def test_random_movement_has_its_exact_size(recall, snippet):
    # E (Δq·k)² = |Δq|²|k|²/d in a random direction, and cross terms vanish.
    page = snippet("training/movement")
    column, d = 3, page.dims[3]
    expected = []
    for seed in page.seeds:
        (X, old), *_, (_, new) = recall.train(d, seed, d / 8, page.steps)
        (q, k), (Q, K) = ([X @ w.T for w in W] for W in (old, new))
        a, b, A, B = (np.sum(v**2, 1) for v in (q, k, Q - q, K - k))
        expected.append((np.outer(A, b) + np.outer(a, B) + np.outer(A, B)).mean() / d)
        assert close(page.length[seed, column], np.sqrt(A.mean() / d))
    ratio = page.size["random q, k"][:, column] ** 2 / np.array(expected)
    mean, error = mean_and_error(ratio)
    assert agrees(mean, 1, error, 6.5)
    assert not agrees(mean, d, error, 6.5), "if it were coherent"
    # It is as long as the trained one, so its slope differs from ½ by that of the length.
    (slope, error), (of_length, _) = page.fit["random q, k"], page.fit["length"]
    assert close(page.fit["length"], recall.exponent(page.dims, page.length))
    assert agrees(slope, 0.5 + of_length, error, 6)
    assert not agrees(slope, 1 + of_length, error, 6)


ZERO = {"zero_query": True}
CONTROLS = {
    "8/d, W_Q = 0": (1, ZERO),
    "8/d, W_Q random": (1, {}),
    "1/√d, W_Q random": (0.5, {}),
    "D = 1024 throughout": (1, ZERO | {"width": 1024}),
    "4 sequences a step": (1, ZERO | {"batch": True}),
    "learning rate × ¼": (1, ZERO | {"eta": 0.025}),
    "learning rate × 4": (1, ZERO | {"eta": 0.4}),
    "cosine 0.3": (1, ZERO | {"cosine": 0.3}),
    "cosine 0.9": (1, ZERO | {"cosine": 0.9}),
    "random labels": (1, {"labels": True}),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_each_control_by_another_program(recall, snippet, name):
    page = snippet("training/controls")
    power, how = CONTROLS[name]
    seed, column = 1, 0
    d = page.dims[column]
    start = {key: how[key] for key in how.keys() & {"zero_query", "width", "cosine"}}
    X, W = recall.init(d, seed, **start)
    for drawn in how.keys() & {"labels", "batch"}:
        how = how | {drawn: np.random.default_rng([seed, d, 2])}
    _, V = adam_by_hand(recall, d, seed, 8 * (d / 64) ** power, page.steps, **how)
    moved = (X @ V[0].T) @ (X @ V[1].T).T - (X @ W[0].T) @ (X @ W[1].T).T
    found = [np.sqrt(np.mean(np.diag(moved) ** 2)), np.sqrt(np.mean(moved**2))]
    found.append(np.sqrt(np.mean(moved.var(axis=1))))
    # The row of this name has these sizes, and no other row has.
    rows = {row: page.size[row][:, seed, column] for row in CONTROLS}
    assert [row for row in CONTROLS if close(rows[row], found, 1e-6)] == [name]
    assert not any(close(sizes[::-1], found, 1e-2) for sizes in rows.values()), "swapped kinds"


def test_controls(recall, snippet):
    page = snippet("training/controls")
    assert [*page.size] == [*page.settings] == [*CONTROLS]
    right, every, seen = page.fit.values()
    for place, kind in enumerate(page.fit):
        assert [*page.fit[kind]] == [*CONTROLS]
        for name, (slope, error) in page.fit[kind].items():
            slopes = np.polyfit(np.log2(page.dims), np.log2(page.size[name][place]).T, 1)[0]
            assert close((slope, error), mean_and_error(slopes))
            assert not close(slope, page.fit[[*page.fit][place - 1]][name][0])
    # At the right key like d, up to a disturbance of √d, and not like √d.
    for name, (slope, error) in right.items():
        if name != "random labels":
            assert like_d(page.dims, slope, error, recall)
            assert not like_d(page.dims, slope + 0.5, error, recall)
    # With random labels between the two, and less than with right ones from the same start.
    (coin, error), (sure, scatter) = every["random labels"], every["8/d, W_Q random"]
    assert 0.5 + 6 * error < coin < sure - 6 * np.hypot(error, scatter)
    # The more the tokens overlap, the less all pairs move like d, unless the row's mean is off.
    overlap = ["8/d, W_Q = 0", "cosine 0.3", "cosine 0.9"]
    slopes, errors = np.transpose([every[name] for name in overlap])
    assert np.all(-np.diff(slopes) > 3 * np.hypot(errors[1:], errors[:-1]))
    slopes, errors = np.transpose([seen[name] for name in overlap])
    assert np.all(np.abs(slopes - 0.9) < 1 / 30 + 3 * errors)


def test_no_scale(recall, snippet):
    page = snippet("training/no_scale")
    for a in page.powers:
        slope, error = page.start[a]
        assert agrees(slope, 0.5 - a, error, 6)
        assert not agrees(slope, 1 - a, error, 6)
        moved, scatter = page.movement[a]
        assert like_d(page.dims, moved + a, scatter, recall)
        assert not like_d(page.dims, moved + a + 0.5, scatter, recall)
        assert like_d(page.dims, moved - page.start[a][0] + 0.5, scatter, recall), "half apart"
    flat = [a for a in page.powers if agrees(page.start[a][0], 0, page.start[a][1], 6)]
    even = [a for a in page.powers if like_d(page.dims, 1 + page.movement[a][0], 0.01, recall)]
    assert (flat, even) == ([0.5], [1])


def test_coordinate_check(recall, snippet):
    page = snippet("training/coordinate_check")

    def apart(table, t):
        values = np.array([table[d][t] for d in page.dims])
        return values.max() / values.min() - 1

    plain, mup, zero = page.losses
    for t in (
        10,
        20,
    ):  # all widths: each way by a factor of five or more closer than the one before
        for name in page.losses:
            assert close(page.apart[name][t], apart(page.losses[name], t))
        assert 5 * page.apart[zero][t] < page.apart[mup][t] < page.apart[plain][t] / 5
    assert apart(page.sizes[zero], 20) < apart(page.sizes[mup], 20) < apart(page.sizes[plain], 20)
    # At the start the size is 1 and √(64/d), for 240 differences of scores in each of the seeds.
    for d in page.dims:
        assert not page.sizes[zero][d][0]
        assert abs(page.sizes[plain][d][0] - 1) < 0.25
        assert close(page.sizes[mup][d][0], page.sizes[plain][d][0] * np.sqrt(64 / d))
    # Ten steps again, by the second program, for the narrowest model.
    for name, s, start in [(plain, 8, {}), (mup, 8, {}), (zero, 8, {"zero_query": True})]:
        runs = [adam_by_hand(recall, 64, seed, s, 10, **start) for seed in (0, 1)]
        mean = np.mean([recall.loss(*run, s) for run in runs])
        assert close(mean, page.losses[name][64][10], 1e-6)
        assert not close(mean, page.losses[plain if name == zero else zero][64][10], 1e-2)
    for table in (page.losses, page.sizes):
        assert close(table["8/d"][64], table["1/√d"][64])  # 8/64 = 1/√64
    # The loss and the logits again, at the same weights, from their definitions.
    *_, (X, W) = recall.train(64, 0, 8.0, 3)
    p = np.exp(recall.scores(X, W) / 8)
    p /= p.sum(axis=1)[:, np.newaxis]
    assert close(-np.log(np.diag(p)).mean(), recall.loss(X, W, 8.0))
    centred = np.log(p) - np.log(p).mean(axis=1)[:, np.newaxis]  # softmax loses the mean only
    assert close(centred, recall.logits(X, W, 8.0))
    assert not close(centred, recall.scores(X, W) / 8)


def test_zero_queries(recall):
    # In the first step the right pair moves by μd, and all sixteen scores by noise of variance vd.
    # With u = k less the mean of all k: μ = 15/16 · E[u²/|u|²]^{1/2}, about √15/16, and v = 1/16.
    # Less its mean, a row has mean square ∝ 16/15 μ²d² + 15 vd, so its size is like √(d² + 15 d).
    dims = np.array([16, 32, 64, 128, 256])
    bend = recall.exponent(dims, [np.sqrt(1 + 15 / dims)] * 2)[0]
    found = {}
    for zero in (True, False):
        size = np.empty((4, len(dims)))
        for seed, column in np.ndindex(size.shape):
            d = dims[column]
            *_, (X, W) = recall.train(d, seed, d / 8, 1, zero_query=zero)
            size[seed, column] = recall.rms(recall.logits(X, W, d / 8))
        found[zero] = recall.exponent(dims, size)
    slope, error = found[True]
    assert agrees(slope, bend, error, 6)
    assert not agrees(slope, 0, error, 6), "not quite flat"
    assert not agrees(slope, bend - 0.5, error, 6)
    assert agrees(found[False][0], -0.5, found[False][1], 6), "the start still rules"
    assert not agrees(found[False][0], bend, found[False][1], 6)
    (_, old), (_, new) = recall.train(32, 0, 4.0, 1, zero_query=True)
    assert close(new[1], old[1])  # the keys wait
    assert not close(new[0], old[0])
    (_, old), (_, new) = recall.train(32, 0, 4.0, 1)
    assert not close(new[1], old[1])


def test_zero_queries_halve_the_first_step():
    rng = np.random.default_rng(10)
    eta, d, D = 0.1, 64, 256
    moves = []
    for _ in range(500):
        x, k = rng.standard_normal(D), rng.standard_normal(d)
        moves.append(eta * np.abs(x).mean() * np.sign(k) @ k)
    mean, error = mean_and_error(moves)
    assert agrees(mean, 2 / np.pi * eta * d, error)
    assert not agrees(mean, 4 / np.pi * eta * d, error)


def test_where_training_ends(recall, snippet):
    page = snippet("training/later")
    plain, mup = page.fit["1/√d"], page.fit["8/d"]

    def nearest(slope, power):
        """Compare with the exponents in question, ½ and 1: in the quarter that is nearest."""
        return abs(slope - power) < 1 / 8

    assert nearest(plain[0], 0.5)
    assert nearest(mup[0], 0.5)
    assert not nearest(mup[-1], 0.5)
    assert plain.max() > 0.65
    assert mup[-1] - plain[-1] > 6 * np.hypot(page.error["1/√d"][-1], page.error["8/d"][-1])
    # At the right key the score ends as the divisor times a logit of one size.
    for name, power in (("8/d", 1), ("1/√d", 0.5)):
        assert nearest(page.right[name][0], power)
        assert not nearest(page.right[name][0], 1.5 - power)
        assert page.final_loss[name].max() < 0.01
    assert page.worst_loss == max(loss.max() for loss in page.final_loss.values())


def test_eight_over_d():
    assert [d for d in range(1, 1000) if 8 / d == d**-0.5] == [64]


def test_correlated_over_coordinates_not_over_tokens():
    rng = np.random.default_rng(11)
    q = rng.standard_normal((16, 64))
    q -= q.mean(axis=0)
    C_all = sum(np.outer(a, b) for a in q for b in q) / 256
    C_right = sum(np.outer(a, a) for a in q) / 16
    mean_right = np.mean([a @ a for a in q])
    assert close(np.trace(C_all), 0)
    assert not close(np.trace(C_right), 0)
    assert close(np.trace(C_right), mean_right)
