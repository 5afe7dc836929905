r"""A second model, with another head size and rotary positions: in the median
head $C$ adds little to the mean square over distinct pairs, but single heads
lie far from 0. Part of that comes from the positions of the tokens alone.

Three curves that rise from 0 to 1: the share of heads in which C adds at most
so much of the mean square of q·k over distinct pairs. That of MiniLM is nearly
a step at 0. That of SmolLM2 rises slowly, from below −0.5 to above 0.3, and
crosses one half near 0. A third one, for pairs at the same positions of two
sentences in SmolLM2, lies between the two.
"""

# %%
import numpy as np
from stored import medians, read, source

terms, heads = read("terms.csv"), read("smollm_heads.csv")
median, error = medians("smollm_medians.csv")
scale, about = read("smollm_scale.csv"), source("smollm_heads.csv")
nats, nats_error = (
    dict(zip(map(str, scale["scale"]), scale[what], strict=True))
    for what in ("nats", "nats_error")
)
C = {
    "MiniLM": terms["C"][terms["pairs"] == "distinct"],
    "SmolLM2, two sentences": heads["elsewhere_C"],
    "SmolLM2": heads["distinct_C"],
}
limit = 0.1
beyond = {name: np.mean(abs(x) > limit) for name, x in C.items()}
together = np.corrcoef(C["SmolLM2"], C["SmolLM2, two sentences"])[0, 1]
layer = heads["layer"]
typical = {
    "spread": np.median(heads["row_sd"]),
    "first": np.median(heads["first"]),
}
# C over attended pairs and in the null model, where weights are even, between,
# or sharp: by the spread of the logits.
edges = [1, 1.5]
group = np.digitize(heads["row_sd"], edges)
even, middle, sharp = (
    {
        kind: np.median(heads[f"{kind}_C"][group == at])
        for kind in ("attended", "null")
    }
    for at in range(3)
)
n_sharp = int(np.sum(group == 2))
early, late = (
    np.median(C["SmolLM2"][rows]) for rows in (layer < 15, layer >= 15)
)
count, layers, d = len(layer), len(set(layer)), 64
sentences, tokens = int(about["sentences"]), int(about["tokens"])
fewer = int(source("smollm_scale.csv")["sentences"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
for (name, shares), style in zip(C.items(), (":", "--", "-"), strict=True):
    axes.ecdf(shares, label=name.replace(", ", ",\n"), linestyle=style)
axes.axvline(0, color="C4", linestyle=":", linewidth=1)
axes.set(xlim=(-1, 1), xticks=[-1, -0.5, 0, 0.5, 1], yticks=[0, 0.5, 1])
axes.set_xlabel("share of C in the mean square of q·k, distinct pairs")
axes.set_ylabel("share of heads up to it")
axes.legend(loc="upper left")
plt.show()
