r"""With another head's keys, which were not trained to meet these queries, the
share of $C$ in attended pairs is 0.31 in the median head, instead of 0.43.
Heads far above the diagonal do more than select.

A dot for each head: the share of C in the mean square of q·k over attended
pairs, against the same share with the keys of the other heads of its layer.
Heads with even weights scatter around the diagonal at small shares. Heads with
sharp weights lie at large shares, most of them well above the diagonal.
"""

# %%
import numpy as np
from stored import read

heads, terms = read("heads.csv"), read("terms.csv")
C, null = (terms["C"][terms["pairs"] == kind] for kind in ("attended", "null"))
C_error = terms["C_error"][terms["pairs"] == "attended"]
sharpness = heads["row_sd_content"]
groups = {
    "below 1": sharpness < 1,
    "1 to 1.5": (sharpness >= 1) & (sharpness < 1.5),
    "above 1.5": sharpness >= 1.5,
}
count = {name: int(rows.sum()) for name, rows in groups.items()}
real = {name: np.median(C[rows]) for name, rows in groups.items()}
chance = {name: np.median(null[rows]) for name, rows in groups.items()}
sharp, sharp_by_chance = real["above 1.5"], chance["above 1.5"]
above_all = {
    name: int(np.sum((heads["largest_null"] < C)[rows]))
    for name, rows in groups.items()
}
# If own keys were like those of the others, each would be the highest as often.
in_layer = int(np.sum(heads["layer"] == 0))
by_chance = count["below 1"] / in_layer
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
axes.set(xlabel="share of C with another head’s keys")
axes.set(ylabel="share of C, attended pairs", xlim=(0, 1.15))
axes.legend(title="spread of the logits in a row", loc="lower right")
plt.show()

# %% says
even = ["below 1", "1 to 1.5"]
chosen = [names.index(head) for head in by_excess]
assert round(np.median(null), 2) == 0.31, "is 0.31 in the median head"
assert round(np.median(C), 2) == 0.43, "in the median head, instead of 0.43"
assert max(real[name] for name in even) < sharp / 2, (
    "around the diagonal at small shares"
)
assert np.median((C - null)[groups["above 1.5"]]) > 0.1, (
    "most of them well above the diagonal"
)
assert all(abs(real[name] - chance[name]) < 0.05 for name in even), (
    "In the first two rows the medians of head and null model agree"
)
assert in_layer - 1 == 11, "would exceed all eleven others"
assert all(round(count[name] / 12) == round(by_chance) for name in groups), (
    "by chance 1 head in … would exceed all eleven others, which is about"
)
assert all(above_all[name] > 2 * by_chance for name in even), (
    "in each row; far more do, so some match is there"
)
assert sharp > 1.5 * sharp_by_chance, (
    "what exceeds it is a match between these queries and these keys"
)
assert np.all((C - null)[chosen[:2]] > (C - null)[chosen[2:]].max()), (
    "Heads … and … exceed it most"
)
assert to_previous > 0.99, "with nearly all of its weight"
assert np.all(heads["special"][chosen[-2:]] > 0.7), "which also look there"
assert np.all(C[chosen[-2:]] < 0), (
    "goes to keys that point *away* from the query"
)
