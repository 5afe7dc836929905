r"""The fewer keys a query sees, the less is left of its choice undivided.

Keys that take part, for 2 to 64 keys, both axes logarithmic. Divided by the
root of d the line rises with the number of keys: {= divided[3] :.2f } of 3 and
{= divided[49] :.1f } of 49. Undivided, at 64 dimensions, it stays below
{= most }: {= bare[3] :.2f } of 3 and {= bare[49] :.2f } of 49.
"""

# %%
from functools import cache

import numpy as np
from scipy import stats

d, step, most = 64, 0.1, 1.5
# In a line, in a graph, in windows of 3×3, 5×5 and 7×7.
keys = [2, 3, 4, 9, 25, 49]
every = np.arange(2, 65)


@cache
def integrals(sigma):
    """Return t, E e^(−tX) and E X² e^(−tX) for X = e^(σg), on a fine grid."""
    g = np.arange(-9, 9, 2 * step / max(1, sigma))
    weight = np.exp(-(g**2) / 2)
    weight /= weight.sum()
    log_t = np.arange(-9 * sigma - 12, 9 * sigma + 40, step)
    u = np.minimum(log_t[:, np.newaxis] + sigma * g, 40)
    one = np.exp(-np.exp(u)) @ weight
    return np.exp(log_t), one, np.exp(2 * u - np.exp(u)) @ weight


def taking_part(n, sigma):
    """Return 1/E Σ p² for n independent Gaussian logits of spread sigma."""
    _, one, square = integrals(sigma)
    return 1 / (step * n * np.sum(square * one ** (n - 1)))


divided = {int(n): taking_part(n, 1) for n in every}
bare = {int(n): taking_part(n, np.sqrt(d)) for n in every}


def taken_by_zeros(n, zeros, sigma=1):
    """Return the mean weight of keys with score 0 beside n real ones.

    With Z = Σ e^z, 1/(zeros + Z) = ∫ e^(−t zeros) E e^(−tZ) dt.
    """
    t, one, _ = integrals(sigma)
    return zeros * step * np.sum(t * np.exp(-t * zeros) * one**n)


# A corner of a 3×3 window has 4 real keys, and 5 that padding made.
padded = taken_by_zeros(4, 5)


percent = 99


def sure(sigma):
    """Return how often one of two keys has more than 99% of the weight."""
    gap = np.log(percent / (100 - percent))
    return 2 * stats.norm.sf(gap / (np.sqrt(2) * sigma))


sure_bare, sure_divided = sure(np.sqrt(d)), sure(1)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.loglog(every, list(divided.values()))
axes.loglog(every, list(bare.values()))
axes.text(20, 10.5, "÷ √d", ha="right")
axes.text(20, 1.5, "undivided, d = 64", ha="right")
ticks = [2, 3, 4, 9, 25, 49]
axes.set(xlabel="keys that a query sees", ylabel="keys that take part")
axes.set(xticks=ticks, xticklabels=ticks, ylim=(0.9, 40))
axes.set(yticks=[1, 2, 5, 10, 20], yticklabels=[1, 2, 5, 10, 20])
axes.minorticks_off()
plt.show()

# %% says
few = np.array([*bare.values()])
assert np.all(few < most), "at 64 dimensions, it stays below"
assert np.all(np.diff([*divided.values()]) > 0), "the line rises with the"
assert np.all(np.diff(few) > 0), "The fewer keys a query sees, the less is left"
assert divided[3] > 2 > 1.2 > bare[3], "take part, and undivided only"
assert sure_bare > 1 / 2 > 0.01 > sure_divided, (
    "two keys has more than 99% of the weight in"
)
assert padded > 1 / 4, "five such keys together take"
