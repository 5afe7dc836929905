"""Averages over softmax weights of Gaussian logits, exact up to rounding.

The logits are σ g_i with g_1 … g_n independent and standard Gaussian; the
weights are p_i = e^{σ g_i}/Z with Z = Σ e^{σ g_j}. With u = σg − τ let

    M_r(τ) = E[e^{ru} exp(−e^u)],    L(τ) = M_0(τ) = E[exp(−e^u)].

Since 1/Z^r = ∫ t^{r−1} e^{−tZ} dt / Γ(r), and with t = e^{−τ}, the mean of a
product of exponentials over Z^r is an integral over τ of a product of such M
and of a power of L: one factor for each key. Every integrand below is positive,
so that nothing cancels, however close the weights are to 0 and 1.

Trapezoid rule in both variables with one step h: then u lies on the same grid,
and M_r is a correlation of two vectors. Made for 0.01 ≤ σ ≤ 130 and for n from
2 to 10^100; `largest` for 0.1 ≤ σ, n ≤ 10^9: six digits, below σ = 1 four.
"""

from functools import cache

import numpy as np
from scipy.special import log_ndtr, ndtr


@cache
def grid(sigma):
    """Return the step h, the nodes σg with their weights, and the nodes τ."""
    h = 0.2 * min(1, sigma)
    # p² is largest on average at g = 2σ; there are never keys beyond 36.
    top = max(23, min(2 * sigma + 9, 36))
    x = h * np.arange(np.floor(-9 * sigma / h), np.ceil(top * sigma / h))
    weight = h / sigma * np.exp(-((x / sigma) ** 2) / 2) / np.sqrt(2 * np.pi)
    # From here the integrands are 0, and up to here n e^{−τ} is not.
    steps = np.arange(round(x[0] / h) - round(5 / h), round((x[-1] + 270) / h))
    return h, x, weight, h * steps[::-1]


@cache
def moment(sigma, k, power=0):
    """Return E[u^power e^{ku} exp(−e^u)] at the nodes τ; for k = 0, 1 − L."""
    h, x, weight, tau = grid(sigma)
    first = round((x[0] - tau[0]) / h)
    u = h * (first + np.arange(len(x) + len(tau) - 1))
    # Beyond 7, exp(−e^u) is 0 in floating point.
    u = np.minimum(u, 7)
    e = np.exp(u)
    f = -np.expm1(-e) if k == 0 else u**power * np.exp(k * u - e)
    # Products below 10^−308 would be slow, and count for nothing. In pieces,
    # since long sums start threads, which is slow on a busy machine.
    f[np.abs(f) < 1e-150] = 0
    total = np.zeros(len(tau))
    for i in range(0, len(x), 4096):
        piece = weight[i : i + 4096]
        part = f[i : i + len(tau) + len(piece) - 1]
        total += np.correlate(part, piece, "valid")
    return total


def integral(sigma, keys, *moments):
    """Return ∫ M … M L^keys dτ for the moments (k, power) given."""
    h = grid(sigma)[0]
    power = np.exp(keys * np.log1p(-np.minimum(moment(sigma, 0), 1 - 1e-16)))
    return h * np.sum(power * np.prod([moment(sigma, *m) for m in moments], 0))


def mean_power_sum(n, sigma, k):
    """Return E Σ p_i^k = n/Γ(k) ∫ M_k L^{n−1} dτ; for k = 1 it is 1."""
    gamma = np.prod(np.arange(1.0, k))
    return n / gamma * integral(sigma, n - 1, (k,))


def participation(n, sigma):
    """Return 1/E Σ p_i², the number of keys that take part."""
    return 1 / mean_power_sum(n, sigma, 2)


def trace(n, sigma):
    """Return E tr J = E Σ p_i (1 − p_i) = E Σ_{i≠j} p_i p_j."""
    return n * (n - 1) * integral(sigma, n - 2, (1,), (1,))


def jacobian_square(n, sigma):
    """Return E‖J‖²_F = E Σ p_i² (1 − p_i)² + E Σ_{i≠j} p_i² p_j².

    Multiplied by Z⁴, the first sum is Σ_i e_i² (Σ_{j≠i} e_j)²: e_i² e_j² for
    each i ≠ j, and e_i² e_j e_l for each three different keys.
    """
    pairs = integral(sigma, n - 2, (2,), (2,))
    triples = integral(sigma, n - 3, (2,), (1,), (1,)) if n > 2 else 0
    return n * (n - 1) / 6 * (2 * pairs + (n - 2) * triples)


