r"""With another head's keys, which were not trained to meet these queries, $C$
makes {= by_selection :.2f } of the attended mean square in the median head,
instead of {= median :.2f }.
Heads far above the diagonal do more than select.

A dot for each head: C over attended pairs, against C with the keys of the other
heads of its layer, both as shares of the mean square of q·k over the attended
pairs. Heads with even weights scatter around the diagonal at small shares.
Heads with sharp weights lie at large shares, most of them well above it.
"""

# %%
import numpy as np
from scipy.stats import binomtest
from stored import read

heads, terms = read("trained/heads.csv"), read("trained/terms.csv")
C, null = (terms["C"][terms["pairs"] == kind] for kind in ("attended", "null"))
size, null_size = (
    terms["size"][terms["pairs"] == kind] for kind in ("attended", "null")
)
null = (
    null * (null_size / size) ** 2
)  # also a share of the attended mean square
sharpness = heads["row_sd_content"]
groups = {
    "below 1": sharpness < 1,
    "1 to 1.5": (sharpness >= 1) & (sharpness < 1.5),
    "above 1.5": sharpness >= 1.5,
}
count = {name: int(rows.sum()) for name, rows in groups.items()}
real = {name: np.median(C[rows]) for name, rows in groups.items()}
chance = {name: np.median(null[rows]) for name, rows in groups.items()}
median, by_selection = np.median(C), np.median(null)
sharp, sharp_by_chance = real["above 1.5"], chance["above 1.5"]
above_null = {
    name: int(np.sum((null < C)[rows])) for name, rows in groups.items()
}
exceed = sum(above_null.values())
# How likely so uneven a count is, if a coin decided for each head.
by_coin = binomtest(above_null["above 1.5"], count["above 1.5"]).pvalue
# Heads by name: their layer and number, each counted from 0.
names = [
    f"{a:.0f}.{b:.0f}"
    for a, b in zip(heads["layer"], heads["head"], strict=True)
]
by_excess = [names[i] for i in np.argsort(null - C)]
above, below = by_excess[:2], by_excess[-2:]
# Those that look most at the token before, at the next one, at [CLS] and [SEP].
previous, following, special = (
    names[np.argmax(heads[what])] for what in ("previous", "next", "special")
)
to_previous, to_next = heads["previous"].max(), heads["next"].max()
to_special, in_median = heads["special"].max(), np.median(heads["special"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5.2))
axes.plot([0, 1.1], [0, 1.1], color="C4", linestyle=":")
for at, (label, rows) in enumerate(groups.items()):
    axes.plot(null[rows], C[rows], "os^"[at], color=f"C{at}", label=label)
shown = {*above, *below, previous, following}
for name in sorted(shown):
    at = names.index(name)
    side = -1 if name in above else 1
    axes.annotate(
        name,
        (null[at], C[at]),
        (5 * side, -12 if name == above[1] else 3),
        textcoords="offset points",
        ha="right" if side < 0 else "left",
    )
axes.set(xlabel="C with another head’s keys, as a share of the same")
axes.set(ylabel="C, attended pairs, as a share", xlim=(0, None))
axes.legend(title="spread of the logits in a row", loc="lower right")
plt.show()

# %% says
even = ["below 1", "1 to 1.5"]
chosen = [names.index(head) for head in by_excess]
assert max(real[name] for name in even) < sharp / 2, (
    "around the diagonal at small shares"
)
assert np.median((C - null)[groups["above 1.5"]]) > 0.1, (
    "large shares, most of them well above it"
)
assert all(real[name] < chance[name] for name in even), (
    "nothing there asks for a match in most heads"
)
for name in even:
    assert binomtest(above_null[name], count[name]).pvalue > 0.4, (
        "In the first two rows half of the heads lie above"
    )
assert sharp > 1.2 * sharp_by_chance, (
    "Those with the sharpest rows mostly lie above it"
)
assert 0.01 < by_coin < 0.05, "likely more than chance, and no proof"
assert np.all((C - null)[chosen[:2]] > (C - null)[chosen[2:]].max()), (
    "Heads … and … exceed it most"
)
assert min((C - null)[chosen[:2]]) > 0.2, (
    "Heads far above the diagonal do more than select"
)
at_named = [names.index(previous), names.index(following)]
assert np.all((C - null)[chosen[:2]] > (C - null)[at_named].max()), (
    "A few others lie further above the line"
)
assert np.all((C - null)[at_named] > 0.2), "A few others lie further above"
assert to_previous > 0.99, "with nearly all of its weight"
assert heads["special"][chosen[-2]] > 0.7, "which also looks there"
assert C[chosen[-2]] < 0, "goes to keys that point *away* from the query"
