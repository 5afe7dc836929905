"""The exact distribution of S = q·k if q, k ~ N(0, I), E[q kᵀ] = ρI, |ρ| < 1.

Given k, S is Gaussian with mean ρ‖k‖² and variance (1 − ρ²)‖k‖²; and ‖k‖² is χ²
with d degrees of freedom. So the distribution is a mean of bell curves, which
the trapezoid rule takes over u = ln ‖k‖². It converges geometrically here.
"""

import numpy as np
from scipy.special import gammaincinv, gammaln, ndtr

NODES = 500


def squared_lengths(d):
    """Return values of ‖k‖² and their weights, which add up to 1."""
    # Nearly all of χ²_d: 1e-18 of it lies below, and e^-40 above.
    low, middle = 2 * gammaincinv(d / 2, [1e-18, 0.5])
    high = middle + 2 * np.sqrt(80 * middle) + 80
    u = np.linspace(np.log(low), np.log(high), NODES)
    log_weight = d / 2 * (u - np.log(2)) - np.exp(u) / 2 - gammaln(d / 2)
    return np.exp(u), np.exp(log_weight) * (u[1] - u[0])


def density(s, d, rho=0.0):
    """Return the density at the points `s`; it is infinite at 0 if d = 1."""
    v, weight = squared_lengths(d)
    sd = np.sqrt((1 - rho**2) * v)
    z = (np.asarray(s)[..., np.newaxis] - rho * v) / sd
    return np.exp(-(z**2) / 2) @ (weight / sd) / np.sqrt(2 * np.pi)


def cdf(s, d, rho=0.0):
    """Return P(S ≤ s) at the points `s`, an array."""
    v, weight = squared_lengths(d)
    z = np.asarray(s)[..., np.newaxis] - rho * v
    return ndtr(z / np.sqrt((1 - rho**2) * v)) @ weight
