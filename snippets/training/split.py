r"""What the first step moves through $W_Q$ and $W_K$ of the layer itself, and
what through the vectors that these are applied to. With Adam the first is the
larger in every head, and grows nearly like $d$. A step of Muon of the same size
moves it like $\sqrt d$, until $d$ reaches the width of the model. Both axes are
logarithmic.

Two panels, for one step of Adam and one of Muon: the movement of q·k at the
right key, over d from {= dims[0] } to {= dims[-1] }. In each three rising
lines: all weights, the two of the layer itself, and all others. With Adam the
line of the layer itself lies just below that of all; that of the others lies
lower and is flatter. With Muon the lines rise half as steeply up to
d = {= width }, and then turn upwards.
"""

# %%
import numpy as np
from recall import exponent
from stored import read

rows = read("training/split.csv")
dims, width = np.unique(rows["d"]), 128
hows = ["Adam 1", "Muon 1", "Adam 10", "Muon 1 times 10"]
parts = {
    "all": "all weights",
    "own": "its own $W_Q$, $W_K$",
    "rest": "the rest",
}
size, power, narrow, wide = {}, {}, {}, {}
for how, part in [(how, part) for how in hows for part in parts]:
    here = rows[rows["how"] == how]
    moved = np.array([here[part][here["d"] == d] for d in dims]).T
    size[how, part] = moved.mean(axis=0)
    power[how, part] = exponent(dims, moved)
    # The power up to the width of the model, and from there on.
    up = dims <= width
    narrow[how, part] = exponent(dims[up], moved[:, up])
    up = dims >= width
    wide[how, part] = exponent(dims[up], moved[:, up])
n_seeds = len(moved)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.8), sharey=True)
for axes, how in zip(panels, hows, strict=False):
    for place, (part, name) in enumerate(parts.items()):
        look = {"color": f"C{place}", "marker": "os^"[place], "label": name}
        axes.loglog(dims, size[how, part], **look)
    axes.set(title=f"one step of {how[:4]}", xlabel="head dimension d")
    axes.set(xticks=[8, 32, 128, 512], xticklabels=[8, 32, 128, 512])
    axes.set(yticks=[0.1, 1, 10], yticklabels=[0.1, 1, 10])
    axes.minorticks_off()
panels[0].set_ylabel("movement of q·k (rms)")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=3)
plt.show()

# %% says
for how in ("Adam 1", "Adam 10"):
    assert np.all(size[how, "own"] > size[how, "rest"]), (
        "With Adam the first is the larger in every head"
    )
    assert power[how, "own"][0] > power[how, "all"][0] + 0.04, (
        "Through $W_Q$ and $W_K$ alone it is steeper"
    )
    assert power[how, "rest"][0] < power[how, "own"][0] - 0.1, (
        "the others lies lower and is flatter"
    )
assert 0.85 < power["Adam 1", "own"][0] < 1, "and grows nearly like $d$"
assert abs(narrow["Muon 1", "own"][0] - 0.5) < 0.06, (
    r"a step of Muon of the same size moves it like $\sqrt d$ until"
)
assert wide["Muon 1", "own"][0] > 0.9, (
    "half as steeply up to … and then turn upwards"
)
assert n_seeds == 6, "The errors are over six seeds"
assert power["Adam 1", "rest"][0] < power["Adam 1", "all"][0], (
    "So the other weights have a part in what is missing to"
)
assert abs(wide["Adam 1", "own"][0] - 1) < 0.06, "The rest is in narrow heads"
