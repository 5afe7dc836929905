"""The rivals of √d: what each makes of a score, as functions of d.

q and k have d coordinates of mean 0 and variance 1. At the start they are
independent; aligned, each pair of coordinates has correlation `rho`.
"""

import numpy as np
from scipy.special import gammaln, hyp2f1

CAP = 50
TEMPERATURE = 10


def log_divisors(d):
    """Return ln f(d) for the divisors f. Logarithms, since e^{πd} overflows."""
    d = np.asarray(d, dtype=float)
    return {
        "1": np.zeros_like(d),
        "log d": np.log(np.log(d)),
        "√d": np.log(d) / 2,
        "d": np.log(d),
        "d/8": np.log(d / 8),
        "d⁵": 5 * np.log(d),
        "exp πd": np.pi * d,
    }


def spreads(d, n):
    """Return the standard deviation of a logit at the start, by rival."""
    result = {
        name: np.exp(np.log(d) / 2 - log_f)
        for name, log_f in log_divisors(d).items()
    }
    result["cosine"] = 1 / np.sqrt(d)
    result["10 cosine"] = TEMPERATURE / np.sqrt(d)
    # √d times the cosine: LayerNorm on q and on k, then 1/√d.
    result["QK-norm"] = np.ones_like(result["√d"])
    result["log n"] = np.log(n) * result["√d"]
    # The capped logit is 50 tanh(z/50); z is Gaussian but for terms in 1/d.
    z = np.linspace(-12, 12, 2001)
    bell = np.exp(-(z**2) / 2)
    square = np.sum(bell * (CAP * np.tanh(z / CAP)) ** 2) / np.sum(bell)
    result["cap"] = np.sqrt(square) * result["√d"]
    return result


def mean_cosine(d, rho):
    """Return the mean cosine of Gaussian q and k (Fisher, of r)."""
    log_ratio = gammaln((d + 1) / 2) - gammaln(d / 2)
    bend = hyp2f1(0.5, 0.5, d / 2 + 1, rho**2)
    return 2 / d * np.exp(2 * log_ratio) * rho * bend


def aligned(d, rho, n):
    """Return the mean of a logit under alignment, by rival.

    For the cap it is the cap of the mean.
    """
    result = {
        name: rho * np.exp(np.log(d) - log_f)
        for name, log_f in log_divisors(d).items()
    }
    result["cosine"] = mean_cosine(d, rho)
    result["10 cosine"] = TEMPERATURE * result["cosine"]
    result["QK-norm"] = np.sqrt(d) * result["cosine"]
    result["log n"] = np.log(n) * result["√d"]
    result["cap"] = CAP * np.tanh(result["√d"] / CAP)
    return result
