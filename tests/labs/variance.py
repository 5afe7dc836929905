"""Right answers unlike the solutions of docs/labs/variance.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it. Where the skeleton is one
function, its body is enough.
"""

LOUD = """
def loud(q, rng):
    return q * rng.choice([-1, 1], (len(q), 1))
"""
SILENT_BUT_CORRELATED = """
def silent(q, rng):
    k = q[:, [1, 0, 3, 2, 5, 4]]
    k[:, 1::2] *= -1
    return k
"""

RIGHT = {
    1: ["return np.float32(d) ** 0.5", "return np.std(draw_scores(d, seed=5))"],
    2: [
        "from itertools import product\n"
        "p = [0] * (2 * d + 1)\n"
        "for signs in product((-1, 1), repeat=2 * d):\n"
        "    p[d + sum(a * b for a, b in zip(signs[:d], signs[d:]))] += 1 / 4**d\n"
        "return p",
    ],
    3: [
        "def loud(q, rng):\n    return [list(row * rng.choice([-1, 1])) for row in q]\n\n\n"
        "def silent(q, rng):\n"
        "    balanced = [1, 1, 1, -1, -1, -1]\n"
        "    return np.array([row * rng.permutation(balanced) for row in q])",
        # Keys along the query, of random length.
        "def loud(q, rng):\n    return q * rng.standard_normal((len(q), 1))\n\n\n"
        "def silent(q, rng):\n"
        "    k = q[:, ::-1] * [1, 1, 1, -1, -1, -1]\n"
        "    return k * rng.choice([-1, 1], (len(q), 1))",
        # The coin may be the query's own: a sign, uncorrelated with each of its coordinates.
        "def loud(q, rng):\n    return q * q.prod(axis=1, keepdims=True)\n\n\n"
        "def silent(q, rng):\n"
        "    return q[:, ::-1] * [1, 1, 1, -1, -1, -1] * q.prod(axis=1, keepdims=True)",
    ],
    6: [
        # By the density of F, and by the beta law of a share of two squared lengths.
        "return integrate.quad(lambda f: stats.f.pdf(f, b, a)\n"
        "    * 2 / np.pi * np.arctan(np.sqrt(b / a * f)), 0, np.inf)[0]",
        "return integrate.quad(lambda x: stats.beta.pdf(x, a / 2, b / 2)\n"
        "    * 2 / np.pi * np.arccos(np.sqrt(x)), 0, 1)[0]",
    ],
}

WRONG = {
    1: {
        "return d": "that is the variance",
        "return 8": "How must the number depend on d",
        "return np.sqrt(d + 0.1)": "but for 1 the standard deviation is 0.95",
        "return np.log(d)": "this gives 1.9",
        "return -np.sqrt(d)": "-8 is not positive",
        "return [d**0.5, d]": "one number is wanted, and here is the shape (2,)",
    },
    2: {
        "return stats.binom.pmf(np.arange(d + 1), d, 0.5)": "shape (3,)",
        "return stats.binom.pmf(np.arange(2 * d + 1), 2 * d, 0.5)": ("Which scores cannot occur"),
        "return np.ones(2 * d + 1)": "add up to 5",
        # As many of each possible score: the right support, the wrong weights.
        "return (np.arange(2 * d + 1) % 2 == 0) / (d + 1)": "has variance 2.66667",
        # The distribution of half as many terms, twice as large.
        "p = np.zeros(2 * d + 1)\n"
        "p[d % 2], p[-1 - d % 2] = 0.5, 0.5\nreturn p": "this distribution has variance 4",
    },
    3: {
        "def loud(q, rng):\n    return q\n" + SILENT_BUT_CORRELATED: (
            "in loud, q[0] and k[0] are correlated: 1.00"
        ),
        "def loud(q, rng):\n    return q * rng.choice([-1, 1], q.shape)\n"
        + SILENT_BUT_CORRELATED: "its scores have variance ",
        "def loud(q, rng):\n    return 6 * q\n"
        + SILENT_BUT_CORRELATED: "the mean squares [36. 36.",
        LOUD + "\n\ndef silent(q, rng):\n    return 0 * q": (
            "the keys of silent have the mean squares [0."
        ),
        LOUD + SILENT_BUT_CORRELATED: "in silent, q[0] and k[1] are correlated: -1.00",
        # A few rows of the loud kind among the silent ones.
        LOUD + "\n\ndef silent(q, rng):\n"
        "    k = q[:, ::-1] * [1, 1, 1, -1, -1, -1]\n"
        "    k[:40] = q[:40]\n"
        "    return k * rng.choice([-1, 1], (len(q), 1))": (
            "silent gives 40 scores of 40000 that are not 0"
        ),
        # Signs that alternate from row to row hide in the mean, and are no coin.
        "def loud(q, rng):\n    return q * np.where(np.arange(len(q)) % 2, 1, -1)[:, None]\n"
        "\n\ndef silent(q, rng):\n"
        "    k = q[:, ::-1] * np.repeat([1, -1], q.shape[1] // 2)\n"
        "    return k * rng.choice([-1, 1], (len(q), 1))": "In row 0, q[0] and k[0] are correlated: -1.00",
        LOUD + "\n\ndef silent(q, rng):\n"
        "    k = q[:, ::-1] * [1, 1, 1, -1, -1, -1]\n"
        "    return k * np.where(np.arange(len(q)) % 2, 1, -1)[:, None]": (
            "silent does not treat all rows alike"
        ),
        LOUD + "\n\ndef silent(q, rng):\n    return 0": "silent: the shape (40000, 6) is wanted",
    },
    4: {
        "return d": "the variance of one entry",
        "return d * n * m / (n * m - 1 + 1e-9)": "this gives 2.6667",
        "return d * (1 - 1 / n)": "this gives 1.0000",
        "return d * (1 - 1 / d**2)": "n, d, m = 2, 3, 3",
        "return 1.003 * d * (1 - 1 / (n * m))": "it takes a formula",
    },
    5: {
        "return 1": "if the queries had variance 1",
        "return np.sqrt(2 * D / (D + d_k))": "one coordinate of q",
        "return (2 * D / (D + d_k)) ** 2": "not its root",
        "return 2 * D / (D + d_k) * np.sqrt(d_k)": "to be divided by √d_k",
        "return -2 * D / (D + d_k)": "below 0",
        "return 1.01 * 2 * D / (D + d_k)": "standard deviation 1.3333, and this is 1.3467",
    },
    6: {
        "return 2 / np.pi * np.arctan(np.sqrt(b / a))": "but close",
        "return np.sqrt(b / a)": "2 is no probability",
        # The right integral, and an error in the fourth decimal.
        "return integrate.quad(lambda x: stats.beta.pdf(x, a / 2, b / 2)\n"
        "    * 2 / np.pi * np.arccos(np.sqrt(x)), 0, 1)[0] + 0.0008 * np.sign(b - a)": (
            "it is off by +8e-04"
        ),
        "return b / (a + b)": "this is 0.8000",
        "ppf = stats.f.ppf\nreturn integrate.quad("
        "lambda u: 2 / np.pi * np.arctan(np.sqrt(a / b * ppf(u, a, b))), 0, 1)[0]": "the opposite",
        # With the error that quad gives besides.
        "return integrate.quad(lambda u: 0.05, 0, 1)": "here is the shape (2,)",
        "rng = np.random.default_rng()\n"
        "x, y = (rng.gamma(d / 2, size=(2, 500_000)) for d in (a, b))\n"
        "return np.mean(np.abs(x[0] - x[1]) < np.abs(y[0] - y[1]))": "do not simulate",
    },
}
