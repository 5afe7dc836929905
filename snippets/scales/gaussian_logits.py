"""Softmax of n iid Gaussian logits of standard deviation `sigma`: exact means.

With Z = Σ e^z and L(τ) = E exp(−e^{z−τ}), what one logit does suffices:

    E ln Z   = ∫ exp(−e^{−τ}) − L(τ)^n dτ
    E Σ p_i² = n ∫ E[e^{2(z−τ)} exp(−e^{z−τ})] L(τ)^{n−1} dτ

since Z^{−k} = ∫ t^{k−1} e^{−tZ} dt / Γ(k), with t = e^{−τ}, and independent
logits factor. The integrands fall to nothing on both sides, so that the
trapezoid rule is right to eight digits at this step.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

STEP = 0.4


def _grid(n, sigma):
    """Return τ where the integrands live; z − τ over it; the weights of z."""
    g = np.arange(-9, 9, STEP / max(1, sigma))
    # Below `low`, L^n is under 1e-17; above `high`, 1 − L^n is.
    low = min(sigma * ndtri(1e-17 ** (1 / n)), 0) if n < 50 else 0
    high = np.log(n) + min(sigma**2 / 2, 9 * sigma) + 40
    tau = np.arange(low - 6, high, STEP)
    weight = np.exp(-(g**2) / 2)
    # From u = 40 on exp(−e^u) is 0 anyway.
    u = np.minimum(sigma * g - tau[:, np.newaxis], 40)
    return tau, u, weight / weight.sum()


def mean_log_sum(n, sigma):
    """Return E ln Z. `n` need not be whole."""
    tau, u, weight = _grid(n, sigma)
    one = np.exp(-np.exp(u)) @ weight
    return STEP * np.sum(np.exp(-np.exp(-tau)) - one**n)


@cache
def mean_square_weights(n, sigma):
    """Return E Σ p_i²; its inverse is the effective number of keys."""
    _, u, weight = _grid(n, sigma)
    kernel = np.exp(-np.exp(u))
    both = np.exp(2 * u - np.exp(u)) @ weight
    return STEP * n * np.sum(both * (kernel @ weight) ** (n - 1))


@cache
def mean_largest(n, sigma):
    """Return E max p_i, the average of the largest weight.

    Given the largest logit σg, the weight is 1/(1 + Y), Y the sum of e^{−σx}
    over the others, which lie x below it; and 1/(1 + Y) = ∫ e^{−t} e^{−tY} dt.
    """
    node, node_weight = np.polynomial.legendre.leggauss(48)
    low = ndtri(1e-17 ** (1 / n))
    g = low + (9.5 - low) * (node + 1) / 2
    g_weight = (9.5 - low) / 2 * node_weight
    log_t = np.arange(-np.log(n) - 24, 4, STEP)
    t = np.exp(log_t)
    reach = np.minimum(44 / sigma, g + 9.5)
    x = reach[:, np.newaxis] * (node + 1) / 2
    bell = np.exp(-((g[:, np.newaxis] - x) ** 2) / 2) / np.sqrt(2 * np.pi)
    bell *= reach[:, np.newaxis] / 2 * node_weight
    # How far e^{−tY} falls short of 1, for one of the others.
    fall = 1 - np.exp(-t[:, np.newaxis] * np.exp(-sigma * x)[:, np.newaxis, :])
    other = ndtr(g)[:, np.newaxis] - (fall @ bell[:, :, np.newaxis])[:, :, 0]
    given = STEP * other.clip(0) ** (n - 1) @ (t * np.exp(-t))
    density = n * np.exp(-(g**2) / 2) / np.sqrt(2 * np.pi)
    return np.sum(g_weight * density * given)


def mean_maximum(n):
    """Return E max of n standard Gaussians."""
    x = np.arange(-10, 10, 0.01)
    bell = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return 0.01 * np.sum(n * x * bell * ndtr(x) ** (n - 1))
