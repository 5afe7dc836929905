r"""A norm over all heads lets one head take from the others.

Spreads of the logits of {= heads } heads against the size of one head's numbers
beside the others', from 1 to {= most }, both axes logarithmic. With a norm over
the whole width the large head's spread rises from 1 to {= large[10] :.0f } and
that of the others falls to {= others[10] :.2f }; at six times it is
{= large[6] :.0f } and {= others[6] :.2f }. With a norm of each head all stay at
1.
"""

# %%
import numpy as np

heads, d, width = 32, 128, 4096
# A norm over w numbers makes their length √w, and all of it may lie in one
# head. So no divided score exceeds w/√d.
bound = {g: g * d / np.sqrt(d) for g in (1, 4, heads)}
# One head's numbers are so many times as large as the others', in q and in k.
most = 10
times = np.arange(1, most + 1)
mean_square = {int(a): (a**2 + heads - 1) / heads for a in times}
large = {a: a**2 / square for a, square in mean_square.items()}
others = {a: 1 / square for a, square in mean_square.items()}
# At the start a head's share of the squared length is Beta distributed.
share_varies = np.sqrt(2 / d * (1 - d / width) / (1 + 2 / width))
length_varies = share_varies / 2

# A norm on one side: q of length a√d, k of length √d.
one_side = {a: a for a in (1, 2)}
# The rule: a scale times both lengths, over the root of d, for d = 64.
size = 64
lengths = {"L2": 1.0, "RMS": np.sqrt(size), "one each": size ** (1 / 4)}
spread = {name: x**2 / np.sqrt(size) for name, x in lengths.items()}
ten = 10 * spread["L2"]
l2_divided = spread["L2"] / np.sqrt(size)
multiplied = np.sqrt(size) * spread["L2"]

# Gains of 1.5 and ½ in each pair, on q and on k. Behind the norm, in front of
# the turn: the spread depends on the angle between the positions.
larger, smaller, degrees = 1.5, 0.5, 90
g = np.array([larger, smaller])


def turned(angle):
    """Return the spread of a logit, where k is turned after the gains."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s], [s, c]])
    return np.sqrt(np.trace(np.diag(g**2) @ R @ np.diag(g**2) @ R.T) / 2)


near, quarter = turned(0), turned(np.radians(degrees))
# The gains last: one pair, q = k, at one position and a quarter turn further.
first, further = g[0] ** 2, g[1] ** 2

# Weights of variance 1/D, divided by their largest singular value. Its mean
# square is Johnstone's centre plus the mean of Tracy and Widom's law.
D, tracy_widom = 512, -1.2065336


def largest(rows, columns):
    """Return the mean square of the largest singular value, entries 1/D."""
    a, b = np.sqrt(columns - 1), np.sqrt(rows)
    scale = (a + b) * (1 / a + 1 / b) ** (1 / 3)
    return ((a + b) ** 2 + tracy_widom * scale) / columns


sizes = [size, 128, 256]
norm_1 = {n: np.sqrt(n) / largest(n, D) for n in sizes}
norm_1_divided = {n: x / np.sqrt(n) for n, x in norm_1.items()}
# The matrix of all heads at once, D×D, divided by its own.
fused = {n: np.sqrt(n) / largest(D, D) for n in norm_1}
fused_divided = fused[64] / np.sqrt(64)
# Rows of length 1, as orthogonal matrices have them too.
rows_of_1 = {n: np.sqrt(n) for n in norm_1}
room = D / np.sqrt(64)  # |x||y|/√d, for matrices of norm 1

# Channels that attend to channels: their products add up over the tokens.
tokens, channels = 196, 48
over_tokens = np.sqrt(tokens)
cosine_over_tokens = 1 / over_tokens
channels_taking_part = channels * np.exp(-(cosine_over_tokens**2))  # at least

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.loglog(times, list(large.values()), "C1")
axes.loglog(times, list(others.values()), "C1--")
axes.loglog(times, np.ones(len(times)), "C0")
axes.text(4.4, 14, "the large head", color="C1", ha="right")
axes.text(4.4, 0.5, "the others", color="C1", ha="right", va="top")
axes.text(10, 1.15, "norm of each head", color="C0", ha="right")
axes.set(xlabel="size of one head’s numbers, beside the others’")
axes.set(ylabel="spread of the logits", ylim=(0.15, 50))
axes.set(xticks=[1, 2, 4, 6, 10], xticklabels=[1, 2, 4, 6, 10])
axes.set(yticks=[0.3, 1, 3, 10, 30], yticklabels=[0.3, 1, 3, 10, 30])
axes.minorticks_off()
plt.show()

# %% says
assert heads * d == width, "a mean square of 1 over all 4096"
assert np.all(np.diff([*others.values()]) < 0), "one head take from the others"
assert np.all(np.diff([*large.values()]) > 0), "head's spread rises from 1"
assert np.all(np.diff([*others.values()]) < 0), "that of the others falls"
assert np.isclose(bound[32], 32 * bound[1]), r"not $\sqrt d$ but $h\sqrt d$"
assert np.isclose(bound[4], 4 * np.sqrt(128)), "Over groups of 4 heads it is"
assert large[1] == others[1] == 1, "At the start this hardly matters"
assert large[6] > 10 > 1 / 2 > others[6], "A head whose numbers are six times"
assert length_varies < 0.1, "length of a head varies by"
assert one_side[2] == 2, "a query twice as long has logits of spread"
assert one_side[2] == 2 * one_side[1], "twice as long has logits twice as large"
parts = np.sqrt(4 * (d / 4))  # four parts of length √(d/4), together
assert np.isclose(parts**2 / np.sqrt(d), bound[1]), (
    "then no part can grow at the"
)
assert np.isclose(spread["one each"], 1), "no divisor at all"
assert np.isclose(spread["RMS"], np.sqrt(64)), "leaves a spread of"
assert np.isclose(multiplied, 1), r"$\sqrt d$ makes their spread"
assert l2_divided == 1 / 64, "if you divide instead"
assert np.isclose(ten, 10 / 8), "a fixed factor of 10 gives"
assert near > 2 * quarter, "it falls from … to … where the pair is turned"
assert first > further, "at position 0, and … where both are a quarter"
assert norm_1[64] < norm_1[128] < norm_1[256], "undivided they leave logits"
assert norm_1[64] < norm_1[128] < norm_1[256], "That still grows with the head"
assert 1 > norm_1_divided[64] > norm_1_divided[128] > norm_1_divided[256], (
    "divided by the root"
)
assert abs(fused_divided - 1 / 4) < 0.01, "nearly a quarter at every"
assert rows_of_1[64] == 8 > norm_1[64], "and without a divisor it is"
assert largest(64, D) > 1, "divided by its own largest singular value"
assert abs(np.sqrt(largest(64, D)) / (1 + np.sqrt(64 / D)) - 1) < 0.02, (
    "because the largest singular value of such a matrix is about"
)
assert channels_taking_part > 0.99 * channels, "close to the plain average"
assert np.isclose(cosine_over_tokens * over_tokens, 1), (
    "over tokens, the divisor is the root of their number"
)
assert room == 64 * rows_of_1[64] / 8, "no logit can exceed"
