"""How the right key fares among noise, by routes that are not the snippets'."""

import math
from functools import cache

import numpy as np
from scipy import integrate, special, stats

FACTORS = {
    "1": lambda n: 1,
    "0.43 ln n": lambda n: 0.43 * math.log(n),
    "√(2 ln n)": lambda n: math.sqrt(2 * math.log(n)),
    "ln n": math.log,
    "√d": lambda n: 8,
}


@cache
def on_top(n, rho):
    """Give the chance that a key of correlation ρ beats n − 1 others, by the best of these."""

    def misses(x):  # the best of the others lies above x
        return -math.expm1((n - 1) * stats.norm.logcdf(x))

    def density(x):
        return stats.norm.pdf(x, 8 * rho, math.sqrt(1 - rho**2))

    return 1 - integrate.quad(lambda x: misses(x) * density(x), -4, 14, points=[8 * rho])[0]


@cache
def log_sums(n, a):
    """Give ln Σ e^{az} over n − 1 noise scores, from even draws of all of them, none by a mean."""
    uniform = stats.qmc.Sobol(n - 1, bits=40, rng=1).random(2**13)
    return special.logsumexp(a * special.ndtri(uniform), axis=1)


def below(weight, n, a, rho):
    """Give the share of draws with less weight, averaged over the right key's score."""
    limit = (special.logit(weight) + log_sums(n, a)) / a
    return np.mean(stats.norm.cdf((limit - 8 * rho) / math.sqrt(1 - rho**2)))
