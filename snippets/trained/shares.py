r"""In the median head of MiniLM $C$ adds almost nothing over ordinary pairs of
tokens: the size of $q\cdot k$ is in its baseline, which is what the
covariances of queries and of keys give, and in their means. Over attended pairs
$C$ does count. But with the keys of another head (the null model, which
[comes below](#selection)) most of it is there, too.

Three panels side by side, for three parts of the mean square of q·k, as shares
of it: the baseline, the means, and all terms with C. In each, four strips with
a mark for each head and a thick one at the median: pairs of distinct tokens, of
a token with itself, pairs weighted by attention, and a null model of the last.
The medians of the baseline lie near a third, those of the means near a half. C
is near 0 for distinct pairs; for the same token it scatters widely; its median
is {= C['attended'] :.2f } for attended pairs, and {= C['null'] :.2f } in the
null model, each as a share of its own mean square. Marks beyond the edge of a
panel are drawn there.
"""

# %%
import numpy as np
from medians import medians
from stored import read

terms = read("trained/terms.csv")
kinds = ["distinct", "same", "attended", "null"]
parts = ["baseline", "means", "C"]
# Medians over the heads, by kind of pairs.
median, error = medians()
size, baseline, means, C = (median[name] for name in ["size", *parts])
largest_error = max(max(error[part].values()) for part in parts)
C_error = error["C"]["distinct"]
table = [
    ("distinct tokens, random start", "start"),
    ("distinct tokens", "distinct"),
    ("re-paired over the whole text", "re-paired"),
    ("a token with itself", "same"),
    ("attended", "attended"),
    ("attended, null model", "null"),
    ("attended, with [CLS] and [SEP]", "all tokens"),
]
layer = terms["layer"][terms["pairs"] == "distinct"]
share = {}
for _, kind in table:
    rows = terms["pairs"] == kind
    share[kind] = {part: terms[part][rows] for part in parts}
heads, layers = len(layer), len(set(layer))
per_layer = heads // layers

# How far C is from 0 over distinct pairs, in how many heads.
away = np.abs(share["distinct"]["C"])
beyond = {limit: int(np.sum(away > limit)) for limit in (0.05, 0.1)}
top = np.argmax(away)
number, its_error = (
    terms[name][terms["pairs"] == "distinct"][top]
    for name in ("head", "C_error")
)
largest = share["distinct"]["C"][top], its_error
largest_in = f"{layer[top]:.0f}.{number:.0f}"
# What is drawn at the edge of a panel, since it lies beyond.
edge = 1.7
drawn = np.array([[share[kind][part] for part in parts] for kind in kinds])
outside = int(np.sum((drawn > edge) | (drawn < 1 - edge)))
furthest = drawn.max()

# %%
import matplotlib.pyplot as plt
from strips import name, strip

fig, panels = plt.subplots(1, 3, figsize=(6.4, 4.8), sharey=True)
rows = ["distinct", "same token", "attended", "attended,\nnull model"]
for place, (axes, part) in enumerate(zip(panels, parts, strict=True)):
    for row, kind in enumerate(kinds):
        inside = np.clip(share[kind][part], 1 - edge, edge)
        strip(axes, inside, layer, -row, f"C{place}")
    axes.set(title=part, xlim=(-0.8, 1.8), xticks=[0, 1])
    axes.axvline(0, color="C4", linestyle=":", linewidth=1)
name(panels[0], rows)
panels[1].set_xlabel("share of the mean square of q·k")
plt.show()

# %% says
thirds = [baseline[kind] for kind in kinds]
halves = [means[kind] for kind in kinds]
scatter = {kind: np.std(share[kind]["C"]) for kind in kinds}
ranked = np.sort(away)[::-1]
assert C["distinct"] < 0.02, "adds almost nothing over ordinary pairs"
assert C["attended"] > 0.4, "Over attended pairs $C$ does count"
assert C["null"] > C["attended"] / 2, (
    "comes below](#selection)) most of it is there, too"
)
assert np.allclose(thirds, 1 / 3, atol=0.1), "of the baseline lie near a third"
assert np.allclose(halves, 1 / 2, atol=0.12), "of the means near a half"
assert max(scatter, key=scatter.get) == "same", "for the same token it scatters"
assert np.sum(share["same"]["means"] > edge) == outside, (
    "For the same token the means of … heads lie beyond"
)
of_heads = {
    kind: terms["size"][terms["pairs"] == kind]
    for kind in ("distinct", "re-paired")
}
changed = np.abs(of_heads["re-paired"] / of_heads["distinct"] - 1)
assert abs(size["re-paired"] / size["distinct"] - 1) < 0.05, (
    "In the median head the size hardly changes"
)
assert changed.max() < 1 / 6, "in single heads it changes by a sixth at most"
assert ranked[beyond[0.05] - 1] > 0.05 > ranked[beyond[0.05]], (
    "adds or takes away more than … over distinct pairs"
)
assert ranked[beyond[0.1] - 1] > 0.1 > ranked[beyond[0.1]], (
    "over distinct pairs, in … more than"
)
assert abs(largest[0]) == ranked[0], "The largest is … in head"
