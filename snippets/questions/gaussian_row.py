"""How many keys of a row take part, where logits are independent Gaussians."""

import numpy as np

STEP = 0.2


def taking_part(n, sigma):
    """Return 1/E Σ p² for n independent Gaussian logits of spread sigma.

    With Z = Σ e^z, 1/Z² = ∫ t e^{−tZ} dt, and independent logits factor.
    """
    g = np.arange(-9, 9, STEP / max(1, sigma))
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    log_t = np.arange(-9 * sigma - np.log(n) - 40, 9 * sigma + 40, STEP)
    u = np.minimum(log_t[:, np.newaxis] + sigma * g, 40)
    one = np.exp(-np.exp(u)) @ weight
    square = np.exp(2 * u - np.exp(u)) @ weight
    return 1 / (STEP * n * np.sum(square * one ** (n - 1)))
