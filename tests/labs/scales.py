"""Right answers unlike the solutions of docs/labs/scales.ipynb, and typical wrong ones.

A wrong one comes with part of what the check says to it.
"""

from textwrap import indent

HALF = """
def beta_for_half(n):
    return np.log(n - 1) / 2
"""
CEILING = """
def ceiling(n, beta):
    return 1 / (1 + (n - 1) * np.exp(-2 * beta))
"""
AFTER = """
def limit_after(d):
    return np.sqrt(65504 / d)
"""
BEFORE = """
def limit_before(d):
    return np.sqrt(65504 / np.sqrt(d))
"""
VARIANCE = """
variance = {
    "head": 2 / (D + d),
    "fused": 2 / (D + 3 * D),
    "linear": 1 / (3 * D),
    "gpt2": 0.02**2,
}
"""
COSINE = """
n, D = tokens.shape
cosine = tokens @ tokens.T / D
others = np.sum(cosine) - np.trace(cosine)
"""
LOG_Z = """
z = np.random.default_rng(1).standard_normal((2_000_000 // n, n - 1)) * np.sqrt(d) / s
log_z = np.mean(special.logsumexp(z, axis=1))
"""
ODDS = """
rng = np.random.default_rng(3)
noise = rng.standard_normal((1_000_000 // n, n - 1)) * np.sqrt(d) / s
own = rng.standard_normal(len(noise)) * np.sqrt(d) / s
log_z = special.logsumexp(noise, axis=1)
odds = rho * d / s + np.sqrt(1 - rho**2) * own - log_z
"""


def both(needed_body, decided_body):
    """Give both functions of exercise 6, each from its body."""
    return (
        f"def correlation_needed(n, d, s):\n{indent(needed_body, '    ')}\n\n\n"
        f"def share_decided(rho, n, d, s):\n{indent(decided_body, '    ')}\n"
    )


def needed(body):
    return both(body, ODDS + "return np.mean(np.abs(odds) > np.log(9))")


def decided(body):
    return both(LOG_Z + "return log_z * s / d", ODDS + body)


RIGHT = {
    1: ["return np.float32(d) ** 0.5 / f(d)"],
    2: [
        "def ceiling(n, beta):\n    return special.softmax([beta] + [-beta] * (n - 1))[0]\n\n\n"
        "def beta_for_half(n):\n    return np.arctanh((n - 2) / n)",
    ],
    4: [
        BEFORE + "\ndef limit_after(d):\n    return np.float16(np.sqrt(65504 / d))",
        BEFORE + "\ndef limit_after(d):\n"
        "    x = 1\n    while d * x**2 < 65504:\n        x *= 1.001\n    return x",
    ],
    5: ["return np.mean(np.var(tokens, axis=0, ddof=1))"],
    6: [
        # The share given ln Z, from the normal distribution.
        decided(
            "reach = np.sqrt((1 - rho**2) * d) / s\n"
            "up, down = ((log_z + c * np.log(9) - rho * d / s) / reach for c in (1, -1))\n"
            "return np.mean(stats.norm.sf(up) + stats.norm.cdf(down))"
        )
    ],
}

