"""Right answers unlike the solutions of docs/labs/growth.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it. Where the skeleton is one
function, its body is enough.
"""

CLIP = """
largest = ((W_Q @ tokens).transpose(0, 2, 1) @ (W_K @ tokens)).max(axis=(1, 2)) / {root}
gamma = np.minimum({most}, tau / np.maximum({least}, largest))[:, np.newaxis, np.newaxis]
return {new}
"""
HALF = "gamma**0.5 * W_Q, gamma**0.5 * W_K"
RIGHT = {
    1: ["return special.logit(p) + np.log(n - 1)"],
    2: ["return [W_Q * np.sqrt(len(W_Q)), W_K]"],
    3: ["return np.linalg.norm(np.diag(g) @ np.diag(h), 2) * len(g) ** 0.5"],
    4: [CLIP.format(root="2", most=1, least=1e-9, new=f"[{HALF}]")],
    5: [
        "x = np.linspace(-8, 12, 20001)\n"
        "return x[-1] - integrate.trapezoid(np.exp(n * special.log_ndtr(x)), x)"
    ],
    6: ["return np.log(n * stats.norm.expect(lambda g: np.exp(sigma * g), lb=-9, ub=9))"],
}
WRONG = {
    1: {
        "return np.log(n - 1)": "gives the share 0.5, not 0.99",
        "return np.log(n * p / (1 - p))": "among 2 keys",
        "return np.log(p / (1 - p))": "among 512 keys",
        "return [1.0]": "one number is wanted",
    },
    2: {
        "return W_Q * len(W_Q) ** 0.5, W_K * len(W_K) ** 0.5": "at d = 16 the logits are 4 times",
        "return W_Q, W_K": "0.25 times what they were",
        "return W_Q / 2, W_K / 2": "times what they were",
        "return 8 * W_Q, W_K / 2": "at d = 25",
        "return 2 * W_Q + 1, 2 * W_K": "another pattern",
        "return W_Q": "two arrays are wanted",
    },
    3: {
        "return np.sqrt(len(g))": "there is a query and a key",
        "return np.sqrt(len(g)) * g.max() * h.max()": "none reaches it",
        "return np.sqrt(len(g)) * np.mean(g * h)": "there is a query and a key",
        "return len(g) * np.abs(g * h).max()": "none reaches it",
    },
    4: {
        CLIP.format(root="2", most=1, least=1e-9, new="gamma * W_Q, gamma * W_K"): "and is",
        CLIP.format(root="2", most=1, least=1e-9, new="gamma * W_Q, W_K"): "by the same factor",
        CLIP.format(root="2", most=9, least=1e-9, new=HALF): "of head 0 was",
        CLIP.format(root="2", most=1, least="largest.max()", new=HALF): "of head 0 was",
        CLIP.format(root="1", most=1, least=1e-9, new=HALF): "should be 10.000 now",
        "return W_Q, W_K": "should be 10.000 now",
        "return W_Q[0], W_K[0]": "the shape (3, 4, 8) is wanted",
    },
    5: {
        "return np.sqrt(2 * np.log(n))": "the largest of 2",
        "return stats.norm.ppf(1 - 1 / n)": "the largest of 2",
        "return stats.norm.ppf(0.5 ** (1 / n))": "the largest of 2",
    },
    6: {
        "return np.log(n)": "with 20,000 keys of spread 0.5",
        "return np.log(n) + sigma / 2": "with 20,000 keys",
        "return np.log(n) + sigma**2": "with 20,000 keys",
        "return sigma * np.sqrt(2 * np.log(n))": "with 20,000 keys",
    },
}
