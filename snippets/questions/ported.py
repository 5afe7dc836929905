r"""Llama 4 and Ministral 3 make queries longer as a text goes on; YaRN makes
all of them longer by the same factor.

The factor of a logit against the position of its query, up to
{= places[-1] :,} tokens, the positions on a logarithmic axis. Llama 4's is 1 up
to 8192 tokens and then rises in steps that get smaller, to
{= llama4 :.2f} at {= long :,}. Ministral 3's is the same curve, begun at 16,384
tokens; at {= long :,} it is {= ministral :.2f}. A dashed line is YaRN's for a
context 16 times as long, {= yarn_of_16_logits :.2f} at every position.
"""

# %%
import numpy as np

# A factor on the query for its position t, which rises after so many tokens.
begins = {"Llama 4": 8192, "Ministral 3": 16_384}
long, chunk, times = 131_072, 4096, 16


def at_place(t, begin, beta=0.1):
    """Return 1 + β ln(1 + ⌊t / begin⌋)."""
    return 1 + beta * np.log(1 + t // begin)


llama4, ministral = (at_place(long, begin) for begin in begins.values())
# Counted from the start of the last chunk, and not of the text.
in_pieces = at_place(long % chunk, begins["Llama 4"])
# The last token of a text 16 times as long, and YaRN's factor for it.
last_of_16 = at_place(times * begins["Ministral 3"] - 1, begins["Ministral 3"])
yarn_of_16 = 0.1 * np.log(times) + 1
yarn_of_16_logits = yarn_of_16**2
places = 2 ** np.arange(10, 19)

# A factor on the values multiplies the output, with no change of weights. On
# the logits it changes the weights: a row of spread s keeps e^(−s²) of many.
on_values = np.round(1 / np.sqrt(2), 3)
dropped = 1 / on_values
share_right, share_wrong = np.exp(-1), np.exp(-(on_values**2))

# A small copy of Gemma 2 for tests: its heads, and the scalar of the original.
small_head, scalar = 2, 256
small_copy = np.sqrt(small_head / scalar)
small_mended = np.sqrt(small_head / small_head)

# fp8 ends at 448. Keys up to 9 are stored as keys / k_scale.
e4m3_ends, largest_key = 448, 9
k_scale = largest_key / e4m3_ends
too_small = k_scale  # applied, though the keys were not divided
too_large = 1 / k_scale  # not applied, though they were

# A kernel that always divides by √d. To have the scale s, q is multiplied by
# s√d first.
wanted = {
    "1, heads of 512": (1, 512),
    "1, heads of 256": (1, 256),
    "8/d, heads of 128": (8 / 128, 128),
}
ahead = {name: s * np.sqrt(d) for name, (s, d) in wanted.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
t = np.arange(places[0], places[-1], 64)
beside = ((6e4, 1.26, "right"), (1.1e5, 1.13, "left"))
for (name, begin), (x, y, side) in zip(begins.items(), beside, strict=True):
    color = f"C{[*begins].index(name)}"
    axes.step(t, at_place(t, begin), color, where="post")
    axes.text(x, y, name, color=color, ha=side)
axes.axhline(yarn_of_16_logits, color="C2", linestyle="--")
axes.text(1200, 1.6, "YaRN, 16 times", color="C2", va="top")
axes.set(
    xscale="log", xlabel="position of the query", ylabel="factor of a logit"
)
axes.set(xticks=[1024, 8192, 65_536], xlim=(800, 5e5), ylim=(0.95, 1.7))
axes.set(xticklabels=["1024", "8192", "65,536"])
axes.minorticks_off()
plt.show()

# %% says
for begin in begins.values():
    assert at_place(begin - 1, begin) == 1 < at_place(begin, begin), (
        "As long as $t$ is below $n_0$ it is exactly 1"
    )
rises = [np.diff(at_place(places, begin)) for begin in begins.values()]
assert np.min(rises) >= 0 < begins["Llama 4"] < begins["Ministral 3"], (
    "make queries longer as a text goes on"
)
steps = np.diff(at_place(8192 * np.arange(1, 9), 8192))
assert begins["Llama 4"] == 8192, "is 1 up to 8192 tokens and then rises in"
assert np.all(np.diff(steps) < 0), "rises in steps that get smaller"
twice = at_place(2 * places, begins["Ministral 3"])
assert begins["Ministral 3"] == 16_384, "is the same curve, begun at 16,384"
assert np.allclose(twice, at_place(places, 8192)), (
    "is the same curve, begun at 16,384"
)
assert np.isclose(yarn_of_16, 1 + 0.1 * np.log(16)), (
    "A dashed line is YaRN's for a context 16 times as long"
)
assert np.isclose(llama4, 1 + 0.1 * np.log(1 + 131_072 // 8192)), (
    "With Llama 4's $n_0 = 8192$ and … it is … at token 131,072"
)
assert np.isclose(ministral, 1 + 0.1 * np.log(1 + 131_072 // 16_384)), (
    "token 131,072, and with the 16,384 of Ministral 3 it is"
)
assert ministral < llama4, "and with the 16,384 of Ministral 3 it is"
assert in_pieces == at_place(4095, 8192), (
    "from the start of a chunk of 4096, the factor stays"
)
assert np.isclose(last_of_16, yarn_of_16), (
    "the last token of a text 16 times as long … gets the same"
)
assert yarn_of_16_logits > yarn_of_16, "and twice, once on each side"
assert on_values < 1, "a factor on the values shrinks the output"
assert on_values == 0.707, "and a factor of 0.707 on the values"
assert on_values**2 < on_values, "because then it would count twice"
assert abs(dropped - np.sqrt(2)) < 0.001, "If you leave it out, outputs are"
assert share_right < share_wrong, "the weights would become flatter"
assert share_right < share_wrong, "of many keys would take part instead of"
assert small_copy < 0.1, "With heads of 2 and the old 256 in Gemma 2, logits"
assert small_mended == 1, "With 2 in both places it is"
assert too_small < 0.1 < 10 < too_large, (
    "applied to keys that were never divided, … it makes every logit"
)
assert np.isclose(too_small * too_large, 1), "left out where they were divided"
assert ahead["1, heads of 256"] == 16, "you multiply by …, for heads of 256 by"
assert ahead["1, heads of 512"] > 16, "So for a scale of 1 and heads of 512"
assert ahead["1, heads of 512"] > 1, "see whether a longer query"
assert ahead["8/d, heads of 128"] < 1, "μP's $8/d$ at 128 dimensions by"
