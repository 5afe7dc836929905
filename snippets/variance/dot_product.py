"""The exact distribution of a dot product of two Gaussian vectors."""

import numpy as np
from scipy.special import gammaln, logsumexp


def log_bessel_k(order, x):
    """Return ln K_ν(x), the modified Bessel function of the second kind, for x
    > 0.

    Summed from ∫₀^∞ e^{−x cosh t} cosh νt dt (DLMF 10.32.9) in logarithms,
    because scipy's kv overflows at the orders ν that d = 256 asks for. `order`
    is a number, `x` an array.
    """
    x = np.asarray(x, dtype=float)[..., np.newaxis]
    # Beyond this end the integrand is nothing.
    end = np.arcsinh((order + 10 * np.sqrt(order) + 40) / x)
    t = end * np.linspace(0, 1, 800)
    log_cosh = order * t + np.log1p(np.exp(-2 * order * t)) - np.log(2)
    step = t[..., 1] - t[..., 0]
    half = np.where(t == 0, 0.5, 1)  # the trapezoid rule halves the first node
    return np.log(step) + logsumexp(log_cosh - x * np.cosh(t), b=half, axis=-1)


def density(s, d, rho=0.0):
    """Return the density of S = q·k at the points `s` (any shape; no unit).

    q and k have d independent pairs of coordinates, each pair standard Gaussian
    with correlation `rho`, |rho| < 1. With ν = (d − 1)/2 and c = 1 − ρ²,

        f(s) = (|s|/2)^ν e^{ρs/c} K_ν(|s|/c) / (√π Γ(d/2) √c),

    the variance-gamma law (Madan & Seneta 1990; for d = 1, Craig 1936). It is
    infinite at s = 0 if d = 1; there a very large number comes back.
    """
    order, c = (d - 1) / 2, 1 - rho**2
    size = np.maximum(np.abs(s), 1e-9)
    log_density = (
        order * np.log(size / 2)
        + rho * np.asarray(s) / c
        + log_bessel_k(order, size / c)
    )
    return np.exp(log_density - gammaln(d / 2) - np.log(np.pi * c) / 2)
