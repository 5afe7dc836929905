r"""Other attentions have other factors, and a start near 1 all the same; CLIP's
largest factor would leave much more.

Dots on a logarithmic axis: the standard deviation of a logit, each joined to a
dashed line at 1. Left of it: Set Transformer with 4 heads, {= sets :.2f };
CLIP's factor at the start, {= clip_start :.2f }; additive attention,
{= additive :.2f }. Right of it: all logits of queries and keys with a mean of
one half, {= all_spread :.2f }, and a row of them, {= row_spread :.2f }; gains
of 1.5 on both sides, {= both :.2f }; CLIP's largest factor, {= clip_end :.2f }.
"""

# %%
import numpy as np
from scipy import optimize, stats

width, d, n = 512, 64, 512

# The Transformer's embeddings, drawn with variance 1/width: a token's length,
# bare and multiplied by √width, beside that of a position's sines and cosines.
length = {"token": 1, "multiplied": np.sqrt(width), "position": width**0.5}
length["position"] /= np.sqrt(2)  # the mean square of a sine is a half

# Additive attention, Σ v_i tanh(a_i + b_i), with Var v_i = 1/d: of any size d.
x = np.linspace(-12, 12, 24_001)
weight = stats.norm.pdf(x, scale=np.sqrt(2)) * (x[1] - x[0])
additive = np.sqrt(np.tanh(x) ** 2 @ weight)
# Within a row a is given: the variance over b is what softmax sees.
at, of = np.polynomial.hermite_e.hermegauss(80)
of = of / of.sum()
given = np.tanh(at[:, np.newaxis] + at)
additive_row = np.sqrt(of @ (given**2 @ of - (given @ of) ** 2))

# Channels attend to channels: a sum over all positions of an image.
positions = 64 * 64
channel, channel_cosine = np.sqrt(positions), 1 / np.sqrt(positions)

# Set Transformer: 128 wide, in 4 heads, and divided by the root of 128.
head, sets = 128 // 4, np.sqrt(128 // 4) / np.sqrt(128)
# Of many keys with logits of spread s the share exp(-s²) takes part.
share = {"root": np.exp(-1), "sets": np.exp(-(sets**2))}

# CLIP: cosines in 512 dimensions, times 1/.07 at first and 100 at most.
first_scale = 1 / 0.07
clip = {scale: scale / np.sqrt(width) for scale in (first_scale, 100)}
clip_start, clip_end = clip.values()
clip_frozen = np.sqrt(2 * np.log(32_768))  # a batch as large as CLIP's

# Hopfield: a stored pattern of length √d is asked for. Its logit is βd; the
# others' are Gaussian, of variance β²d, and their exponentials add up to about
# n exp(β²d/2). Even odds:
beta = optimize.brentq(
    lambda b: b * d - np.log(n) - b**2 * d / 2, 0, np.sqrt(2 * np.log(n) / d)
)
beta_of_root = 1 / np.sqrt(d)


def with_gains(of_q, of_k):
    """Return the spread of q·k/√d after RMSNorm with these gains."""
    return np.sqrt(np.mean(np.square(of_q) * np.square(of_k)))


half = np.repeat([2, 0], d // 2)
gains = {"1.5": with_gains([1.5], [1.5]), "apart": with_gains(half, half[::-1])}
both, apart = gains.values()

# Heads of 8: the length of a query, the tails of a score, and what takes part
# of many keys, averaged over queries.
small = 8
small_length = stats.chi(small).std() / stats.chi(small).mean()
small_kurtosis = 6 / small
small_share = (1 - 2 / small) ** (small / 2)  # counted by 1/E Σ p²
small_mean = (1 + 2 / small) ** (-small / 2)  # by each query's own, E 1/Σ p²

# A mean m in every coordinate of q and of k, beside a variance of 1.
m = 1 / 2
mean_logit = d * m**2 / np.sqrt(d)
row_spread, all_spread = np.sqrt(1 + m**2), np.sqrt(1 + 2 * m**2)
of_key = m  # the part that a key gets from every query alike

# %%
import matplotlib.pyplot as plt

spread = {
    "Set Transformer, 4 heads": sets,
    "CLIP, start: ÷ .07": clip_start,
    "additive attention": additive,
    "mean ½, in a row": row_spread,
    "mean ½, all logits": all_spread,
    "gains of 1.5 on q and k": both,
    "CLIP, at most: × 100": clip_end,
}
fig, axes = plt.subplots(figsize=(6.4, 4))
place, value = np.arange(len(spread))[::-1], np.array([*spread.values()])
axes.axvline(1, color="C1", linestyle="--")
axes.hlines(place, 1, value, linewidth=3)
axes.plot(value, place, "o", markersize=9)
for y, x in zip(place, value, strict=True):
    side = {"ha": "right" if x < 1 else "left", "va": "center"}
    axes.text(x * (0.92 if x < 1 else 1.09), y, f"{x:.2f}", **side)
axes.set(xscale="log", xlim=(0.27, 7), xlabel="standard deviation of a logit")
axes.set(xticks=[0.5, 1, 2, 4], xticklabels=["0.5", "1", "2", "4"])
axes.set(yticks=place, yticklabels=spread)
axes.minorticks_off()
plt.show()

# %% says
assert d == 64, "random patterns of length $\\sqrt{64}$ is asked for"
assert length["token"] < length["position"] < length["multiplied"], (
    "sines and cosines of its position have the length"
)
assert 0.5 < additive_row < additive < 0.8, "a spread of … number of terms"
assert (head, 4 * head) == (32, 128), "4 heads of 32 … the root of 128"
assert sets == 1 / 2, "the root of 128, logits have a spread of"
assert share["sets"] > 2 * share["root"], "about twice as many take part"
assert clip_start < 1, "Multiplied by $1/.07$, the spread at the start is"
assert clip_end == 100 / np.sqrt(512), "At the limit of 100 it would be"
assert clip_frozen == np.sqrt(2 * np.log(32_768)), "for a batch of 32,768"
assert clip_end < clip_frozen, "just below the freezing point"
assert clip_end > 0.95 * clip_frozen, "just below the freezing point"
assert beta < beta_of_root < 2 * beta, "a little below the … of the root"
assert both == 1.5**2, "gains of 1.5 on both"
assert small_mean > share["root"], "The average over queries is higher"
assert small_share < share["root"], "where sharp rows count more, it comes to"
assert mean_logit == 64 * m**2 / 8, "in all 64 coordinates"
assert 1 < row_spread < all_spread, "The spread of all logits is"
assert max(sets, clip_start, additive) < 1, "Left of it: Set Transformer"
assert min(all_spread, row_spread, both, clip_end) > 1, (
    "Right of it: all logits"
)
assert 4 * head == 128, "Set Transformer with 4 heads"
assert clip_end > 4, "largest factor would leave much more"
