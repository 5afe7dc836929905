"""Right answers unlike the solutions of docs/labs/training.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it. Where the skeleton is one
function, its body is enough.
"""

EXPONENTS = "exponents = dict(key=1, signs=1, noise=0.5, alternate=0.5, unit=0.5, mean=0)"
TRAIN = """
def logits_after(X, W_Q, W_K, s, steps, eta):
    rate = eta / X.shape[1]
    for _ in range(steps):
        Q, K = X @ W_Q.T, X @ W_K.T
        G = special.softmax(Q @ K.T / s, axis=1) - np.eye(len(X))
        W_Q = W_Q - rate * np.sign((G @ K).T @ X)
        W_K = W_K - rate * np.sign((G.T @ Q).T @ X)
    return (X @ W_Q.T) @ (X @ W_K.T).T / s
"""
AFTER = "size = {} * {}\nreturn size * (1 - 1 / n), -size / n"
DIVISOR = "def divisor(d):\n    return {}\n\n\ndef factor(d):\n    return {}"

RIGHT = {
    1: ["return tuple(k / s)", "return optimize.approx_fprime(q, lambda q: q @ k / s, 1e-7)"],
    4: [DIVISOR.format("d // 8", "8 * d**-0.5")],
    5: ["mean = sum(K) / len(K)\nreturn [list(step * (k - mean)) for k in K]"],
    6: [
        TRAIN.replace("return (X", "return list((X").replace("T / s\n", "T / s)\n"),
        # In place, in the arrays that the check hands over.
        TRAIN.replace("W_Q = W_Q -", "W_Q -=").replace("W_K = W_K -", "W_K -="),
    ],
    7: [
        # By the Gram matrix of the tokens.
        "G = c + (1 - c) * np.eye(n)\n"
        "S = step * d * G @ (np.eye(n) - 1 / n) @ G\n"
        "return [S[0, 0], S[0, 1]]",
    ],
}

WRONG = {
    1: {
        "return k": "it should be 0.5 times as long",
        "return k / np.sqrt(len(k))": "At d = 5, s = 3",
        "return q / s": "the gradient by k",
        "return q @ k / s": "here is the shape ()",
        "return q * k / s": "moving the first coordinate",
        "return -k / s": "that way the logit falls",
        "return 0 * k": "moving the first coordinate",
        "return k.reshape(-1, 1) / s": "here is the shape (4, 1)",
    },
    2: {
        EXPONENTS.replace("alternate=0.5", "alternate=1"): "Every other term is negative",
        EXPONENTS.replace("unit=0.5", "unit=1"): "how large is one of them",
        EXPONENTS.replace("mean=0", "mean=1"): "The sum of k, and its mean",
        EXPONENTS.replace("noise=0.5", "noise=0"): "not completely",
        EXPONENTS.replace("signs=1", "signs=0.5"): "All of the terms have one sign",
        EXPONENTS.replace(", mean=0", ""): "no answer yet to mean",
        "exponents = [1, 1, 0.5, 0.5, 0.5, 0]": "give a dictionary",
        EXPONENTS.replace("unit=0.5", "unit=float('nan')"): "how large is one of them",
        EXPONENTS.replace("unit=0.5", "unit='1/2'"): "unit: numbers are wanted",
    },
    3: {
        "return 4 / np.pi * eta * d": "less attention, not more",
        "return -2 / np.pi * eta * d": "both matrices move",
        "return -2 * np.sqrt(2 / np.pi) * eta * d": "the mean of |x_j|",
        "return -2 * eta * d": "though the mean squares are",
        "return -4 / np.pi * eta * np.sqrt(d)": "nothing cancels",
        "return 0": "8000 pairs have",
        # Two rough constants, one on each side.
        "return -1.3 * eta * d": "8000 pairs have",
        "return -1.26 * eta * d": "8000 pairs have",
    },
    4: {
        DIVISOR.format("np.sqrt(d)", "np.sqrt(64 / d)"): (
            "with your divisor a step at d = 16 moves the logit 0.5"
        ),
        DIVISOR.format("d", "np.sqrt(64 / d)"): "divisor(64) is 64, not 8",
        DIVISOR.format("8", "np.sqrt(64 / d)"): "with your divisor",
        DIVISOR.format("d / 8", "64 / d"): "with your factor",
        DIVISOR.format("d / 8", "1"): "with your factor",
        DIVISOR.format("d / 8", "1 / np.sqrt(d)"): "factor(64) is 0.125, not 1",
        DIVISOR.format("d / 8", "None"): "no answer yet to factor",
        DIVISOR.format("[d / 8]", "np.sqrt(64 / d)"): "divisor: one number is wanted",
    },
    5: {
        "return step * K": "all n keys get attention 1/n",
        "return step * (K.mean(axis=0) - K)": "SGD goes against the gradient",
        # Less the mean of the other keys.
        "n = len(K)\nreturn step * (K - (K.sum(axis=0) - K) / (n - 1))": "1.25 times as long",
        "return step * (K - K.mean(axis=1, keepdims=True))": "the first query should be",
        "return step * (K - 1 / len(K))": "the first query should be",
        "return 0 * K": "the first query should be",
        "return K[0]": "the shape (5, 3) is wanted",
    },
    6: {
        TRAIN.replace("T / s\n", "T\n"): "Divide them by s",
        TRAIN.replace("- rate", "+ rate"): "should rise",
        TRAIN.replace("G.T @ Q", "G @ Q"): "the sign of its own gradient",
        TRAIN.replace("np.sign", ""): "move by the same amount",
        TRAIN.replace("eta / X.shape[1]", "eta"): "move by the same amount",
        TRAIN.replace("W_K = W_K", "_ = W_K"): "W_K has to move, too",
        TRAIN.replace("W_Q = W_Q", "_ = W_Q"): "W_Q has to move, too",
        TRAIN.replace("        W_K = W_K", "        Q = X @ W_Q.T\n        W_K = W_K").replace(
            "        W_K = W_K",
            "        G = special.softmax(Q @ K.T / s, axis=1) - np.eye(len(X))\n        W_K = W_K",
        ): "take both gradients before W_Q moves",
        TRAIN.replace(
            "return (X @ W_Q.T) @ (X @ W_K.T).T", "return (X @ W_K.T) @ (X @ W_Q.T).T"
        ): "in a row",
        TRAIN.replace("range(steps)", "range(min(steps, 1))"): "not after three",
    },
    7: {
        AFTER.format("step * d", 1): "at c = 0.6: that is for tokens at right angles",
        AFTER.format("step * d * (1 - c)", 1): "the keys, too, have something",
        AFTER.format("step * d * (1 - c) ** 2", -1): "makes the right score larger",
        AFTER.format("step * (1 - c) ** 2", 1): "there are d of them",
        AFTER.format("step * d * (1 - c**2)", 1): "for n, d, c = 4, 2, 0.6",
        AFTER.format("step * np.sqrt(d) * (1 - c) ** 2", 1): "for n, d, c = 4, 2, 0.0",
        "size = step * d * (1 - c) ** 2\nreturn size, -size / (n - 1)": "contains the right one",
        "size = step * d * (1 - c) ** 2\nreturn size * (1 - 1 / n), 0": "the wrong scores have",
        "size = step * d * (1 - c) ** 2\nreturn size, -size / n": "the right scores have the mean",
        "return step * d": "the shape (2,) is wanted",
        "return None, None": "numbers are wanted",
    },
}
