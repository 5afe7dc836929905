r"""Logits that are added layer by layer spread like a random walk, and freeze.

The spread of the logits against the number of layers whose logits are added,
from 1 to {= deepest }. The sum rises like a root, to {= summed[12] :.2f } after
{= twelve } layers and {= summed[24] :.2f } after {= deepest }. A dashed line at
{= frozen :.2f }, where 512 keys freeze, is crossed at layer {= crossed }.
Divided by the root of the number of layers it is level at 1; the mean of the
layers falls, to {= mean[12] :.2f } after {= twelve }.
"""

# %%
import numpy as np
from gaussian_row import taking_part

twelve, deepest, n, d = 12, 24, 512, 64
layers = np.arange(1, deepest + 1)
# Independent logits of spread 1: variances add up.
summed = {int(count): np.sqrt(count) for count in layers}
mean = {count: total / count for count, total in summed.items()}
frozen = np.sqrt(2 * np.log(n))
crossed = next(count for count, total in summed.items() if total > frozen)


def together(m, correlation):
    """Return the spread of a sum of m logits of spread 1, all correlated."""
    return np.sqrt(m + m * (m - 1) * correlation)


half_alike, alike = together(12, 1 / 2), together(12, 1)

left, first = taking_part(n, summed[12]), taking_part(n, 1)

# Two heads of 64 joined into one of 128: (q₁·k₁ + q₂·k₂)/√128 from two logits
# of spread 1. What is left of a lead in one of them, and of a lead in both:
share, both = 1 / np.sqrt(2), 2 / np.sqrt(2)
lead = 4 * share
# Heads of 32 and of 128 in one model, and one divisor for all.
narrow, wide = 32, 128
small, large = np.sqrt(narrow / d), np.sqrt(wide / d)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.axhline(frozen, color="C5", linestyle="--")
axes.plot(layers, list(summed.values()), "C1o-", markersize=4)
axes.plot(layers, np.ones(len(layers)), "C0")
axes.plot(layers, list(mean.values()), "C2o-", markersize=4)
axes.text(24, frozen - 0.1, "512 keys freeze", ha="right", va="top")
axes.text(14, 4, "sum", color="C1", ha="right")
axes.text(24, 1.1, "sum ÷ √layers", color="C0", ha="right", va="bottom")
axes.text(24, 0.5, "mean", color="C2", ha="right")
axes.set(xlabel="layers whose logits are added", ylabel="spread of the logits")
axes.set(xticks=[1, 6, 12, 18, 24], ylim=(0, 5.2))
plt.show()

# %% says
assert np.allclose(np.square(list(summed.values())), layers), (
    "layer by layer spread like a random walk"
)
assert np.all(np.diff([*summed.values()]) > 0), "The sum rises like a root"
assert summed[crossed - 1] < frozen < summed[crossed], "is crossed at layer"
assert crossed == 13, "on a row of 512 keys is frozen at the start"
assert np.all(np.diff([*mean.values()]) < 0), "the mean of the layers falls"
assert mean[12] < 1 / 3, "but then the spread falls, to … after"
assert left < first / 10, "of 512 keys take part, and in the first"
assert 1 < summed[12] < half_alike < alike == 12, (
    "the same way, the spread grows faster: with correlations of ½"
)
assert np.isclose(share**2 + share**2, 1), "The joined score is"
assert np.isclose(lead, 4 / np.sqrt(2)), "a key that leads by 4 in one of"
assert 1 < both < 2, "and where both heads agree"
assert small < 1 < large, "would begin with a spread of … and heads of"
