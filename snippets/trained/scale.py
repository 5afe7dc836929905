r"""After training, halving the scale costs 10% of the sentences their nearest
neighbour, and doubling it 4%. Without any divisor 18% lose it, with $1/d$ 37%:
too flat hurts more than too sharp.

Three curves over the scale at inference, from 0 through 1/d, 1/√d and 1 to
larger ones. All peak at 1/√d. Towards 0 they fall steeply, to less than a half
at uniform weights; towards 1 they fall slowly. Bars are two standard errors.
"""

# %%
from stored import read, source

table, about = read("scale.csv"), source("scale.csv")
times = table["times_sqrt_d"]
measures = {
    "same_neighbour": "keep their nearest neighbour",
    "same_meaning": "find their paraphrase",
    "cosine": "cosine with the original",
}
d = 32
named = {"0": 0, "1/d": d**-0.5, "1/√d": 1, "1": d**0.5}
between = {"1/(2√d)": 1 / 2, "2/√d": 2}
row = {
    name: int(abs(times - value).argmin())
    for name, value in (named | between).items()
}
value = {
    name: {what: table[what][at] for what in [*measures, "cosine_of_others"]}
    for name, at in row.items()
}
error = {
    name: {what: table[f"{what}_error"][at] for what in measures}
    for name, at in row.items()
}

sentences, tokens, draws = (
    int(about[name]) for name in ("sentences", "tokens", "draws")
)
package_version = about["version"]
weights_digest = about["weights"][:12] + "…"

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.8))
x = times.copy()
x[0] = 1 / 32  # a logarithmic axis has no 0
for place, (what, label) in enumerate(measures.items()):
    bars = 2 * table[f"{what}_error"]
    axes.errorbar(
        x, table[what], bars, fmt="os^"[place] + "-", capsize=3, label=label
    )
axes.set(xscale="log", xlabel="scale at inference", ylabel="share, or cosine")
axes.set(xticks=[x[row[name]] for name in named], xticklabels=named)
axes.set(ylim=(0, 1.05))
axes.minorticks_off()
axes.legend(loc="lower right")
plt.show()
