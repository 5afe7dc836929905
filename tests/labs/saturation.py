"""Right answers unlike the solutions of docs/labs/saturation.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it.
"""

SIMULATE = """
square = {}
for sigma in (1, 8):
    p = special.softmax(draw_scores(n, sigma, max(4000, 100_000 // n)), axis=1)
    two, three = (np.sum(p**k, axis=1) for k in (2, 3))
"""
SLOPE = """
def slope(F, sigma):
    return (F(sigma + 1e-4) - F(sigma - 1e-4)) / 2e-4
"""
# By scipy, which asks F for several σ at once, or for an array of one.
DERIVATIVE = """
def slope(F, sigma):
    from scipy import differentiate
    return differentiate.derivative(F, sigma).df
"""
FORWARD = """
def slope(F, sigma):
    from scipy import optimize
    return optimize.approx_fprime([sigma], F).item()
"""
ENTROPY = """
def entropy(F, sigma):
    return F(sigma) - sigma * slope(F, sigma)
"""
AGREE = """
def agree(F, sigma):
    return 1 - slope(F, sigma) / sigma
"""

RIGHT = {
    1: [
        "return special.softmax(scores, axis=1).tolist()",
        "return 1 / np.sum(np.exp(scores[:, None, :] - scores[:, :, None]), axis=2)",
    ],
    2: ["return np.float32(len(weights) / np.sum(weights**2))"],
    3: [
        "p = special.softmax(scores)\nJ = -np.outer(p, p)\nnp.fill_diagonal(J, 0)\n"
        "np.fill_diagonal(J, -J.sum(axis=1))\nreturn np.linalg.norm(J)",
        # In decimal numbers to the end.
        "with localcontext() as context:\n    context.prec = 60\n"
        "    p = [Decimal(z).exp() for z in scores]\n    total = sum(p)\n"
        "    p = [x / total for x in p]\n"
        "    J = [[x * ((i == j) - y) for j, y in enumerate(p)] for i, x in enumerate(p)]\n"
        "    return sum(x * x for row in J for x in row).sqrt()",
    ],
    4: [
        # Entry by entry, and with fewer rows for many keys.
        "square = {}\nfor sigma in (1, 8):\n"
        "    p = special.softmax(draw_scores(n, sigma, max(1000, 40_000 // n)), axis=1)\n"
        "    diagonal = np.sum((p * (1 - p)) ** 2, axis=1)\n"
        "    rest = np.sum(p**2, axis=1) ** 2 - np.sum(p**4, axis=1)\n"
        "    square[sigma] = np.mean(diagonal + rest)\n"
        "return float(np.sqrt(square[8] / square[1]))",
    ],
    5: [
        "z = np.random.default_rng(0).standard_normal((100_000, n))\n"
        "return np.mean(np.max(z, axis=1))",
    ],
    6: [
        SLOPE.replace("e-4", "e-2") + ENTROPY + AGREE,
        DERIVATIVE + ENTROPY + AGREE,
        FORWARD + ENTROPY + AGREE,
    ],
}

