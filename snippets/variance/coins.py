r"""Toss four times as many coins, and their sum spreads twice as far.

Three panels of bars, one below another, on one axis: the chances of each sum
for 4, 16 and 64 coins that count 1 or -1. Each is a bell around 0. A shaded
strip reaches from minus to plus the standard deviation: {= spread[4] :.0f } for
4 coins, {= spread[16] :.0f } for 16 and {= spread[64] :.0f } for 64. The bars
get lower as they get more.
"""

# %%
import numpy as np
from scipy.stats import binom

dims = [4, 16, 64]
score, chance, variance, spread = {}, {}, {}, {}
for d in dims:
    heads = np.arange(d + 1)
    score[d] = heads - (d - heads)  # each head counts 1, each tail −1
    chance[d] = binom.pmf(heads, d, 1 / 2)
    # The mean is 0, so the variance is the mean of the square.
    variance[d] = np.sum(chance[d] * score[d] ** 2)
    spread[d] = np.sqrt(variance[d])
explore = {"range": [4, 256], "at": 64}  # how many coins a reader can toss
# Of the 16 ways in which four coins can fall, how many give which sum.
ways = {s: round(16 * p) for s, p in zip(score[4], chance[4], strict=True)}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 4.6), sharex=True)
for axes, d in zip(panels, dims, strict=True):
    axes.axvspan(-spread[d], spread[d], color="C0", alpha=0.2)
    axes.bar(score[d], chance[d], width=1.5)
    axes.set(ylabel="chance", ylim=(0, 1.25 * chance[d].max()))
    note = f"{d} coins\n±{spread[d]:.0f}"
    axes.text(0.97, 0.86, note, transform=axes.transAxes, ha="right", va="top")
panels[-1].set(xlabel="sum of the coins", xlim=(-26, 26))
plt.show()

# %% says
assert sum(ways.values()) == 16, (
    "There are 16 ways in which four coins can fall"
)
assert spread[16] == 2 * spread[4], "times as many coins … spreads twice as far"
assert spread[64] == 2 * spread[16], (
    "times as many coins … spreads twice as far"
)
for d in dims:
    rises = np.diff(chance[d]) > 0
    assert np.all(rises[: d // 2]), "Each is a bell around 0"
    assert not np.any(rises[d // 2 :]), "Each is a bell around 0"
highest = [chance[d].max() for d in dims]
assert np.all(np.diff(highest) < 0), "The bars get lower as they get more"
assert variance[4] == 4, "as many as there are coins"
assert sum(ways.values()) == 16, "number of ways, of 16"
