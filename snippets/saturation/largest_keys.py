"""Draws of softmax weights for any number of keys, from the largest few.

The largest logits are drawn from their exact distribution; all the others enter
by their mean, given that they are smaller. For medians, which no quadrature
gives; except for three keys, where a grid of all draws does.
"""

from functools import cache

import numpy as np
from scipy.special import log_ndtr, ndtri
from scipy.stats import qmc


def largest_gaussians(exponentials, n):
    """Return the largest of n Gaussians, sorted, from exponential numbers E.

    The largest of n uniform numbers are e^{−s} with s = E_1/n + E_2/(n−1) + …
    (Rényi); Φ^{-1} turns them into the largest Gaussians.
    """
    u = exponentials / (np.arange(exponentials.shape[1]) - n)
    np.cumsum(u, axis=1, out=u)
    np.exp(u, out=u)
    return ndtri(u, out=u)


def draw(rng, n, draws, keep=100):
    """Return the largest min(n, keep) of n standard Gaussians, sorted."""
    return largest_gaussians(rng.exponential(size=(draws, min(n, keep))), n)


@cache
def even_exponentials(keep, seed, power):
    """Return exponential numbers from Sobol's points, 2^power times `keep`."""
    uniform = qmc.Sobol(keep, bits=40, rng=seed).random_base2(power)
    return -np.log1p(-uniform)


def draw_evenly(n, keep=50, seed=0, power=15):
    """Return the same, 2^power times, from Sobol's points, not random ones.

    They fill the cube evenly, so that a median is as good as from a hundred
    times as many random draws, or more.
    """
    return largest_gaussians(even_exponentials(min(n, keep), seed, power), n)


def every_three(points=1000):
    """Return a grid of equally likely draws of three Gaussians, sorted.

    Only their differences count, and these are a point in a plane with Gaussian
    coordinates: its distance r and its angle, of which sorting leaves 60°, are
    independent. The angle is uniform, and r beyond √(−2 ln u) has chance u.
    """
    u = (np.arange(points) + 0.5) / points
    radius = np.sqrt(-2 * np.log(u))[:, np.newaxis]
    angle = np.pi / 3 * u
    turned = angle + 2 * np.pi / 3 * np.arange(-1, 2)[:, np.newaxis]
    g = np.sqrt(2 / 3) * radius * np.cos(turned)[:, np.newaxis]
    return -np.sort(-g.reshape(3, -1).T, axis=1)


def power_sums(top, n, sigma, most=3):
    """Return Σ (e_i/e_1)^k over all keys but the first, e_i = e^{σ g_i}, for
    each k from 1 to `most`.
    """
    first, last = top[:, 0], top[:, -1]
    ratio = top[:, 1:] - top[:, :1]
    ratio *= sigma
    np.exp(ratio, out=ratio)
    sums = []
    for k in range(1, most + 1):
        total = np.einsum(",".join(k * ["ij"]) + "->i", *k * [ratio])
        if n > top.shape[1]:
            # A Gaussian below c has E e^{ag} = e^{a²/2} Φ(c − a)/Φ(c).
            a = k * sigma
            mean = a**2 / 2 + log_ndtr(last - a) - log_ndtr(last) - a * first
            total += (n - top.shape[1]) * np.exp(mean)
        sums.append(total)
    return sums


def largest_weight(top, n, sigma):
    """Return max p_i for each draw."""
    (r1,) = power_sums(top, n, sigma, 1)
    return 1 / (1 + r1)


def weights_norm(top, n, sigma):
    """Return ‖p‖, the root of Σ p_i², for each draw."""
    r1, r2 = power_sums(top, n, sigma, 2)
    return np.sqrt(1 + r2) / (1 + r1)


def jacobian_norm(top, n, sigma):
    """Return ‖J‖_F for each draw, from sums without the largest key.

    With R_k = Σ_{i>1} (e_i/e_1)^k and Z = 1 + R_1, Z⁴‖J‖² = R_1² + 2 R_2 + R_2²
    + Z² R_2 − 2 Z R_3. Nothing in it is nearly 1.
    """
    r1, r2, r3 = power_sums(top, n, sigma)
    z = 1 + r1
    square = r1**2 + 2 * r2 + r2**2 + z**2 * r2 - 2 * z * r3
    return np.sqrt(square) / z**2
