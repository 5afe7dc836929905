r"""Heads that are split, joined or cut need the root of what a score adds up;
the old root leaves from {= pointer :.3f } to {= bare_norm :.0f } instead of 1.

Dots on a logarithmic axis: the standard deviation of a logit in ten settings,
each joined to a dashed line at 1. On the line: products of numbers that are 1
or −1, divided by the root of d. Left of it: pointer logits divided by d,
{= pointer :.3f }; a head of 64 split into four, {= split :.2f }; half a head
divided by the root of the whole, {= half :.2f }; packed queries, keys and
values counted together, {= packed :.2f }; a head of 128 cut to 96,
{= pruned :.2f }. Right of it: squared distances, {= distance :.2f }; two parts
that are joined and divided by the root of one, {= joined :.2f }; He's rule,
{= he :.2f }; RMSNorm and no divisor at d = 256, {= bare_norm :.0f }.
"""

# %%
import numpy as np

d, whole, width = 64, 128, 512
# The number of products with variance 1 that are added; what divides the sum.
cases = {
    "±1, ÷ √d": (d, np.sqrt(d)),
    "pointer, ÷ 512": (width, width),
    "64 in four parts, ÷ √64": (d / 4, np.sqrt(d)),
    "half of 128, ÷ √128": (whole / 2, np.sqrt(whole)),
    "packed, ÷ √192": (whole, np.sqrt(7680 / 40)),
    "128 cut to 96, ÷ √128": (96, np.sqrt(whole)),
    # Within a row -|q - k|²/2 has the variance of q·k - |k|²/2: d + d/2.
    "−|q − k|²/2, ÷ √d": (1.5 * d, np.sqrt(d)),
    "joined, 2·64, ÷ √64": (2 * d, np.sqrt(d)),
    # Of He's weights, Var W = 2/D: q and k have variance 2, a product 4.
    "He's rule, ÷ √64": (4 * d, np.sqrt(d)),
    # RMSNorm makes |q| = |k| = √d, and a cosine has variance 1/d.
    "RMSNorm, d = 256, ÷ 1": (256, 1),
}
spread = {name: np.sqrt(n) / s for name, (n, s) in cases.items()}
sign, pointer, split, half, packed, pruned, distance, joined, he, bare_norm = (
    spread.values()
)
pairs = np.sqrt(d) / np.sqrt(d / 2)  # pairs of rotary coordinates counted
kept = {"student": np.sqrt(d / whole)}  # of q·k, at half the dimension
sign_kurtosis = -2 / d
sign_correlation = 2 / np.pi  # of E|q| E|k| = 2/π, with the exact score

# AlphaFold: ½|q - k|² of a pair of points in 3 dimensions, within a row and in
# all. Three parts of a logit, each of variance 1, are weighed by √⅓.
point_row, point_all = 1.5 * 3, 3 * (1 / 2 + 1)
point_all += 3 / 2  # |q|²/2, which a row shares

# YaRN's factor for a model that is stretched; applied twice it is squared.
yarn = 1.485
yarn_twice = yarn**2

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5.2))
order = sorted(spread, key=spread.get)
place, value = np.arange(len(order)), np.array([spread[name] for name in order])
axes.axvline(1, color="C1", linestyle="--")
axes.hlines(place, 1, value, linewidth=3)
axes.plot(value, place, "o", markersize=9)
for y, x in zip(place, value, strict=True):
    left = x < 0.99
    axes.text(
        x * (0.84 if left else 1.19),
        y,
        f"{x:.2f}" if x > 0.1 else f"{x:.3f}",
        ha="right" if left else "left",
        va="center",
    )
axes.set(xscale="log", xlim=(0.012, 60), xlabel="standard deviation of a logit")
axes.set(xticks=[0.1, 1, 10], xticklabels=["0.1", "1", "10"])
axes.set(yticks=place, yticklabels=order)
axes.minorticks_off()
plt.show()