WRONG = {
    1: {
        "return d / f(d)": "a score has variance d",
        "return d / f(d) ** 2": "that is the variance",
        "return np.sqrt(d / f(d))": "not under the root",
        "return f(d) / np.sqrt(d)": "upside down",
        "return np.sqrt(d)": "before the division",
        "return np.sqrt(d) / np.array([f(d)])": "one number is wanted",
        "return 1": "divided by log d",
        "return 1.01 * np.sqrt(d) / f(d)": "the spread is 1.4427, and this gives 1.4571",
        "q, k = np.random.default_rng(0).standard_normal((2, 20_000, d))\n"
        "return np.std(np.sum(q * k, axis=1)) / f(d)": "A formula comes within",
    },
    2: {
        HALF + "\ndef ceiling(n, beta):\n"
        "    return np.exp(beta) / (np.exp(beta) + n - 1)": "if all others have cosine 0",
        HALF + "\ndef ceiling(n, beta):\n    return 1 / (1 + n * np.exp(-2 * beta))": (
            "how many other keys"
        ),
        HALF + "\ndef ceiling(n, beta):\n    return 1": "a search reaches 0.6488",
        CEILING + "\ndef beta_for_half(n):\n    return np.log(n - 1)": "more than is asked for",
        CEILING + "\ndef beta_for_half(n):\n    return np.log(n) / 2": "keys is 0.5556, not 0.5",
    },
    3: {
        VARIANCE + "return 1": "head: at D = 4, d = 3 all cases together",
        VARIANCE + "return np.sqrt(D * variance[rule])": "the spread of one coordinate of q",
        VARIANCE + "return (D * variance[rule]) ** 2": "the variance, not its root",
        VARIANCE + "return D * variance[rule] * np.sqrt(d)": "to be divided by √d",
        VARIANCE + 'variance["fused"] = 2 / (D + D)\nreturn D * variance[rule]': (
            "fused: twice as much. How many outputs"
        ),
        VARIANCE + 'variance["linear"] = 1 / D\nreturn D * variance[rule]': (
            "linear: a uniform number"
        ),
        VARIANCE + 'variance["gpt2"] = 0.02\nreturn D * variance[rule]': "gpt2: at D = 4",
        VARIANCE + "return -D * variance[rule]": "below 0",
        VARIANCE + "return 1.01 * D * variance[rule]": "the spread 1.1429, and this is 1.1543",
        VARIANCE + 'variance["fused"] = 2 / (4 * D + 2)\nreturn D * variance[rule]': (
            "fused: at D = 4, d = 3 all cases together"
        ),
    },
    4: {
        BEFORE + "\ndef limit_after(d):\n    return 65504 / d": "x comes twice",
        BEFORE + "\ndef limit_after(d):\n    return np.sqrt(65504 / np.sqrt(d))": (
            "limit_after(64) is 90.49, where the result is infinite"
        ),
        BEFORE + "\ndef limit_after(d):\n    return 65504": "the result is infinite",
        AFTER + "\ndef limit_before(d):\n    return np.sqrt(65504 / d)": (
            "limit_before(64) is 31.99, where the result is finite"
        ),
        AFTER + "\ndef limit_before(d):\n    return np.sqrt(65504) * d**0.25": "How many products",
        AFTER + "\ndef limit_before(d):\n    return -90": "should be positive",
    },
    5: {
        "return 1": "the variance of a single score",
        COSINE + "return others / (n * (n - 1))": "what the scores of a row share",
        COSINE + "return 1 - np.mean(cosine)": "a token and itself",
        COSINE + "return np.sqrt(1 - others / (n * (n - 1)))": "a standard deviation",
        COSINE + "return 1.01 * (1 - others / (n * (n - 1)))": "matrices of signs",
        "return np.var(tokens, axis=0, ddof=1)": "one number is wanted",
        "return np.mean(np.var(tokens, axis=0))": "ddof=1 divides by one less",
    },
    6: {
        needed("return (np.log(n - 1) + d / s**2 / 2) * s / d"): "the ln of the mean of Z",
        needed(LOG_Z + "return log_z / d"): "the score of the right key is ρd/s",
        needed(LOG_Z + "return log_z * s / np.sqrt(d)"): ("n, d, s = 3, 16, 4: a simulation gives"),
        needed(LOG_Z + "return np.mean(np.max(z, axis=1)) * s / d"): "the best of the noise",
        needed("return np.log(n - 1) * s / d"): "if all noise had the score 0",
        # The right key counted among the noise.
        needed(LOG_Z.replace("n - 1", "n") + "return log_z * s / d"): "and this is 0.3",
        # With too few rows for three keys.
        needed(
            "z = np.random.default_rng(1).standard_normal((300, n - 1)) * np.sqrt(d) / s\n"
            "return np.mean(special.logsumexp(z, axis=1)) * s / d"
        ): "draw more rows",
        decided("return np.mean(odds > np.log(9))"): "one of the two sides",
        decided("return np.mean(odds < -np.log(9))"): "one of the two sides",
        decided("return np.mean(np.abs(odds) < np.log(9))"): "between 0.1 and 0.9",
        decided("return np.mean(np.abs(rho * d / s - log_z) > np.log(9))"): "noise of its own",
        decided("return 0.5"): "by simulation",
        # 2 in place of ln 9, and a right key with all of the noise.
        decided("return np.mean(np.abs(odds) > 2)"): "by simulation",
        decided(
            "right = odds + (1 - np.sqrt(1 - rho**2)) * own\n"
            "return np.mean(np.abs(right) > np.log(9))"
        ): "by simulation",
    },
}
