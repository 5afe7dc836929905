r"""A mask, a bias, shared keys or dropout of weights leave the spread at 1; the
wrong dimension under the root does not.

Dots on a logarithmic axis: the standard deviation of a logit in seven settings,
each joined to 1. A dashed line marks 1, the value with independent queries and
keys of 64 dimensions and unit variance. On the line: a mask, a bias for the
position, shared keys, and dropout of the weights; and RMSNorm on q and k. Right
of it: cross-attention between two widths, {= cross :.2f }, and dropout of q and
k, {= dropout :.2f }. Left of it: twice as many heads with the old divisor,
{= heads :.2f }; the root of the model's width, {= by_width :.2f }; and unit
vectors still divided by the root, {= unit :.3f }.
"""

# %%
import numpy as np

d, width, other_width, dropped = 64, 512, 768, 0.1
# The variance of q·k, and the divisor. A mask or a bias adds a number that
# does not depend on q·k; shared keys and dropped weights do not touch it.
cases = {
    "mask, position bias, shared\nkeys, dropout of weights": (d, np.sqrt(d)),
    # q·k = d cos, and a cosine of random directions has variance 1/d.
    "RMSNorm on q and k": (d**2 / d, np.sqrt(d)),
    # What is kept grows by 1/(1 − p), its variance by as much, on each side.
    "10% of q and of k dropped": (d / (1 - dropped) ** 2, np.sqrt(d)),
    # Xavier: Var W = 2/(inputs + outputs), with 512 outputs for both.
    "cross-attention,\nwidths 512 and 768": (
        d * 2 * other_width / (other_width + width),
        np.sqrt(d),
    ),
    "16 heads of 32, still ÷ 8": (width / 16, 8),
    "÷ √512, the width": (d, np.sqrt(width)),
    "unit q and k, still ÷ 8": (1 / d, np.sqrt(d)),
}
spread = {name: np.sqrt(v) / s for name, (v, s) in cases.items()}
plain, normed, dropout, cross, heads, by_width, unit = spread.values()

# In evaluation nothing is dropped: with a divisor that made it 1 in training.
evaluated = 1 / dropout

factor = 1 / np.sqrt(d)
# What scaling 512 queries, and not their scores with 512 keys, saves.
fewer = 512 * 512 / (512 * d)
# Bare scores of a layer as wide as the model, without heads or projections.
undivided = np.sqrt(width)
# Uniform weights of variance 1/(3 width), as nn.Linear draws them, and no root.
linear = np.sqrt(d) / 3
inverse = np.sqrt(d) / factor  # divided by a scale that is 1/√d already
raw_weights = np.sqrt(d * width**2) * factor  # weights of variance 1
# q and k of length 1: a cosine of random directions has variance 1/d.
eight_cosines = {d: 8 / np.sqrt(d) for d in (64, 256)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.6))
place = np.arange(len(spread))[::-1]
value = np.array(list(spread.values()))
axes.axvline(1, color="C1", linestyle="--")
axes.hlines(place, 1, value, linewidth=3)
axes.plot(value, place, "o", markersize=9)
for y, x in zip(place, value, strict=True):
    left = x < 0.99
    axes.text(
        x * (0.82 if left else 1.22),
        y,
        f"{x:.2f}" if x > 0.1 else f"{x:.3f}",
        ha="right" if left else "left",
        va="center",
    )
axes.set(xscale="log", xlim=(0.003, 3), xlabel="standard deviation of a logit")
axes.set(xticks=[0.01, 0.1, 1], xticklabels=["0.01", "0.1", "1"])
axes.set(yticks=place, yticklabels=spread)
axes.minorticks_off()
plt.show()

# %% says
assert plain == 1, "dropout of weights leave the spread at 1"
assert abs(by_width - 1) > 0.5, "the wrong dimension under the root does not"
assert len(spread) == 7, "the standard deviation of a logit in seven settings"
assert normed == 1, "On the line: … and RMSNorm on q and k"
assert min(cross, dropout) > 1, "Right of it: cross-attention … and dropout of"
assert max(heads, by_width, unit) < 1, (
    "Left of it: twice as many heads … and unit vectors"
)
assert (width, width / 8, width / 16) == (512, 64, 32), (
    "At width 512, going from 8 heads to 16 halves the head … to 32"
)
assert np.isclose(heads, np.sqrt(32) / 8), "If you still divide by 8"
assert np.isclose(cross**2, 2 * 768 / (512 + 768)), (
    "a model of width 512 and keys from one of width 768"
)
assert dropout == 1 / 0.9 > 1, (
    "a tenth of each is dropped and the rest is divided by 0.9, … rises to"
)
assert evaluated == np.sqrt(d) / (np.sqrt(d) / 0.9), (
    r"with $\sqrt{64}/0.9$ you would run evaluation at a spread of"
)
assert plain == 1, "In evaluation nothing is dropped, and the spread is 1"
assert np.isclose(dropout * evaluated, 1), (
    "in training alone, … as large as those that the model has learned with"
)
assert np.isclose(unit, 1 / 64), "once more leaves … at 64 dimensions"
assert unit < 0.1, "nearly uniform attention, until a learned factor"
assert eight_cosines[64] == 8 / 8, r"and $8\cos$ has spread 1 at 64 coordinates"
assert undivided == np.sqrt(512), "at 512 coordinates of variance 1 your layer"
assert linear < np.sqrt(64) == 8, (
    "At 512 keys and 64 dimensions … and less if … and not of 8"
)
assert inverse == 64 == 8 * np.sqrt(64), (
    "this makes the spread … at 64 dimensions"
)
assert raw_weights == 512 == width > 1, (
    "weights of variance 1 instead of 1/512 make it … at width 512"
)
assert factor == 1 / np.sqrt(64), "For 64 dimensions the factor is"
assert factor == 1 / np.sqrt(64), "before, at 64 dimensions it counts"
assert factor == 1 / np.sqrt(64), "last dimension … for a head of 64"
