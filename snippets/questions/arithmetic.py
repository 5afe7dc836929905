"""Subtracting the largest score changes no weight; dividing does.

Three groups of bars, the weights of three keys with the scores {= scores[0] },
{= scores[1] } and {= scores[2] }. As they are: {= weights["scores"][0] :.2f },
{= weights["scores"][1] :.2f } and {= weights["scores"][2] :.2f }. With
{= scores[0] } subtracted from each: the same. Divided by 8:
{= weights["divided"][0] :.2f }, {= weights["divided"][1] :.2f } and
{= weights["divided"][2] :.2f }.
"""

# %%
import numpy as np
from scipy import special, stats

d = 64
factor = 1 / np.sqrt(d)

# Subtracting the largest score changes no weight; dividing does.
scores = np.array([14, 10, 12])
weights = {
    "scores": special.softmax(scores),
    "shifted": special.softmax(scores - scores.max()),
    "divided": special.softmax(scores * factor),
}
largest = {name: each.max() for name, each in weights.items()}

neo = 1 / np.sqrt(2048 / 16)  # GPT-Neo with 1.3 billion: 16 heads

# Scaled by the query and by the function again.
twice = np.sqrt(d) * factor**2

# A mask of −100, as it is and divided too: what a masked key keeps, beside one
# that is not masked and has the same score.
masked = {"after": np.exp(-100), "before": np.exp(-100 * factor)}
kept_after, kept_before = masked.values()
after_softmax = special.softmax(scores * factor).sum() * factor

# Only gaps count: two large scores one apart, and the slope p(1 − p) of a
# weight that leads one other by 8.
apart = special.softmax([101, 100])
edge = special.expit(8) * special.expit(-8)
difference = np.sqrt(d + d)  # of two undivided scores, each of variance d

log2_e = 1 / np.log(2)
softplus_0 = np.log(1 + np.exp(0))  # log₂e is one over this, too
factor_of_2 = factor * log2_e


def e4m3(x):
    """Round to 8 bits: 3 of them for the fraction, steps of 2⁻⁹ near 0."""
    exponent = np.maximum(np.floor(np.log2(np.abs(x) + 1e-30)), -6)
    step = 2.0 ** (exponent - 3)
    return np.round(x / step) * step


def int8(x, top=4):
    """Round to whole steps, 127 of them up to the largest number."""
    return np.clip(np.round(x * 127 / top), -127, 127) * top / 127


# The rounding error of a standard Gaussian coordinate, by a fine sum, and what
# it adds to q·k/√d: the error of each side has variance error².
x = np.linspace(-8, 8, 400_001)
weight = stats.norm.pdf(x) * (x[1] - x[0])


def added(rounded):
    """Return the standard deviation of the error of a logit of spread 1."""
    square = (rounded(x) - x) ** 2 @ weight
    return np.sqrt(2 * square + square**2)


of_fp8, of_int8 = added(e4m3), added(int8)
smallest = 2.0**-9
typical = {n: np.exp(-1 / 2) / n for n in (512, 1024)}
rounds_to = {n: e4m3(p) for n, p in typical.items()}

# %%
import matplotlib.pyplot as plt

names = ["14, 10, 12", "minus 14:\n0, −4, −2", "divided by 8:\n1.75, 1.25, 1.5"]
fig, axes = plt.subplots(figsize=(6.4, 3))
for group, each in enumerate(weights.values()):
    axes.bar(group + np.array([-0.25, 0, 0.25]), each, 0.22, color="C0")
axes.set(xticks=range(3), xticklabels=names, ylabel="weight", ylim=(0, 1))
plt.show()

# %% says
assert [*scores] == [14, 10, 12], (
    "For the scores 14, 10 and 12 the first weight stays"
)
assert np.allclose(weights["shifted"], weights["scores"]), (
    "Subtracting the largest score changes no weight"
)
assert np.allclose(weights["shifted"], weights["scores"]), (
    "subtracted from each: the same"
)
assert np.isclose(largest["shifted"], largest["scores"]), (
    "the first weight stays … if 14 is subtracted"
)
assert largest["divided"] < largest["scores"], "each, and falls to"
assert factor == 1 / 8, "falls to … if they are divided by 8"
assert factor == 1 / np.sqrt(64) > neo, (
    "With one on top, logits would shrink to"
)
assert np.isclose(neo, 1 / np.sqrt(128)), "in a larger one, with heads of 128"
assert np.isclose(twice, 1 / 8), "scaled twice they have a spread of … at 64"
assert (-100 * factor) == -12.5, "a mask of −100 becomes −12.5"
assert kept_before > kept_after, "then keeps … of the weight that it would have"
assert np.isclose(after_softmax, 1 / np.sqrt(64)), (
    "your weights add up to … at 64 dimensions, and"
)
assert factor_of_2 == log2_e / np.sqrt(64), "for a head of 64 the factor"
assert np.isclose(factor_of_2, factor * 1.44269504), "and 1.44269504 is"
assert e4m3(1 + 2.0**-3) == 1 + 2.0**-3, "with 3 bits for the fraction"
assert int8(5.0) == 4, "if its range is 4 standard deviations"
assert of_fp8 > 2 * of_int8, "and int8 less than half as much"
assert difference > np.sqrt(64) == 8, (
    "a head of 64 have mean 0 and a spread of 8, and two … differ by even more"
)
assert rounds_to[1024] == 0 < typical[1024], "typical one of 1024 … rounds to 0"
assert np.allclose(weights["divided"], special.softmax(scores / 8)), (
    "Divided by 8: … and"
)
assert np.allclose(apart, special.softmax([101 - 100, 0])), (
    "Scores of 101 and 100 give weights of"
)
assert np.isclose(edge, 1 / (np.exp(8) + 2 + np.exp(-8))), (
    "at a gap of 8 its slope is only"
)
assert np.isclose(1 / softplus_0, 1.442695041), (
    "1.442695041$ is one over softplus"
)
