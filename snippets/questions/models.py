r"""Of these divisors, all used or proposed, only DeBERTa's $\sqrt{3d}$ leaves
logits of independent coordinates with variance 1 a spread of exactly 1; the
others leave from {= layer :.2f } to {= width :.1f }.

Dots on a logarithmic axis, each joined to a dashed line at 1. On the line:
DeBERTa, three terms of 64 divided by the root of 192. Left of it: a head of 80
padded to 128, {= spread["80 padded to 128, ÷ √128"] :.2f }; Gemma 2 with 27
billion parameters, {= spread["Gemma 2 27B: 128, ÷ √144"] :.2f }; Gemma 3 with
27 billion, {= spread["Gemma 3 27B: 128, ÷ √168"] :.2f }; merged matrices of MLA
divided by the root of 576, {= spread["MLA: 192, ÷ √576"] :.2f }; layer 24
divided by its number, {= spread["layer 24, ÷ 24√64"] :.2f }. Right of it: Gemma
2 with 9 billion as first published,
{= spread["Gemma 2 9B, first: 256, ÷ √224"] :.2f }; a LongRoPE model for 32
times the length, {= spread["LongRoPE, × 32"] :.2f }; DeBERTa divided by the
root of 64, {= spread["DeBERTa, ÷ √64"] :.2f }; MLA divided by the root of 40,
{= spread["MLA: 192, ÷ √40"] :.2f }.
"""

# %%
import numpy as np

# What q and k are multiplied by, for 32 times the length of 4096 tokens.
longer, trained = 32, 4096
attention_factor = np.sqrt(1 + np.log(longer) / np.log(trained))

padded_96 = np.sqrt(96 / 128)  # as for the head of 80 among these

# The number of products with variance 1 that are added; what divides the sum.
cases = {
    "DeBERTa, ÷ √(3·64)": (3 * 64, np.sqrt(3 * 64)),
    "DeBERTa, ÷ √64": (3 * 64, np.sqrt(64)),
    "80 padded to 128, ÷ √128": (80, np.sqrt(128)),
    "Gemma 2 27B: 128, ÷ √144": (128, np.sqrt(4608 / 32)),
    "Gemma 2 9B, first: 256, ÷ √224": (256, np.sqrt(3584 / 16)),
    "Gemma 3 27B: 128, ÷ √168": (128, np.sqrt(5376 / 32)),
    "MLA: 192, ÷ √576": (128 + 64, np.sqrt(512 + 64)),
    "MLA: 192, ÷ √40": (128 + 64, np.sqrt(5120 / 128)),
    "LongRoPE, × 32": (64, np.sqrt(64) / attention_factor**2),
    "layer 24, ÷ 24√64": (64, 24 * np.sqrt(64)),
}
spread = {name: np.sqrt(n) / s for name, (n, s) in cases.items()}
three, one, padded, gemma2, gemma2_first, gemma3, merged, width, long, layer = (
    spread.values()
)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5.2))
place = np.arange(len(spread))[::-1]
value = np.array(list(spread.values()))
axes.axvline(1, color="C1", linestyle="--")
axes.hlines(place, 1, value, linewidth=3)
axes.plot(value, place, "o", markersize=9)
for y, x in zip(place, value, strict=True):
    left = x < 0.99
    axes.text(
        x * (0.87 if left else 1.15),
        y,
        f"{x:.2f}",
        ha="right" if left else "left",
        va="center",
    )
axes.set(xscale="log", xlim=(0.014, 6), xlabel="standard deviation of a logit")
axes.set(xticks=[0.1, 1], xticklabels=["0.1", "1"])
axes.set(yticks=place, yticklabels=spread)
axes.minorticks_off()
plt.show()

# %% says
exact = [name for name in spread if np.isclose(spread[name], 1)]
assert exact == ["DeBERTa, ÷ √(3·64)"], "only DeBERTa's … a spread of exactly 1"
assert cases[exact[0]][0] == 3 * 64 == 192, "divided by the root of 192"
assert layer == min(spread.values()), "the others leave from"
assert width == max(spread.values()), "the others leave from … to"
assert max(padded, gemma2, gemma3, merged, layer) < 1, "Left of it: a head of"
assert min(gemma2_first, long, one, width) > 1, "Right of it: Gemma 2 with"
assert np.isclose(gemma2, np.sqrt(128 / 144)), "144 where … is 128 in Gemma 2"
assert np.isclose(gemma3, np.sqrt(128 / 168)), "and 168 in Gemma 3"
assert max(gemma2, gemma3) < 1, "width over heads instead, which is larger"
assert min(gemma2, gemma3) > 0.8, "a small change of temperature"
assert gemma2_first == np.sqrt(256 / 224) > 1, (
    "with 224 in place of 256, which makes every logit … times as large"
)
assert np.isclose(merged, np.sqrt(192 / 576)), (
    "every logit would be … times as large as in training"
)
assert np.isclose(width, np.sqrt(192 / 40)), (
    "With width over heads, $5120/128 = 40$, it would be … times as large"
)
assert np.isclose(long, 1 + np.log(32) / np.log(4096)), (
    "For $L = 4096$ and $r = 32$ that is … each and … for the logits"
)
assert np.isclose(layer, 1 / 24), "layer 24 starts with logits of spread"
assert np.isclose(padded, np.sqrt(80 / 128)), (
    "sees 128, … every logit is … times what it should be"
)
assert padded < padded_96 == np.sqrt(96 / 128) < 1, "for a head of 96 it is"
