"""Another quadrature of the same averages, by plain sums."""

import math
from functools import cache

import numpy as np
from scipy import stats


@cache
def power_sums(n, sigma):
    """Give E Σp², E Σp³ and E (Σp²)²: 1/Z^r is ∫ t^r e^{−tZ} d ln t/Γ(r)."""
    h = 0.4
    g = np.arange(-9, math.sqrt(2 * math.log(n)) + 8, h * min(0.5, 1 / sigma))
    density = (g[1] - g[0]) * stats.norm.pdf(g)
    log_t = np.arange(-sigma * g[-1] - math.log(n) - 5, 9 * sigma + 5, h)
    u = np.minimum(sigma * g + log_t[:, np.newaxis], 7)  # beyond it exp(−e^u) is 0
    two, three, four = (np.exp(k * u - np.exp(u)) @ density for k in (2, 3, 4))
    log_rest = np.log1p(-np.minimum(-np.expm1(-np.exp(u)) @ density, 1 - 1e-15))
    one_less, two_less = (np.exp((n - k) * log_rest) for k in (1, 2))
    square = (four * one_less + (n - 1) * two**2 * two_less) / 6
    return [n * h * np.sum(f) for f in (two * one_less, three * one_less / 2, square)]


def jacobian_mean(n, sigma):
    """Give E‖J‖² by the formula that cancels, which does no harm to an average."""
    same, cubes, square = power_sums(n, sigma)
    return same - 2 * cubes + square


@cache
def log_sum(n, sigma):
    """Give E ln Z by its slope, σ (1 − E Σp²)."""
    node, weight = np.polynomial.legendre.leggauss(12)
    return math.log(n) + sum(
        w * sigma / 2 * s * (1 - power_sums(n, s)[0])
        for w, s in zip(weight, sigma * (node + 1) / 2, strict=True)
    )


@cache
def largest_mean(n, sigma):
    """Give E max p: with the best key at g, p = 1/(1 + R) is ∫ e^{−s(1 + R)} ds, R from below g."""
    node, weight = np.polynomial.legendre.leggauss(160)
    g = np.arange(-7, 9, 0.1)[:, np.newaxis]
    s = np.exp(np.arange(-13 - math.log(n), 4, 0.25))
    below = (g + (node - 1) * (g + 9) / 2)[:, np.newaxis]  # from −9 to g
    part = stats.norm.pdf(below) * weight * (g + 9)[:, np.newaxis] / 2
    lead = np.exp(sigma * (below - g[:, np.newaxis]))
    miss = np.sum(-np.expm1(-s[:, np.newaxis] * lead) * part, axis=-1)
    rest = np.exp((n - 1) * np.log(np.maximum(stats.norm.cdf(g) - miss, 1e-300)))
    return n * 0.1 * 0.25 * np.sum(stats.norm.pdf(g) * rest * s * np.exp(-s))
