"""What code does with the scale, in numbers."""

# %%
import numpy as np
from scipy import special, stats

d = 64
factor = 1 / np.sqrt(d)

# Subtracting the largest score changes no weight; dividing does.
scores = np.array([14, 10, 12])
largest = {
    "scores": special.softmax(scores).max(),
    "shifted": special.softmax(scores - scores.max()).max(),
    "divided": special.softmax(scores * factor).max(),
}

# Scaled by the query and by the function again.
twice = np.sqrt(d) * factor**2

# A mask of −100, as it is and divided too: what a masked key keeps, beside one
# that is not masked and has the same score.
masked = {"after": np.exp(-100), "before": np.exp(-100 * factor)}
kept_after, kept_before = masked.values()
after_softmax = special.softmax(scores * factor).sum() * factor

log2_e = 1 / np.log(2)
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

# %% says
assert [*scores] == [14, 10, 12], "For the scores 14, 10 and 12"
assert np.isclose(largest["shifted"], largest["scores"]), (
    "the first weight stays … if 14 is subtracted"
)
assert largest["divided"] < largest["scores"], "each, and falls to"
assert factor == 1 / 8, "falls to … if they are divided by 8"
assert factor == 1 / 8, "With a divisor of 8 on top, its logits would shrink"
assert np.isclose(twice, 1 / 8), "scaled twice, the logits have a spread of"
assert (-100 * factor) == -12.5, "a mask of −100 becomes −12.5"
assert kept_before > kept_after, "then keeps … of the weight that it would have"
assert np.isclose(after_softmax, 1 / np.sqrt(64)), (
    "the weights add up to … at 64 dimensions, and"
)
assert factor_of_2 == log2_e / np.sqrt(64), "for a head of 64 the factor"
assert np.isclose(factor_of_2, factor * 1.44269504), "and 1.44269504 is"
assert e4m3(1 + 2.0**-3) == 1 + 2.0**-3, "with 3 bits for the fraction"
assert int8(5.0) == 4, "if its range is 4 standard deviations"
assert of_fp8 > 2 * of_int8, "and int8 less than half as much"
assert rounds_to[1024] == 0 < typical[1024], "typical one of 1024 … rounds to 0"
