r"""Our row in heads of 16, 64 and 128. Undivided, one key takes ever more.
Under 8 and $\log d$ the bars rise, too; under $d$ and a cosine they sink. Only
under $\sqrt{d}$ do they keep their height. (Bars above one half are cut off.)

Eighteen small plots with bars for {= n_keys } keys: a row of three for each
rival, from heads of 16 on the left to 128 on the right, with the largest
weight as a number. Undivided it is {= largest['undivided'][16] :.0%},
{= largest['undivided'][64] :.0%} and {= largest['undivided'][128] :.0%};
divided by 8, {= largest['÷ 8'][16] :.0%}, {= largest['÷ 8'][64] :.0%} and
{= largest['÷ 8'][128] :.0%}; by log d, {= largest['÷ log d'][16] :.0%},
{= largest['÷ log d'][64] :.0%} and {= largest['÷ log d'][128] :.0%}; by √d,
{= largest['÷ √d'][16] :.0%}, {= largest['÷ √d'][64] :.0%} and
{= largest['÷ √d'][128] :.0%}; by d, {= largest['÷ d'][16] :.0%},
{= largest['÷ d'][64] :.0%} and {= largest['÷ d'][128] :.0%}. For ten times the
cosine it is {= largest['10 cos'][16] :.0%}, {= largest['10 cos'][64] :.0%} and
{= largest['10 cos'][128] :.0%}.
"""

# %%
import numpy as np
from our_row import draw_weights, keys, n_keys, query, scores
from scipy.special import softmax

dims = [16, 64, 128]
constant, factor = 8, 10
suited = factor**2  # the dimensions whose root is 10


def logits(d):
    """Return our row in a head of d, under each rival."""
    S = scores(d)
    lengths = np.linalg.norm(query[:d]) * np.linalg.norm(keys[:, :d], axis=1)
    return {
        "undivided": S,
        "÷ 8": S / constant,
        "÷ log d": S / np.log(d),
        "÷ √d": S / np.sqrt(d),
        "÷ d": S / d,
        "10 cos": factor * S / lengths,
    }


weights = {d: {name: softmax(z) for name, z in logits(d).items()} for d in dims}
rivals = [*weights[64]]
largest = {f: {d: weights[d][f].max() for d in dims} for f in rivals}
winner = {d: int(scores(d).argmax()) + 1 for d in dims}

# %%
import matplotlib.pyplot as plt

fig, rows = plt.subplots(6, 3, figsize=(6.4, 6.4), sharex=True, sharey=True)
for row, name, colour in zip(
    rows, rivals, ["C1", "C4", "C3", "C0", "C2", "0.5"], strict=True
):
    for axes, d in zip(row, dims, strict=True):
        draw_weights(axes, weights[d][name], colour)
        share = f"{largest[name][d]:.0%}"
        axes.text(14, 0.45, share, ha="center", va="top")
    label = row[0].set_ylabel(name, rotation=0, ha="right", va="center")
    if name != "10 cos":  # grey letters would be too faint
        label.set_color(colour)
for axes, d in zip(rows[0], dims, strict=True):
    axes.set_title(f"d = {d}")
rows[0, 0].set(ylim=(0, 0.5), yticks=[0, 0.5])
rows[-1, 1].set_xlabel("key")
fig.supylabel("attention weight", fontsize="medium")
plt.show()

# %% says
top = {f: np.array([*each.values()]) for f, each in largest.items()}
for f in ("undivided", "÷ 8", "÷ log d"):
    assert np.all(np.diff(top[f]) > 0), r"Under 8 and $\log d$ the bars rise"
for f in ("÷ d", "10 cos"):
    assert np.all(np.diff(top[f]) < 0), "under $d$ and a cosine they sink"
change = {f: each.max() / each.min() for f, each in top.items()}
assert change["÷ √d"] < 1.25, r"Only under $\sqrt{d}$ do they keep their height"

# Of the page.
assert len(set(winner.values())) == 3, "and chance has picked it"
assert min(top["undivided"][1:]) > 0.89, "one key takes … in a head of"
taken = {f: each / top["÷ √d"] for f, each in top.items()}
alike = [d for d, each in zip(dims, taken["÷ 8"], strict=True) if each == 1]
assert alike == [64], "is right for heads of 64 and for no others"
assert all(taken["÷ log d"] > 1.5), r"$\log d$ takes back too little"
assert all(taken["÷ d"] < 0.35), "and $d$ too much"
assert all(np.diff(taken["10 cos"]) < 0), "ten times the cosine for heads of"
assert all(top["÷ √d"] > 4 / n_keys), "neither flat nor one key's"