def along_query_square(n, sigma):
    """Return E‖Jg‖², Jg = dp/dσ, with entries p_i Σ_j p_j (g_i − g_j).

    Expanded like E‖J‖²; differences of g are those of u, over σ.
    """
    pairs = integral(sigma, n - 2, (2, 2), (2,)) - integral(
        sigma, n - 2, (2, 1), (2, 1)
    )
    triples = 0
    if n > 2:
        triples = (
            integral(sigma, n - 3, (2, 2), (1,), (1,))
            - 2 * integral(sigma, n - 3, (2, 1), (1, 1), (1,))
            + integral(sigma, n - 3, (2,), (1, 1), (1, 1))
        )
    return n * (n - 1) / 6 * (2 * pairs + (n - 2) * triples) / sigma**2


def output_gradient(n, d, s):
    """Return the root mean square of ‖∂o/∂q‖/√d_v, where ‖q‖² = d.

    (d − 1) E‖J‖² + E‖Jg‖², over s²; s is what the scores are divided by.
    """
    sigma = np.sqrt(d) / s
    across, along = jacobian_square(n, sigma), along_query_square(n, sigma)
    return np.sqrt((d - 1) * across + along) / s


def mean_log_sum(n, sigma):
    """Return E ln Z = ∫ (exp(−e^{−τ}) − L^n) dτ (Frullani)."""
    h, _, _, tau = grid(sigma)
    miss = np.minimum(moment(sigma, 0), 1 - 1e-16)
    one = np.exp(-np.maximum(tau, -6))
    difference = np.expm1(-one) - np.expm1(n * np.log1p(-miss))
    return h * np.sum(difference)


def entropy(n, sigma):
    """Return the mean entropy, E ln Z − σ² E tr J, in natural units."""
    return mean_log_sum(n, sigma) - sigma**2 * trace(n, sigma)


def largest(n, sigma):
    """Return E max p_i = n ∫∫ φ(g) e^u exp(−e^u) B(g, τ)^{n−1} dg dτ.

    B is the part of L(τ) from keys below g, φ the Gaussian density.
    """
    h, x, weight, tau = grid(sigma)
    log_rest = (n - 1) * np.log1p(-np.minimum(moment(sigma, 0), 1 - 1e-16))
    # Only the τ that count, at steps of 0.4; and for each the x with
    # −17 − ln n < u < 4: all keys below add 10^−7 to the sum.
    tau = tau[n * moment(sigma, 1) * np.exp(log_rest) > 1e-12]
    every = round(0.4 / h)
    tau = tau[::every, np.newaxis]
    low = -17 - np.log(n)
    width = min(round((4 - low) / h), len(x))
    first = np.clip(np.rint((tau + low - x[0]) / h), 0, len(x) - width)
    place = first.astype(int) + np.arange(width)
    # All u lie on one grid too.
    step = place + np.rint((x[0] - tau) / h).astype(int)
    e = np.exp(h * np.arange(step.min(), step.max() + 1))
    step -= step.min()
    f = np.pad(weight[place] * -np.expm1(-e)[step], ((0, 0), (3, 3)))
    # From one node to the next: the polynomial through six nodes.
    rule = np.array([11, -93, 802, 802, -93, 11]) / 1440
    cells = sum(c * f[:, i : i + width] for i, c in enumerate(rule))
    miss = ndtr(-x / sigma)[place] + np.cumsum(cells, axis=1)
    below = np.exp((n - 1) * np.log1p(-np.clip(miss, 0, 1 - 1e-16)))
    kernel = weight[place] * (e * np.exp(-e))[step]
    return n * every * h * np.sum(kernel * below)


@cache
def mean_maximum(n):
    """Return m_n = n ∫ g φ(g) Φ(g)^{n−1} dg, the mean largest g_i."""
    g = np.arange(-9, 13, 0.01)
    density = np.exp(-(g**2) / 2) / np.sqrt(2 * np.pi)
    return n * 0.01 * np.sum(g * density * np.exp((n - 1) * log_ndtr(g)))