WRONG = {
    1: {
        "e = np.exp(scores)\nreturn e / e.sum(axis=1, keepdims=True)": "not every weight is a num",
        "e = np.exp(scores - np.max(scores))\nreturn e / e.sum(axis=1, keepdims=True)": (
            "a row near 1000 above one near -1000: not every weight is a number"
        ),
        "e = np.exp(scores - np.mean(scores, axis=1, keepdims=True))\n"
        "return e / e.sum(axis=1, keepdims=True)": "one score of 3000 beside two of 0",
        "e = np.exp(scores - np.max(scores))\nreturn e / e.sum()": "all rows together",
        "e = np.exp(scores / np.max(scores, axis=1, keepdims=True))\n"
        "return e / e.sum(axis=1, keepdims=True)": "has to be z_1 - z_2, which is -1; it is -0.25",
        # Differences cut off at -9.
        "e = np.exp((scores - np.max(scores, axis=1, keepdims=True)).clip(-9))\n"
        "return e / e.sum(axis=1, keepdims=True)": "a gap of 20",
        # A floor, or a ceiling, below what the weights of usual rows are.
        "p = special.softmax(scores, axis=1)\nreturn np.where(p < 1e-12, 0, p)": "a gap of 600",
        "p = special.softmax(scores, axis=1)\nreturn np.maximum(p, 1e-9)": "a gap of 600",
        "e = np.exp((scores - np.max(scores, axis=1, keepdims=True)).clip(-30))\n"
        "return e / e.sum(axis=1, keepdims=True)": "a gap of 600",
        # Adds up to 1, where no ratio is tried.
        "gap = np.ptp(scores, axis=1, keepdims=True)\np = special.softmax(scores, axis=1)\n"
        "return np.where(gap > 700, 1 / scores.shape[1], p)": "that trails by thousands weighs",
        "return np.exp(scores[0]) / np.sum(np.exp(scores[0]))": "(2, 3) is wanted",
    },
    2: {
        "return np.mean(np.sum(weights**2, axis=1))": "the chance that two picks agree",
        "return 1 / np.mean(weights**2)": "Sum over keys, average over rows",
        "return np.mean(1 / np.sum(weights**2, axis=1))": "the mean of inverses",
        "return 1 / np.sum(weights**2, axis=1)": "one number is wanted",
        # The number of keys that share it by their entropy is another one.
        "log = np.log(np.where(weights > 0, weights, 1))\n"
        "return np.exp(-np.mean(np.sum(weights * log, axis=1)))": "pairs of picks",
    },
    3: {
        "p = special.softmax(scores)\n"
        "return np.sqrt(np.sum(p**2) - 2 * np.sum(p**3) + np.sum(p**2) ** 2)": (
            "only rounding errors are left"
        ),
        "p = special.softmax(scores)\n"
        "return np.linalg.norm(np.diag(p) - np.outer(p, p))": "but near: for [27, 0, 0]",
        "p = special.softmax(scores)\nrest = p.sum() - p\nJ = -np.outer(p, p)\n"
        "np.fill_diagonal(J, p * rest)\nreturn np.linalg.norm(J)": "but near: for [27, 0, 0]",
        "p = special.softmax(scores)\n"
        "return np.sum(p**2) - 2 * np.sum(p**3) + np.sum(p**2) ** 2": "the square of the norm",
        "p = special.softmax(scores)\nreturn np.sum(p * (1 - p))": "for the scores [0, 1, 2, 2]",
        "p = special.softmax(scores)\nreturn np.diag(p) - np.outer(p, p)": "one number is wanted",
        # All right, in 32 bits.
        "p = special.softmax(np.float32(scores))\nother = 1 - np.eye(len(p))\n"
        "return np.sqrt(np.sum((p * (other @ p)) ** 2) + p**2 @ other @ p**2)": "it is 0.447",
    },
    4: {
        SIMULATE + "    square[sigma] = np.mean(two - 2 * three + two**2)\n"
        "return square[8] / square[1]": "without the root",
        SIMULATE + "    square[sigma] = np.mean(two - 2 * three + two**2)\n"
        "return np.sqrt(square[1] / square[8])": "the divided norm over the undivided one",
        SIMULATE + "    square[sigma] = np.mean(np.sqrt((two - 2 * three + two**2).clip(0)))\n"
        "return square[8] / square[1]": "Square first, then average",
        # For three keys 0.2014, where the ratio of the squares is 0.2008.
        SIMULATE + "    square[sigma] = np.mean(1 - two)\nreturn square[8] / square[1]": (
            "the ratio of the traces"
        ),
        "return 8": "for 3 keys this gives 8.000, where an integral gives 0.448",
    },
    5: {
        "return np.sqrt(2 * np.log(n))": "where the best score lies",
        "return stats.norm.ppf(0.5 ** (1 / n))": "that is the median",
        "return 1 / np.sqrt(np.pi)": "for 16 keys at σ = 200 a simulation gives",
        "tie = lambda x: stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** (n - 2)\n"
        "return n * (n - 1) / 2 * integrate.quad(tie, -8, 8)[0]": "half of it",
        "tie = lambda x: stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** (n - 2)\n"
        "return n * (n - 1) * 2 * integrate.quad(tie, -8, 8)[0]": "twice as much",
    },
    6: {
        SLOPE + AGREE + "\ndef entropy(F, sigma):\n    return F(sigma)": "the mean of ln Z alone",
        SLOPE + AGREE + "\ndef entropy(F, sigma):\n    return F(sigma) - slope(F, sigma)": (
            "the scores are σ g_i"
        ),
        SLOPE + ENTROPY + "\ndef agree(F, sigma):\n    return 1 - slope(F, sigma)": "σ is missing",
        SLOPE + ENTROPY + "\ndef agree(F, sigma):\n    return slope(F, sigma) / sigma": (
            "the mean of Σ p_i (1 - p_i)"
        ),
        SLOPE + ENTROPY + "\ndef agree(F, sigma):\n    return np.exp(-entropy(F, sigma))": (
            "by simulation"
        ),
    },
}
