"""Right answers unlike the solutions of docs/labs/theorem.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it, and a right one may. Where the skeleton is one
function, its body is enough.
"""

MOMENT = """
def moment(n):
    return (1 - n) if n < 2 else (n - 1) * moment(n - 2)
"""
SECOND_MOMENT = "return np.trace(cov_q @ cov_k)"

RIGHT = {
    2: [
        # By Lemma 2, with one long vector.
        "I, O = np.eye(len(C)), np.zeros_like(C)\n"
        "M = np.block([[O, I], [I, O]]) @ np.block([[cov_q, C], [C.T, cov_k]]) / 2\n"
        "return 2 * np.trace(M @ M) + np.trace(M) ** 2",
    ],
    3: [
        "C = [[0] * d for _ in range(d)]\n"
        "for i in range(d // 2):\n    C[i][-1 - i], C[-1 - i][i] = 1, -1\nreturn C",
    ],
    4: [
        MOMENT + "\n\ndef broken(z):\n    return list((z > 1) / stats.norm.pdf(1))",
        MOMENT + "\n\ndef broken(z):\n    return np.where(z > 0, 3 + np.sqrt(2 * np.pi), 3)",
        # Many jumps, and no more than sixteen.
        MOMENT + "\n\ndef broken(z):\n    return np.floor(np.clip(z, -8, 8))",
        # One jump, far out and high.
        MOMENT + "\n\ndef broken(z):\n    return (z > 12) / stats.norm.pdf(12)",
        MOMENT + "\n\ndef broken(z):\n    return (z > -31) / stats.norm.pdf(31)",
    ],
    6: {
        "return special.stdtr(d, -rho * np.sqrt(d / (1 - rho**2)))": "for 1% it takes d = 539",
        "return stats.f.cdf((1 - rho) / (1 + rho), d, d)": "",
        # For a correlation above 0, as in the text.
        "return special.betainc(d / 2, 1 / 2, 1 - rho**2) / 2": "",
        # An integral that SciPy gets wrong from d = 165 on, where no one asks for it.
        "return integrate.quad(lambda v: stats.chi2.pdf(v, d)\n"
        "    * stats.norm.cdf(-rho * np.sqrt(v / (1 - rho**2))), 0, np.inf)[0]": (
            "for 1% it takes d = 539"
        ),
    },
}

WRONG = {
    1: {
        "return 1 / rho**2": "good if each product q_i·k_i had variance 1",
        "return 1 / rho": "compare the mean with a root",
        "return (1 + rho**2) / rho": "compare the mean with a root",
        "return 1 + 1 / rho": "so the standard deviation is 1.94",
    },
    2: {
        SECOND_MOMENT + " + np.sum(C**2) + np.trace(C) ** 2": "right for symmetric C only",
        SECOND_MOMENT + " + np.trace(C @ C)": "that is the variance",
        SECOND_MOMENT + " + abs(np.trace(C @ C)) + np.trace(C) ** 2": "turned by 90°",
        SECOND_MOMENT + " + max(0, np.trace(C @ C)) + np.trace(C) ** 2": "turned by 90°",
        # Good while one of the two has no entries off the diagonal.
        "return np.trace(cov_q * cov_k) + np.trace(C @ C) + np.trace(C) ** 2": "even where C is 0",
        SECOND_MOMENT + " + np.trace(C) ** 2": "with a symmetric C the draws give",
        "return np.trace(cov_q) * np.trace(cov_k) + np.trace(C @ C)": "even where C is 0",
        "return cov_q @ cov_k + C @ C": "one number is wanted, and here is the shape (4, 4)",
    },
    3: {
        "return np.eye(d)": "C is symmetric",
        "return np.zeros((d, d))": "C is symmetric",
        "return np.triu(np.ones((d, d)), 1) - np.tril(np.ones((d, d)), -1)": (
            "At d = 6 it has the singular value 3.73"
        ),
        "return np.kron(np.eye(d // 2), [[0, -1], [1, 0]])": "here is the shape (2, 2)",
        # The key follows the query in the coordinate that is left.
        "C = np.eye(d)\n"
        "for i in range(0, d - 1, 2):\n"
        "    C[i : i + 2, i : i + 2] = [[0, -1], [1, 0]]\n"
        "return C": "Which direction is left over",
        "return 0.9 * np.kron(np.eye(d // 2), [[0, -1], [1, 0]])": "not yet; at d = 2 the true",
    },
    4: {
        "def moment(n):\n    return special.factorial(n - 1) if n % 2 == 0 else 0\n": (
            "the mean of z^0 is 1, and this gives 0"
        ),
        "def moment(n):\n    return 1 - n if n < 2 else n * moment(n - 2)\n": (
            "the mean of z^2 is 1, and this gives 2"
        ),
        MOMENT + "\n\ndef broken(z):\n    return z": "the derivative of h is 1, not 0",
        MOMENT + "\n\ndef broken(z):\n    return np.sign(z)": "E[z·h(z)] is 0.7979",
        MOMENT + "\n\ndef broken(z):\n    return np.ones_like(z)": "Is h constant",
        MOMENT + "\n\ndef broken(z):\n    return (z > 12) / stats.norm.pdf(11)": (
            "E[z·h(z)] is 1.013e-05, not 1"
        ),
        MOMENT + "\n\ndef broken(z):\n    return np.nan * z": "E[z·h(z)] is nan",
        # The right mean, by a jump at every whole number, or at every tenth.
        MOMENT + "\n\ndef broken(z):\n    return np.floor(z)": "takes 1,001 values",
        MOMENT + "\n\ndef broken(z):\n    return np.round(z)": "ever stop jumping",
        MOMENT + "\n\ndef broken(z):\n    return np.floor(10 * z) / 10": "values between 1,000",
        MOMENT + "\n\ndef broken(z):\n    return 1": "the shape (1000,) is wanted",
    },
    5: {
        "d = 2 * len(theta)\n"
        "mean = 2 * rho * np.sum(np.cos(m * theta))\n"
        "return d + rho**2 * d + mean**2": "that is the published formula",
        "return 2 * len(theta) + 2 * rho**2 * np.sum(np.cos(2 * m * theta))": "squared mean",
        "mean = 2 * rho * np.sum(np.cos(m * theta))\n"
        "return 2 * len(theta) + rho * mean + mean**2": "By which angle",
        "mean = 2 * rho * np.sum(np.cos(m * theta))\nreturn len(theta) + mean**2": "d/2 angles",
        "mean = 2 * rho * np.sum(np.cos(m * theta))\n"
        "return 2 * len(theta) - 2 * rho**2 * np.sum(np.cos(2 * m * theta)) + mean**2": (
            "By which angle"
        ),
        "mean = rho * np.sum(np.cos(m * theta))\n"
        "return 2 * len(theta) + 2 * rho**2 * np.sum(np.cos(2 * m * theta)) + mean**2": (
            "and distance 1"
        ),
    },
    6: {
        "return special.ndtr(-rho * np.sqrt(d / (1 + rho**2)))": "as if S were normal",
        "return stats.beta.cdf((1 + rho) / 2, d / 2, d / 2)": "of the opposite",
        "return stats.beta.cdf((1 - rho) / 2, d, d)": "50,000 scores is negative",
        "return stats.norm.cdf(-rho * d)": "50,000 scores is negative",
        "q, k = draw_pairs(d, rho, 100_000, seed=1)\n"
        "return np.mean(np.sum(q * k, axis=1) < 0)": "an integral over the length",
        "return 1 - 2 * rho * d": "no probability",
    },
}
