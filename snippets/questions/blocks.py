r"""Four bits with a scale for each block cost a logit {= error["NVFP4"] :.2f }
of its spread, eight bits {= error["MXFP8"] :.3f } or less.

Bars: the error of a logit whose own spread is 1, if queries and keys are
rounded. Eight bits: int8 with a scale for 64 numbers, {= error["int8"] :.3f };
fp8 with one scale, {= error["fp8"] :.3f }; MXFP8, {= error["MXFP8"] :.3f }.
Four bits: NVFP4, {= error["NVFP4"] :.2f }; MXFP4, {= error["MXFP4"] :.2f };
int4 with a scale for {= mx_block } numbers, {= error["int4"] :.2f }.
"""

# %%
import numpy as np
from scipy import stats

x = (np.arange(8000) + 0.5) / 1000  # none is a power of 2
density = 2 * stats.norm.pdf(x) * (x[1] - x[0])  # of |x|
below = 2 * stats.norm.cdf(x) - 1


def floats(x, fraction, least, top):
    """Round to floating point: bits of fraction, least exponent, largest."""
    exponent = np.maximum(np.floor(np.log2(x + 1e-30)), least)
    step = 2.0 ** (exponent - fraction)
    return np.minimum(np.round(x / step) * step, top)


def e2m1(x):
    """Round to 0, ½, 1, 1½, 2, 3, 4 or 6."""
    return floats(x, 1, 0, 6)


def e4m3(x):
    """Round to 8 bits, as fp8 does."""
    return floats(x, 3, -6, 448)


def whole(bits):
    """Round to whole numbers that have so many bits."""
    return lambda x: np.minimum(np.round(x), 2 ** (bits - 1) - 1)


def fitted(top):
    """Scale so that the largest number of a block becomes `top`."""
    return lambda largest: largest / top


def power_of_2(exponent):
    """Scale by a power of 2, as in MX: the largest number may be cut off."""
    return lambda largest: 2.0 ** (np.floor(np.log2(largest)) - exponent)


def moments(rounded, scale, block, factor=1):
    """Return E ε² and E xε of Gaussian numbers, rounded in blocks.

    Given the largest of a block, the others are Gaussian below it.
    """
    squares, products = 0, 0
    every = slice(405, 7000, 10)  # the largest: a sum over its density
    p = block * below[every] ** (block - 1) * density[every]
    for i, weight in zip(range(405, 7000, 10), p / p.sum(), strict=True):
        step = scale(factor * x[i]) / factor
        off = rounded(x[: i + 1] / step) * step - x[: i + 1]
        of = density[: i + 1] / density[: i + 1].sum() * (block - 1) / block
        of[-1] += 1 / block
        squares += weight * (of @ off**2)
        products += weight * (of @ (off * x[: i + 1]))
    return squares, products


def of_logit(both, keys_only=False):
    """Return the error of q·k/√d: of the products that add up to it."""
    e, a = both
    return np.sqrt(e if keys_only else 2 * e + e**2 + 2 * a**2 + 4 * a * e)


kinds = {
    "int8": (whole(8), fitted(127)),
    "fp8": (e4m3, lambda largest: 1),
    "MXFP8": (e4m3, power_of_2(8)),
    "NVFP4": (e2m1, fitted(6)),
    "MXFP4": (e2m1, power_of_2(2)),
    "int4": (whole(4), fitted(7)),
}
fp4_block, mx_block, base = 16, 32, 2
block = {
    "int8": 64,
    "fp8": 64,
    "MXFP8": mx_block,
    "NVFP4": fp4_block,
    "MXFP4": mx_block,
}
block["int4"] = mx_block
of = {name: moments(*kind, block[name]) for name, kind in kinds.items()}
error = {name: of_logit(each) for name, each in of.items()}
keys_only = {name: of_logit(each, True) for name, each in of.items()}

# The same with q divided by √128 first, which is no power of 2.
divided = {
    name: of_logit(moments(*kinds[name], block[name], 1 / np.sqrt(128)))
    for name in ("fp8", "NVFP4", "MXFP4")
}
d = 64
undivided_spread = np.sqrt(d)
undivided = undivided_spread * error["NVFP4"]

# A block whose largest number is an outlier of 20: the others in it.
outlier, rest = 20, fp4_block - 1
off = e2m1(x / (outlier / 6)) * outlier / 6 - x
others = np.sqrt(off**2 @ density)
usual = np.sqrt(of["NVFP4"][0])
spread_out = outlier / np.sqrt(d)
lost = 2 * stats.norm.cdf(outlier / 6 / 4) - 1  # round to 0

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.2))
place = np.arange(len(error))[::-1]
colors = ["C0"] * 3 + ["C1"] * 3
axes.barh(place, [*error.values()], 0.6, color=colors)
for y, value in zip(place, error.values(), strict=True):
    axes.text(value + 0.003, y, f"{value:.3f}", va="center")
axes.set(yticks=place, yticklabels=list(error), xlim=(0, 0.22))
axes.set(xlabel="error of a logit of spread 1")
plt.show()

# %% says
assert 3 < error["NVFP4"] / error["fp8"] < 4, "three to four times that of fp8"
assert error["NVFP4"] < error["MXFP4"] < 0.2, "and powers of 2 for scales"
assert max(error[k] for k in ("int8", "fp8", "MXFP8")) == error["MXFP8"], (
    "eight bits … or less"
)
assert undivided == np.sqrt(64) * error["NVFP4"], "undivided at 64, it would be"
assert np.isclose(divided["NVFP4"], error["NVFP4"], rtol=1e-9), (
    "a fitted scale takes it up without a trace"
)
assert abs(divided["MXFP4"] - error["MXFP4"]) < 0.005, "the error hardly does"
assert abs(divided["fp8"] - error["fp8"]) < 0.0005, "It needs no power of 2"
ratio = np.array([error[k] / keys_only[k] for k in ("int8", "int4")])
assert np.all(abs(ratio / np.sqrt(2) - 1) < 0.01), "times less: … in int8"
assert others > 4 * usual, "with an error of … in place of"
assert lost > 0.5, "of them become 0"
assert spread_out == 2.5, "on each coordinate of a lone 20"
