r"""Divided by $d^a$, rows freeze above a curve. If queries and keys have
variance 1, a larger $a$ moves it up, and $a = \frac12$ leaves none.

Three maps side by side: the number of keys from 2 to 16384 across, the
dimensions from 1 to 1024 upwards, both logarithmic. The darker a place, the
larger the mean largest weight. Undivided, on the left, the upper two thirds are
dark, above a curve that rises slowly to the right. Divided by the fourth root
of d, in the middle, only the top is dark. Divided by the square root, on the
right, the map is pale except at its left edge, where few keys compete, and has
no such curve.
"""

# %%
import numpy as np
from gaussian_logits import largest

# The mean largest weight of n keys whose scores have spread σ.
octaves, halvings = np.arange(1, 15), np.arange(-3, 5.76, 0.25)
weight = np.array(
    [[largest(2.0**n, 2.0**s) for n in octaves] for s in halvings]
)
# Models with their context, head size and Var q · Var k at the start: GPT-2
# draws its weights with standard deviation 0.02 at width 768, GPT-2 XL at 1600,
# Llama 3 8B at 4096; T5 puts the divisor into the weights of its queries.
models = {
    "GPT-2": (1024, 64, (768 * 0.02**2) ** 2),
    "GPT-2 XL": (1024, 64, (1600 * 0.02**2) ** 2),
    "Llama 3": (8192, 128, (4096 * 0.02**2) ** 2),
    "T5": (512, 64, 1 / 64),
    "variance 1": (512, 64, 1.0),
}
freezes_512 = 2 * np.log(512)
# The axes of the map to drag over, and the weights at its crossings.
explore = {
    "keys": 2**octaves,
    "dims": [1, 1024],
    "spreads": 2**halvings,
    "map": [[float(f"{x:.5g}") for x in row] for row in weight],
    "models": [[name, *model] for name, model in models.items()],
}

# %%
import matplotlib.pyplot as plt

fig, maps = plt.subplots(1, 3, figsize=(6.4, 2.9), sharey=True)
powers = {"undivided": 0, "÷ d^¼": 0.25, "÷ √d": 0.5}
d = np.arange(0, 10.01, 0.5)
for axes, (name, a) in zip(maps, powers.items(), strict=True):
    rows = [
        np.interp((0.5 - a) * x, halvings, weight[:, n])
        for x in d
        for n in range(len(octaves))
    ]
    axes.contourf(
        octaves,
        d,
        np.reshape(rows, (len(d), -1)),
        levels=[0, 0.1, 0.25, 0.5, 0.75, 1],
        colors=["C1"],
        alpha=0.15,
    )
    if a < 0.5:
        curve = np.log2(2 * np.log(2.0**octaves)) / (1 - 2 * a)
        axes.plot(octaves, curve, "C3")
    axes.set(title=name, ylim=(0, 10), xticks=[1, 4, 9, 14])
    axes.set_xticklabels(["2", "16", "512", "16384"])
maps[0].set(ylabel="dimensions d", yticks=[0, 2, 4, 6, 8, 10])
maps[0].set_yticklabels([1, 4, 16, 64, 256, 1024])
maps[1].set_xlabel("number of keys n")
plt.show()

# %% says
assert 2 ** octaves[-1] == 16384, "keys from 2 to 16384 across"
upper = weight[halvings >= 10 / 3 / 2]
assert np.mean(upper > 1 / 2) > 2 / 3, "left, the upper two thirds are dark"
root = weight[halvings == 0][0]
assert max(root[3:]) < 1 / 4, "on the right, the map is pale"
assert root[0] > 1 / 2, "is pale except at its left edge, where few keys"
assert np.all(np.diff(curve) > 0), "above a curve that rises slowly to the"
powers = np.arange(0, 0.5, 0.05)
for n in explore["keys"]:
    assert np.all(np.diff((2 * np.log(n)) ** (1 / (1 - 2 * powers))) > 0), (
        "If queries and keys have variance 1, a larger … moves it up"
    )
assert max(1 / (2 * np.log(explore["keys"]))) < 1, (
    "If queries and keys have variance 1 … leaves none"
)
assert np.sqrt(64) < freezes_512 < np.sqrt(256), (
    "and a fourth root moves that only to larger heads"
)
