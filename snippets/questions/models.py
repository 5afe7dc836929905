r"""Of these divisors, all found in code, only DeBERTa's $\sqrt{3d}$ leaves
logits of independent coordinates with variance 1 a spread of exactly 1; the
others leave from {= models.layer :.2f } to {= models.width :.1f }.

Dots on a logarithmic axis, each joined to a dashed line at 1. On the line:
DeBERTa, three terms of 64 divided by the root of 192. Left of it: a head of 80
padded to 128, 0.79; Gemma 2 with 27 billion parameters, 0.94; Gemma 3 with 27
billion, 0.87; merged matrices of MLA divided by the root of 576, 0.58; layer 24
divided by its number, 0.04. Right of it: Gemma 2 with 9 billion as first
published, 1.07; a LongRoPE model for 32 times the length, 1.42; DeBERTa divided
by the root of 64, 1.73; MLA divided by the root of 40, 2.19.
"""

# %%
import numpy as np

# What q and k are multiplied by, for 32 times the length of 4096 tokens.
longer, trained = 32, 4096
attention_factor = np.sqrt(1 + np.log(longer) / np.log(trained))

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
