r"""With the divisor more than an eighth of all keys take part, in every
dimension, unless very large scores are too likely.

The number of keys that take part, of 512, with the divisor, against the number
of dimensions from 1 to {= dims[-1] }; both axes are logarithmic. Four kinds of
keys, all with uncorrelated coordinates of variance 1, and a query of ones.
Gaussian coordinates: a level line at {= gaussian :.0f }. Coordinates of plus or
minus 1: above it for few dimensions, and soon on it. A dashed line, the bound,
lies below both, at {= least :.0f }. Independent coordinates of 0 and, one time
in a hundred, plus or minus 10: from {= rare[1] :.0f } a rising line that
crosses the bound between 32 and 64 dimensions. Keys that are Gaussian but ten
times too long, one in a hundred, and 0 otherwise: a level line below 2.
"""

# %%
import numpy as np
from scipy.stats import binom, norm

n, dims = 512, 2 ** np.arange(11)  # up to 1024


def taking_part(scores, chances):
    """Return 1/E Σp², E Σp² = n ∫ E[e^{2u} exp(−e^u)] E[exp(−e^u)]^{n−1} dτ."""
    step = 0.1
    tau = np.arange(-scores.max() - 9, 40 - scores.min(), step)
    u = np.minimum(scores - tau[::-1, np.newaxis], 7)
    two = np.exp(2 * u - np.exp(u)) @ chances
    rest = np.exp(-np.exp(u)) @ chances
    return 1 / (n * step * np.sum(two * rest ** (n - 1)))


# Scores of a query whose coordinates are all 1: the sum of a key's, over √d.
g = np.arange(-9, 9.01, 0.05)
chance = norm.pdf(g) / norm.pdf(g).sum()
gaussian = taking_part(g, chance)
signs, rare = {}, {}
for d in dims:
    up = np.arange(d + 1)
    signs[d] = taking_part((2 * up - d) / np.sqrt(d), binom.pmf(up, d, 0.5))
    # A sum of d coordinates: 10 for each of some, −10 for each of others.
    one = np.array([0.005, 0.99, 0.005])
    whole = one
    for _ in range(int(np.log2(d))):
        whole = np.convolve(whole, whole)
    at = np.arange(-d, d + 1)
    likely = whole > 1e-30
    rare[d] = taking_part(10 * at[likely] / np.sqrt(d), whole[likely])
long = taking_part(np.append(10 * g, 0), np.append(0.01 * chance, 0.99))
least = n / np.exp(2)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
level = np.ones(len(dims))
axes.loglog(dims, gaussian * level, label="Gaussian")
axes.plot(dims, signs.values(), "o", label="plus or minus 1")
axes.plot(dims, rare.values(), "s-", markersize=4, label="0, seldom ±10")
axes.plot(dims, long * level, label="0, seldom too long")
axes.plot(dims, least * level, "--", color="C5", label="n/e², the bound")
axes.set(xlabel="dimensions d", ylabel="keys taking part, of 512")
axes.set(ylim=(1, 600))
axes.set_xticks([1, 4, 16, 64, 256, 1024], [1, 4, 16, 64, 256, 1024])
axes.set_yticks([1, 10, 100, 512], [1, 10, 100, 512])
axes.minorticks_off()
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
plt.show()

# %% says
assert min(gaussian, *signs.values()) > least > n / 8, (
    "With the divisor more than an eighth of all keys take part"
)
assert signs[1] > 1.5 * gaussian, "above it for few dimensions"
assert abs(signs[64] / gaussian - 1) < 0.02, "few dimensions, and soon on it"
assert least < min(gaussian, *signs.values()), (
    "A dashed line, the bound, lies below both"
)
assert np.isclose(one @ [10**2, 0, 10**2], 1), (
    "one time in a hundred, plus or minus 10"
)
assert np.all(np.diff([*rare.values()]) > 0), "from … a rising line"
assert rare[32] < least < rare[64], (
    "a rising line that crosses the bound between 32 and 64 dimensions"
)
assert long < 2, "in a hundred, and 0 otherwise: a level line below 2"
assert long < 2, "Yet the few long keys take nearly everything"
