r"""The largest logit outruns the spread: slowly as more Gaussian logits are
drawn, faster if one direction of the weights has grown.

The mean of the largest logit, in spreads, against the number of keys from 64 to
a million. One row of Gaussian logits: from {= row[64] :.1f } to
{= row[1048576] :.1f }. All rows of as many queries: from {= rows[64] :.1f } to
{= rows[1048576] :.1f }. All rows, if a logit is the product of one coordinate
of the query's token and one of the key's: from {= direction[64] :.0f } to
{= direction[1048576] :.0f }.
"""

# %%
import numpy as np
from scipy.special import log_ndtr, ndtri

x = np.linspace(0, 14, 2801)
m = np.linspace(0, 60, 1201)
log_chance = log_ndtr(m[:, np.newaxis] / x[1:])  # ln P(b ≤ m/x)


def mean_maximum(n):
    """Return E max of n standard Gaussians (n ≥ 64: below 0 it never lies)."""
    return np.trapezoid(-np.expm1(n * log_ndtr(x)), x)


def mean_product(n):
    """Return E max of a_i b_j, for n Gaussians a and n Gaussians b.

    It is the larger of max a · max b and of min a · min b, two independent
    numbers, nearly, of one distribution.
    """
    top = np.exp(n * log_ndtr(x))  # P(max a ≤ x)
    other = np.exp(n * log_chance)
    return np.trapezoid(1 - (other @ np.diff(top)) ** 2, m)


keys = [64, 256, 1024, 4096, 16384, 65536, 262144, 1048576]
row = {n: mean_maximum(n) for n in keys}
rows = {n: mean_maximum(n**2) for n in keys}
direction = {n: mean_product(n) for n in keys}
of_batch = mean_maximum(1e12)
half = ndtri(0.75)  # half of all Gaussian numbers are smaller, in size
tail = of_batch / half

# At the start, with entries of variance 1/D, no logit can exceed this.
D, d = 4096, 128
norm = 1 + np.sqrt(d / D)  # the largest singular value of W_Q, and of W_K
room = norm**2 * D / np.sqrt(d)
# A step of one length moves q·k by as much as q and k are long, and these go
# like the root of their product.
first, later = 1, 1000
step = 0.1
moved = step * np.sqrt(later / first)
times = np.exp(moved)
# What no logit exceeds in heads of 128 if no number of q and k exceeds 8.
clamp, heads_of = 8, 128
clamped = clamp**2 * np.sqrt(heads_of)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.plot(keys, direction.values(), "o-", color="C1")
axes.plot(keys, rows.values(), "o-", color="C0")
axes.plot(keys, row.values(), "o-", color="C2")
axes.text(3000, 18.5, "all rows, one direction", color="C1", ha="right")
axes.text(1e6, 8.2, "all rows, Gaussian", color="C0", ha="right")
axes.text(1e6, 2.2, "one row, Gaussian", color="C2", ha="right")
axes.set(xscale="log", ylim=(0, 26), xlabel="keys n, and queries")
axes.set(ylabel="largest logit, in spreads")
plt.show()

# %% says
for n in (64, 1048576):
    assert direction[n] > rows[n], "faster if one direction of the weights"
assert room > 20 * of_batch, "Chance uses little of this room"
