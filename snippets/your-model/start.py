"""How widely logits spread before training, and how many keys take part.

A token x has D coordinates and x·x = D, as LayerNorm and RMSNorm leave it. The
entries of W_Q and W_K are independent, with mean 0 and one variance each. A
coordinate of q then has variance D Var W_Q, and q·k the variance
d · D Var W_Q · D Var W_K. After norms on q and k their directions are random.
"""

import numpy as np

# Var W_Q and Var W_K, for width D, h heads of d, and a deviation of s.
RULES = {
    "LeCun": lambda D, h, d, s: (1 / D, 1 / D),
    "Xavier": lambda D, h, d, s: (2 / (D + h * d), 2 / (D + h * d)),
    "Xavier, fused": lambda D, h, d, s: 2 * (2 / (D + 3 * h * d),),
    "Xavier, one head": lambda D, h, d, s: (2 / (D + d), 2 / (D + d)),
    "nn.Linear": lambda D, h, d, s: (1 / (3 * D), 1 / (3 * D)),
    "deviation": lambda D, h, d, s: (s**2, s**2),
    "T5": lambda D, h, d, s: (1 / (D * d), 1 / D),
}
# The variance of q·k if both are brought to a length, for any weights.
NORMS = {
    "none": None,
    "RMSNorm": lambda d: d,
    "LayerNorm": lambda d: d**2 / (d - 1),
    "length 1": lambda d: 1 / d,
}
SCALES = {
    "1/√d": lambda D, d, number: d**-0.5,
    "1": lambda D, d, number: 1,
    "1/d": lambda D, d, number: 1 / d,
    "8/d": lambda D, d, number: 8 / d,
    "1/√width": lambda D, d, number: D**-0.5,
    "√d": lambda D, d, number: d**0.5,
    "number": lambda D, d, number: number,
}


def spread(d, h, D, rule, scale, norm="none", s=0.02, number=0.125):
    """Return the standard deviation of a logit over the weights."""
    of_q, of_k = (D * variance for variance in RULES[rule](D, h, d, s))
    variance = d * of_q * of_k if norm == "none" else NORMS[norm](d)
    return SCALES[scale](D, d, number) * np.sqrt(variance)


def sharing(n, sigma, step=0.4):
    """Return 1/E Σp² for n independent Gaussian logits, for σ up to 64.

    E Σp² = n ∫ E[e^{2u−e^u}] E[exp(−e^u)]^{n−1} dτ, with u = σg − τ, since
    1/Z² = ∫ t e^{−tZ} dt, and t = e^{−τ}.
    """
    g = np.arange(-9, 9, step / max(1, sigma))
    weight = np.exp(-(g**2) / 2) / np.exp(-(g**2) / 2).sum()
    total = 0
    for tau in np.arange(-9 * sigma - 5, 9 * sigma + np.log(n) + 12, step):
        e = np.exp(np.minimum(sigma * g - tau, 7))
        square = weight @ (e**2 * np.exp(-e))
        total += square * (1 - weight @ -np.expm1(-e)) ** (n - 1)
    return 1 / (step * n * total)
