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
above_all = {
    name: int(np.sum((heads["largest_null"] < C)[rows]))
    for name, rows in groups.items()
}
# If own keys were like those of the others, each would be the highest as often.
in_layer = int(np.sum(heads["layer"] == 0))
by_chance = {name: rows / in_layer for name, rows in count.items()}
# Heads by name: their layer and number, each counted from 0.
names = [
    f"{a:.0f}.{b:.0f}"
    for a, b in zip(heads["layer"], heads["head"], strict=True)
]
by_excess = [names[i] for i in np.argsort(null - C)]
place = {
    what: names[np.argmax(heads[what])]
    for what in ("previous", "next", "special")
}
most = {what: heads[what].max() for what in place}
to_special = np.median(heads["special"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5.2))
axes.plot([0, 1.1], [0, 1.1], color="C4", linestyle=":")
for at, (label, rows) in enumerate(groups.items()):
    axes.plot(null[rows], C[rows], "os^"[at], color=f"C{at}", label=label)
shown = {*by_excess[:2], *by_excess[-2:], place["previous"], place["next"]}
for name in sorted(shown):
    at = names.index(name)
    side = -1 if name in by_excess[:2] else 1
    axes.annotate(
        name,
        (null[at], C[at]),
        (5 * side, -12 if name == by_excess[1] else 3),
        textcoords="offset points",
        ha="right" if side < 0 else "left",
    )
axes.set(xlabel="share of C with another head’s keys")
axes.set(ylabel="share of C, attended pairs", xlim=(0, 1.15))
axes.legend(title="spread of the logits in a row", loc="lower right")
plt.show()
