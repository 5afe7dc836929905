r"""Under a causal mask every row has a different number of keys, and the
divisor suits them all.

The number of keys that take part, against the number that a position may see,
from {= keys[0] } to {= keys[-1] }, both axes logarithmic. Divided by the root
of d the line rises with the number of keys. It comes down to a dashed line at
n/e, which it meets at about a hundred keys. Undivided, at 64 dimensions, it
stays between 1 and 2 throughout.
"""

# %%
import numpy as np

d, step = 64, 0.2
keys = 2 ** np.arange(13)


def taking_part(n, sigma):
    """Return 1/E Σ p² for n independent Gaussian logits of spread sigma.

    With Z = Σ e^z, 1/Z² = ∫ t e^{−tZ} dt, and independent logits factor.
    """
    g = np.arange(-9, 9, step / max(1, sigma))
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    log_t = np.arange(-9 * sigma - np.log(n) - 40, 9 * sigma + 40, step)
    u = np.minimum(log_t[:, np.newaxis] + sigma * g, 40)
    one = np.exp(-np.exp(u)) @ weight
    square = np.exp(2 * u - np.exp(u)) @ weight
    return 1 / (step * n * np.sum(square * one ** (n - 1)))


divided = {n: taking_part(n, 1) for n in keys}
bare = {n: taking_part(n, np.sqrt(d)) for n in keys}
# By how much it exceeds n/e.
above = {n: divided[n] / (n / np.e) - 1 for n in keys}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
axes.loglog(keys, keys / np.e, "--", color="C5")
axes.loglog(keys, list(divided.values()))
axes.loglog(keys, list(bare.values()))
axes.text(300, 260, "÷ √d", ha="right")
axes.text(300, 40, "n/e")
axes.text(300, 2.1, "undivided, d = 64")
axes.set(xlabel="keys that the position may see", ylabel="keys that take part")
ticks = [1, 8, 64, 512, 4096]
axes.set(xticks=ticks, xticklabels=ticks, ylim=(0.7, 3000))
axes.set(yticks=[1, 10, 100, 1000], yticklabels=[1, 10, 100, 1000])
axes.minorticks_off()
plt.show()

# %% says
assert np.all(np.diff([*divided.values()]) > 0), "the line rises with"
assert np.all(np.diff([*above.values()]) < 0), "It comes down to a dashed line"
assert above[128] < 0.06 < 0.1 < above[32], "meets at about a hundred keys"
few = np.array([bare[n] for n in keys[1:]])
assert np.all((few >= 1) & (few < 2)), "it stays between 1 and 2 throughout"
assert above[8] > above[128] > above[4096] > 0, (
    "above $n/e$ at 8 keys, … at 128 and … at 4096"
)
