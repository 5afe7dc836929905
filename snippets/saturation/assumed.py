r"""Attention without the divisor leaves the frozen phase only when its keys are
very alike.

The number of keys that take part, of 512, on a logarithmic axis, against the
correlation between keys from 0 to {= correlation[-1] :.2f }. With scores
divided by √64 it starts at {= divided[0] :.0f } and climbs to 512. With
undivided scores it stays below 3 up to a correlation of 0.6 and climbs steeply
after that; a vertical line at {= leaves_at :.1f } marks where the spread of the
scores passes the freezing point.
"""

# %%
import numpy as np
from gaussian_logits import mean_power_sum, participation
from scipy.stats import chi2

n, d = 512, 64
# k_i = √c m + √(1 − c) z_i: softmax ignores what all scores share, and the
# rest has variance d (1 − c).
correlation = np.array([*np.arange(0, 0.96, 0.05), 0.97, 0.98, 0.99])
own = np.sqrt(1 - correlation)
bare = np.array([participation(n, np.sqrt(d) * s) for s in own])
divided = np.array([participation(n, s) for s in own])
leaves_at = 1 - 2 * np.log(n) / d

# The query's length: average over ‖q‖², which is χ²_d, by Gauss–Legendre.
node, node_weight = np.polynomial.legendre.leggauss(24)


def same_key(dim, scale):
    """Return E Σp² for scores of variance ‖q‖² scale."""
    low, high = chi2.ppf([1e-9, 1 - 1e-9], dim)
    square = low + (high - low) * (node + 1) / 2
    weight = (high - low) / 2 * node_weight * chi2.pdf(square, dim)
    values = [mean_power_sum(n, s, 2) for s in np.sqrt(scale * square)]
    return weight @ values


mixed = {dim: 1 / same_key(dim, 1 / dim) for dim in (16, 64, 128)}
excess = {dim: participation(n, 1.0) / m - 1 for dim, m in mixed.items()}
mixed_bare = 1 / same_key(d, 1)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
axes.semilogy(correlation, divided)
axes.plot(correlation, bare)
axes.axvline(leaves_at, color="C3", linestyle="--")
axes.text(0.03, 240, "÷ √64", color="C0")
axes.text(0.03, 2.1, "undivided, d = 64", color="C1")
axes.text(leaves_at - 0.02, 14, "freezing point", color="C3", ha="right")
axes.set(xlabel="correlation c between keys", ylabel="keys taking part, of 512")
axes.set(yticks=[1, 10, 100, 512], yticklabels=["1", "10", "100", "512"])
axes.minorticks_off()
plt.show()

# %% says
assert excess[16] > excess[64] > excess[128] > 0, (
    "Averaging over the length raises"
)
assert leaves_at > 0.8, (
    "leaves the frozen phase only when its keys are very alike"
)
assert np.all(np.diff(divided) > 0), "it starts at … and climbs"
assert divided[-1] > 500, "and climbs to 512"
assert max(bare[correlation.round(2) <= 0.6]) < 3, (
    "stays below 3 up to a correlation of 0.6"
)
assert bare[-1] > 200, "and climbs steeply after that"
there = np.interp(leaves_at, correlation, divided)
assert there > 2 * divided[0], (
    "Divided attention is then more even than intended"
)
