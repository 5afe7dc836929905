r"""Bare scores of variance $d$ are frozen at every usual head size. The divisor
moves them down to variance 1, below the border.

A plane with the number of keys from 2 to a million across and the variance of
the scores upwards; both axes are logarithmic. A border, 2 ln n, rises from 1.4
to 28. Above it lies the frozen phase, below it the spread one. Dots at d = 64
and d = 128 mark GPT-2 with 1024 keys, GPT-3 with 2048 and Llama 3 with 8192,
all above the border; a dashed line marks 64, the heads of the first
Transformer. A ring at 6, below the border, marks what GPT-2's initialisation
really gives. Arrows lead from each dot straight down to variance 1, in the
spread phase. A dotted curve, which starts below the border and lies above it
from 64 keys on, shows where the largest weight averages a half.
"""

# %%
import numpy as np
from gaussian_logits import largest, participation
from scipy.optimize import brentq

models = {"GPT-2": (1024, 64), "GPT-3": (2048, 128), "Llama 3": (8192, 128)}
n = 2.0 ** np.arange(1, 20.5, 0.5)
border = 2 * np.log(n)
critical = {int(m): 2 * np.log(m) for m in 2.0 ** np.arange(1, 21)}
spread_if_above = {d: np.exp(d / 2) for d in (64, 128)}
# GPT-2 draws weights with standard deviation 0.02, at width 768: bare scores
# have variance d (Var q)² and not d.
gpt2_variance = 64 * (768 * 0.02**2) ** 2
gpt2_keys = participation(1024, np.sqrt(gpt2_variance))

half = {}
for m in [4, 16, 64, 512, 4096, 65536, 2**20]:
    root = brentq(lambda s, m=m: largest(m, s) - 0.5, 0.1, 12, xtol=1e-3)
    half[m] = root**2

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.8))
axes.fill_between(n, border, 400, color="C1", alpha=0.14)
axes.fill_between(n, 0.5, border, color="C0", alpha=0.14)
axes.plot(n, border, color="C3")
axes.plot([*half], [*half.values()], ":", color="C1")
axes.axhline(64, color="C4", linestyle="--", linewidth=1)
for keys, d in models.values():
    axes.plot(keys, d, "o", color="C4", markersize=8)
    axes.annotate(
        "",
        (keys, 1),
        (keys, d * 0.85),
        arrowprops={"arrowstyle": "->", "color": "C4", "lw": 1.5},
    )
axes.text(1024 / 1.25, 48, "GPT-2", color="C4", ha="right", va="top")
axes.plot(1024, gpt2_variance, "o", color="C4", mfc="none", markersize=8)
axes.text(1024 / 1.25, 4, "GPT-2 as initialised", color="C4", ha="right")
axes.text(2048 / 1.25, 140, "GPT-3", color="C4", ha="right")
axes.text(8192 * 1.25, 140, "Llama 3", color="C4")
axes.text(2.3, 70, "first Transformer", color="C4")
axes.text(2.3, 250, "frozen: a few keys take the weight", color="C1")
axes.text(2.3, 0.62, "spread: a share of all keys", color="C0")
axes.text(3e5, 13, "2 ln n", color="C3", va="top")
axes.text(1.3e4, 0.9, "÷ √d", color="C4", va="center")
axes.set(xscale="log", yscale="log", ylim=(0.5, 400), xlim=(2, 2**20))
axes.set(xlabel="number of keys n", ylabel="variance of the scores")
axes.set_xticks(
    [2, 16, 512, 8192, 2**20], ["2", "16", "512", "8192", "1,048,576"]
)
axes.set_yticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
axes.minorticks_off()
plt.show()
