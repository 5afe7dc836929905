r"""In the median head of MiniLM $C$ adds almost nothing over ordinary pairs of
tokens: $q\cdot k$ is large because of its baseline, which is what the
covariances of queries and of keys give, and because of their means. Over
attended pairs $C$ does count, but a null model, in which chance selects, has
most of it too.

Three panels side by side, for three parts of the mean square of q·k, as shares
of it: the baseline, the means, and all terms with C. In each, four strips with
a mark for each head and a thick one at the median: pairs of distinct tokens, of
a token with itself, pairs weighted by attention, and a null model of the last.
The medians of the baseline lie near a third, those of the means near a half. C
is near 0 for distinct pairs; for the same token it scatters widely; its median
is 0.43 for attended pairs, and 0.31 in the null model. Marks beyond the edge of
a panel are drawn there.
"""

# %%
import numpy as np
from stored import medians, read

terms = read("terms.csv")
median, error = medians()
kinds = ["distinct", "same", "attended", "null"]
parts = ["baseline", "means", "C"]
layer = terms["layer"][terms["pairs"] == "distinct"]
share = {}
for kind in [*kinds, "re-paired", "all tokens", "start"]:
    rows = terms["pairs"] == kind
    share[kind] = {
        name: terms[name][rows] for name in [*parts, "size", "formula"]
    }
heads = len(layer)

# How far C is from 0 over distinct pairs, in how many heads.
away = np.abs(share["distinct"]["C"])
beyond = {limit: int(np.sum(away > limit)) for limit in (0.05, 0.1)}
top = int(np.argmax(away))
largest = {
    "layer": int(terms["layer"][terms["pairs"] == "distinct"][top]),
    "head": int(terms["head"][terms["pairs"] == "distinct"][top]),
    "C": share["distinct"]["C"][top],
    "error": terms["C_error"][terms["pairs"] == "distinct"][top],
}
# What is drawn at the edge of a panel, since it lies beyond.
edge = 1.7
drawn = np.array([[share[kind][part] for part in parts] for kind in kinds])
outside = int(np.sum((drawn > edge) | (drawn < 1 - edge)))
largest_share = drawn.max()

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
