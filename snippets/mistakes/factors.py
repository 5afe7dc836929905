"""By how much logits are off, for heads of d of which there are h.

Each entry is what the code multiplies q·k by, over what it should: 1/√d.
"""

import numpy as np

FACTORS = {
    "times √d": lambda d, h: d,
    "no scale": lambda d, h: d**0.5,
    "1/√heads": lambda d, h: (d / h) ** 0.5,
    "one fourth root": lambda d, h: d**0.25,
    "log₂e too much": lambda d, h: np.log2(np.e),
    "1/8, typed": lambda d, h: d**0.5 / 8,
    "1/√width": lambda d, h: h**-0.5,
    "scaled twice": lambda d, h: d**-0.5,
}
# What depends on more than d and h: a factor of one published model each.
YARN = 0.1 * np.log(128) + 1  # for a context 128 times as long
OTHERS = {
    "YaRN's factor twice": YARN**2,
    "YaRN's factor where none belongs": (0.1 * np.log(16) + 1) ** 2,
    "absorbed MLA, 576 for 256": (256 / 576) ** 0.5,
    "packed QKV, 192 for 128": (128 / 192) ** 0.5,
    "padded, 128 for 96": (96 / 128) ** 0.5,
    "scale of 1 dropped, d = 256": 256**-0.5,
}


def taking_part(n, sigma, step=0.4):
    """Return 1/E Σp² for n independent Gaussian logits of spread sigma.

    E Σp² = n ∫ t E[e^{2z} exp(−t e^z)] E[exp(−t e^z)]^{n−1} dt, with z the
    logit, since 1/Z² = ∫ t e^{−tZ} dt; here t = e^{−τ}.
    """
    g = np.arange(-9, 9.01, step / max(1, sigma))
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    total = 0
    for tau in np.arange(-9 * sigma - 6, 9 * sigma + np.log(n) + 12, step):
        e = np.exp(np.minimum(sigma * g - tau, 8))
        one = weight @ (e**2 * np.exp(-e))
        total += one * (weight @ np.exp(-e)) ** (n - 1)
    return 1 / (step * n * total)
