"""The claims of docs/training.md: each by a second route, each with a wrong variant that fails."""

import numpy as np
import pytest

from tests.checks import agrees, close, mean_and_error


@pytest.fixture(scope="module")
def recall(module):
    return module("training/recall")


# The model


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("random_labels", [False, True])
def test_gradients_by_finite_differences(recall, which, random_labels):
    d, s = 8, 2.5
    X, W = recall.init(d, 0, overlap=True)
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


def test_start(recall):
    for overlap in (False, True):
        X, W = recall.init(16, 0, overlap=overlap)
        assert close(np.sum(X**2, axis=1), X.shape[1])
        assert close(X @ X.T, 64 * np.eye(16)) == (not overlap)
        assert agrees(np.mean(W[0] ** 2), 1 / 64, np.sqrt(2 / W[0].size) / 64)
    assert not recall.init(16, 0, zero_query=True)[1][0].any()


def adam_by_hand(recall, d, seed, s, steps):
    """Train as the textbook says, one flat vector of weights, moments kept as sums."""
    X, W = recall.init(d, seed)
    w, history = np.concatenate([a.ravel() for a in W]), []
    for t in range(1, steps + 1):
        V = w.reshape(2, d, -1)
        q, k = np.einsum("iad,td->ita", V, X)
        a = np.einsum("ta,ua->tu", q, k) / s
        p = np.exp(a) / np.exp(a).sum(axis=1)[:, np.newaxis]
        error = (p - np.eye(16)) / 16 / s
        grads = np.einsum("tu,ua,td->ad", error, k, X), np.einsum("tu,ta,ud->ad", error, q, X)
        history.append(np.concatenate([a.ravel() for a in grads]))
        m = sum(0.1 * 0.9 ** (t - 1 - i) * g for i, g in enumerate(history)) / (1 - 0.9**t)
        v = sum(0.001 * 0.999 ** (t - 1 - i) * g**2 for i, g in enumerate(history))
        w = w - 0.1 / X.shape[1] * m / np.sqrt(v / (1 - 0.999**t))
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
    for d in page.dims:
        assert agrees(page.mean[d], page.adam_law[d], page.error[d])
        assert not agrees(page.mean[d], page.adam_law[d] / 2, page.error[d])
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


def test_movement_exponents_and_random_controls(recall, snippet):
    page = snippet("training/movement")

    def goes_like(power, name):
        """Compare within a twentieth: seeds are not the only error, curves bend."""
        slope, error = page.fit[name]
        assert close(slope, recall.exponent(page.dims, page.size[name])[0])
        assert error < 0.01
        return abs(slope - power) < 0.05

    assert goes_like(1, "right key")
    assert goes_like(0.5, "before")
    assert goes_like(0.5, "random q, k")
    assert goes_like(0, "random weights")
    for name in ("before", "random q, k", "random weights"):
        assert not goes_like(1, name)
    assert not goes_like(0.5, "right key")
    assert np.all(np.diff(page.local) < 0)  # the slope falls, towards 1
    assert abs(page.local[-1] - 1) < abs(page.local[0] - 1) / 4


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
    ratio = page.size["random q, k"][:, column] ** 2 / np.array(expected)
    mean, error = mean_and_error(ratio)
    assert agrees(mean, 1, error, 6.5)
    assert not agrees(mean, d, error, 6.5), "if it were coherent"


def test_controls(snippet):
    page = snippet("training/controls")

    def coherent(name):
        return abs(page.fit[name][0] - 1) < 0.06

    for name in page.fit:
        assert page.fit[name][1] < 0.02
        assert coherent(name) == ("labels" not in name)
    assert 0.5 < page.fit["all pairs, random labels"][0] < 0.85


def test_no_scale(snippet):
    page = snippet("training/no_scale")
    for a in page.powers:
        slope, error = page.start[a]
        assert agrees(slope, 0.5 - a, error, 6)
        assert not agrees(slope, 1 - a, error, 6)
        assert abs(page.movement[a][0] - (1 - a)) < 0.06
        assert abs(page.movement[a][0] - page.start[a][0] - 0.5) < 0.06, "always half apart"
    flat = [a for a in page.powers if abs(page.start[a][0]) < 0.06]
    even = [a for a in page.powers if abs(page.movement[a][0]) < 0.06]
    assert (flat, even) == ([0.5], [1])


def test_coordinate_check(recall, snippet):
    page = snippet("training/coordinate_check")

    def collapses(table, t, tolerance=0.25):
        values = np.array([table[d][t] for d in page.dims[1:]])
        return bool(values.max() / values.min() < 1 + tolerance)

    for table in (page.losses, page.sizes):
        assert collapses(table["8/d"], 20)
        assert not collapses(table["1/√d"], 20)
    assert collapses(page.sizes["1/√d"], 0)
    assert not collapses(page.sizes["8/d"], 0)
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


def test_zero_queries(recall, snippet):
    page = snippet("training/zero_init")
    zero, plain = "8/d and W_Q = 0", "8/d"
    assert not page.size[zero][:, 0].any()
    assert page.size[plain][:, 0].all()
    for t in (1, 5, 10, 20):
        assert abs(page.fit[zero][t][0]) < 0.15
    for t in (0, 1, 5):
        assert not abs(page.fit[plain][t][0]) < 0.15
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
    assert abs(plain[0] - 0.5) < 0.05
    assert abs(mup[0] - 0.5) < 0.05
    assert plain.max() > 0.65
    assert mup[-1] - plain[-1] > 6 * np.hypot(page.error["1/√d"][-1], page.error["8/d"][-1])
    # At the right key the score ends as the divisor times a logit of one size.
    for name, power in (("8/d", 1), ("1/√d", 0.5)):
        assert abs(page.right[name][0] - power) < 0.06
        assert not abs(page.right[name][0] - (1.5 - power)) < 0.06
        assert page.final_loss[name].max() < 0.01


def test_eight_over_d():
    scales = {d: (8 / d, d**-0.5) for d in (16, 64, 256)}
    assert [d for d, (mup, plain) in scales.items() if mup == plain] == [64]


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
