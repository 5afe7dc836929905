r"""After training, halving the scale costs {= lost['1/(2√d)'] :.0%} of the
sentences their nearest neighbour, and doubling it {= lost['2/√d'] :.0%}.
Without any divisor {= lost['1'] :.0%} lose it, with $1/d$ {= lost['1/d'] :.0%}:
too flat hurts more than too sharp.

Three curves over the scale at inference, from 0 through 1/d, 1/√d and 1 to
larger ones. All peak at 1/√d. Towards 0 they fall steeply, to less than a half
at uniform weights; towards 1 they fall slowly. Bars are two standard errors.
"""

# %%
from stored import read, source

table, about = read("trained/scale.csv"), source("trained/scale.csv")
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
# Of all sentences, with the standard error.
neighbour, paraphrase, cosine = (
    {
        name: (table[what][at], table[f"{what}_error"][at])
        for name, at in row.items()
    }
    for what in measures
)
lost = {name: 1 - kept for name, (kept, _) in neighbour.items()}
others = [
    (r"$2/\sqrt d$", "2/√d"),
    ("1, no divisor", "1"),
    (r"$1/(2\sqrt d)$", "1/(2√d)"),
    ("$1/d$", "1/d"),
    ("0, all keys alike", "0"),
]
# With 1/d instead of 1/√d, the same weights take vectors this much as long.
as_long = d**0.25

sentences, tokens, draws = (
    int(about[name]) for name in ("sentences", "tokens", "draws")
)
pairs = sentences // 2
version, digest = about["version"], about["weights"][:12] + "…"

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

# %% says
at_peak, without = row["1/√d"], row["1"]
error = neighbour["1/d"][1]
assert lost["1/d"] - lost["1"] > 4 * error, "too flat hurts more than too sharp"
assert lost["1/(2√d)"] > lost["2/√d"], "too flat hurts more than too sharp"
assert all(table[what].argmax() == at_peak for what in measures), (
    "All peak at 1/√d"
)
there, twice = paraphrase["1/√d"], paraphrase["2/√d"]
assert 0 < there[0] - twice[0] < twice[1], (
    "it is hardly lower at twice the scale"
)
assert all(table[what][0] < 0.5 for what in measures), (
    "Towards 0 they fall steeply, to less than a half at uniform weights"
)
assert all(table[what][without] > 0.8 for what in measures), (
    "towards 1 they fall slowly"
)
assert abs(named["1"] * named["1/d"] - 1) < 1e-9, (
    "and $1/d$ as many times too flat"
)
assert abs(as_long**2 * named["1/d"] - 1) < 1e-9, (
    "queries and keys that are … times as long"
)
for what in ("cosine", "same_neighbour"):
    assert table[what].argmax() == at_peak, "so they have to be highest there"
assert paraphrase["1"][0] - paraphrase["1/d"][0] > 3 * error, (
    "and in this model too flat does more"
)
