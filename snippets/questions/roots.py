r"""Heads that are split, joined or cut need the root of what a score adds up;
other divisors and other starts leave from {= pointer :.3f } to
{= bare_norm :.0f } instead of 1.

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

d, whole, width, cut = 64, 128, 512, 96
# 40 query heads of 128, and 10 each for keys and values, in one array.
packed_array = (40 + 10 + 10) * whole
by_queries = packed_array / 40
# The number of products with variance 1 that are added; what divides the sum.
cases = {
    "±1, ÷ √d": (d, np.sqrt(d)),
    "pointer, ÷ 512": (width, width),
    "64 in four parts, ÷ √64": (d / 4, np.sqrt(d)),
    "half of 128, ÷ √128": (whole / 2, np.sqrt(whole)),
    "packed, ÷ √192": (whole, np.sqrt(by_queries)),
    "128 cut to 96, ÷ √128": (cut, np.sqrt(whole)),
    # Within a row -|q - k|²/2 has the variance of q·k - |k|²/2: d + d/2.
    "−|q − k|²/2, ÷ √d": (1.5 * d, np.sqrt(d)),
    "joined, 2·64, ÷ √64": (2 * d, np.sqrt(d)),
    # Of He's weights, Var W = 2/D: q and k have variance 2, a product 4.
    "He’s rule, ÷ √64": (4 * d, np.sqrt(d)),
    # RMSNorm makes |q| = |k| = √d, and a cosine has variance 1/d.
    "RMSNorm, d = 256, ÷ 1": (256, 1),
}
spread = {name: np.sqrt(n) / s for name, (n, s) in cases.items()}
sign, pointer, split, half, packed, pruned, distance, joined, he, bare_norm = (
    spread.values()
)
pairs = np.sqrt(d) / np.sqrt(d / 2)  # pairs of rotary coordinates counted
student = np.sqrt(d / whole)  # of the teacher's q·k, at twice the dimension
sign_kurtosis = -2 / d
sign_correlation = 2 / np.pi  # of E|q| E|k| = 2/π, with the exact score

# AlphaFold: ½|q - k|² of a pair of points in 3 dimensions, within a row and in
# all. Three parts of a logit, each of variance 1, are weighed by √⅓.
point_row, point_all = 1.5 * 3, 3 * (1 / 2 + 1)
point_all += 3 / 2  # |q|²/2, which a row shares

# Of 128 coordinates that contribute alike to a score, 96 are left. With the
# root of 96 in place of 128 every logit is so much larger.
aligned, too_large = cut / whole, np.sqrt(whole / cut)
aligned_again = aligned * too_large

# YaRN's factor on q and on k for a context 128 times as long; what it makes of
# logits, and what becomes of them if it is applied in two places.
yarn = 0.1 * np.log(128) + 1
yarn_logits, yarn_twice = yarn**2, yarn**4

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

# %% says
assert sign == 1, "On the line: products of numbers that are 1 or −1"
assert max(pointer, split, half, packed, pruned) < 1, "Left of it: pointer"
assert min(distance, joined, he, bare_norm) > 1, "Right of it: squared"
assert pointer == min(spread.values()), (
    "other divisors and other starts leave from"
)
assert bare_norm == max(spread.values()), "leave from … to … instead of 1"
assert len(spread) == 10, "the standard deviation of a logit in ten settings"
assert packed_array == (40 + 10 + 10) * 128 == 7680, (
    "10 value heads of 128, the array is 7680"
)
assert by_queries == 7680 / 40 == 192, (
    "If you divide by the 40 query heads you get 192"
)
assert np.isclose(packed, np.sqrt(128 / 192)), "you get 192, and with"
assert np.isclose(half**2, 64 / 128), "head of 128 that is cut into two of 64"
assert split == np.sqrt(16) / np.sqrt(64), "a head of 64 into four of 16"
assert joined == np.sqrt(64 + 64) / np.sqrt(64), "64 for the content and 64"
assert np.isclose(joined, np.sqrt(128) / 8), "you add up 128 products"
assert pruned < 1, "What is left of a score has a spread of … of what it was"
assert student < 1, "typically only … times as large as the teacher's"
assert sign_kurtosis < 0, "Their tails are a little lighter than"
assert sign_kurtosis == -2 / 64, "excess kurtosis of … at 64"
assert sign_correlation < 1, "right but a score says less"
assert np.isclose(point_row, 9 / 2), "AlphaFold's … points in three dimensions"
assert bare_norm == np.sqrt(256), "a row of a head of 256 would begin with"
assert he == 2, "queries and keys have variance 2, and logits a spread of"
assert np.isclose(pointer, 512**-0.5), (
    "with 512 coordinates … begin with a spread"
)
assert aligned < pruned < 1, "a score to which all coordinates … alike falls to"
assert np.isclose(pruned, np.sqrt(96) / np.sqrt(128)), (
    r"vary alike, and $\sqrt{96}$ restores that"
)
assert aligned < aligned_again < 1, "brings it back only to"
assert np.isclose(too_large, np.sqrt(128 / 96)), (
    r"Usually keep $\sqrt{128}$: … would make them … times too large"
)
assert np.isclose(yarn_logits, (1 + 0.1 * np.log(128)) ** 2), (
    "for $s = 128$ that is … each and … for the logits"
)
assert np.isclose(yarn_logits, (1 + 0.1 * np.log(128)) ** 2), (
    "and for a context 128 times as long that is … as it should be"
)
assert np.isclose(yarn_twice, yarn_logits**2), "If your code does both, it is"
