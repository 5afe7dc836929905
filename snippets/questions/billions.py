r"""In a head of {= d } a logit of 1000 takes queries and keys at least
{= parallel[1000] :.1f } times as long as at the start, if they
grow alike.

Three rows on a logarithmic axis, each with a dot and a ring: how many times as
long as at the start query and key must be for a logit of 50, 100 and 1000. The
dot, for a query and a key in one direction: {= parallel[50] :.1f },
{= parallel[100] :.1f } and {= parallel[1000] :.1f }. The ring, for the largest
logit of 4096 keys in random directions: {= random[50] :.1f },
{= random[100] :.1f } and {= random[1000] :.1f }.
"""

# %%
import numpy as np
from scipy import stats

d, n = 128, 4096
limits = {50: "soft cap", 100: "QK-clip", 1000: "seen with Muon"}

# The largest of n Gaussian logits of spread 1, on average.
x = np.linspace(-8, 8, 16_001)
density = n * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n - 1)
largest = np.trapezoid(x * density, x)

# At the start |q| = |k| = √d. Both f times as long make a logit f² times as
# large: it was √d if they point the same way.
parallel = {logit: np.sqrt(logit / np.sqrt(d)) for logit in limits}
random = {logit: np.sqrt(logit / largest) for logit in limits}
by_d = np.sqrt(d / np.sqrt(d))  # what d in place of √d asks for besides

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 2.8))
ends = [*parallel.values()], [*random.values()]
place = np.arange(3)[::-1]
axes.hlines(place, *ends, color="0.6")
axes.plot(ends[0], place, "o", markersize=9)
axes.plot(ends[1], place, "o", color="C1", markerfacecolor="none", markersize=9)
for y, left, right in zip(place, *ends, strict=True):
    axes.text(left * 0.9, y, f"{left:.1f}", ha="right", va="center")
    axes.text(right * 1.1, y, f"{right:.1f}", ha="left", va="center")
axes.text(ends[0][0], 2.35, "one direction", ha="right", color="C0")
axes.text(ends[1][0], 2.35, "largest at random", color="C1")
axes.set(xscale="log", xlim=(0.6, 30), ylim=(-0.5, 2.8))
axes.set(xticks=[1, 3, 10, 30], xticklabels=["1", "3", "10", "30"])
axes.set(yticks=place, yticklabels=[f"{a}: {b}" for a, b in limits.items()])
axes.set_xlabel("times as long as at the start, q and k each")
axes.minorticks_off()
plt.show()

# %% says
assert parallel[1000] < random[1000], (
    "times the length of the start where they point the same"
)
assert np.isclose(by_d, 128**0.25), (
    "each would have to be … times as long again"
)
