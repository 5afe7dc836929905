r"""With Adam the spread grows by directions: those in which the weights
lengthen the tokens, and those of q and k. With Muon the weights grow too.

Two panels, Adam and Muon, over the steps of training, both axes logarithmic:
the spread of the logits as a multiple of its start, and the three factors whose
product it is.
"""

# %%
from itertools import product

import numpy as np
from stored import mean_and_error, pivot, read

rows, growth = read("growth/factors.csv"), read("growth/growth.csv")
parts = ["weights", "tokens", "alignment"]
over, grown, used = {}, {}, {}
for optimizer in ("Adam", "Muon"):
    where = {"d": 32, "remedy": "none", "rate": 1, "optimizer": optimizer}
    found = {
        name: pivot(rows, "step", name, **where)[1]
        for name in rows.dtype.names[6:]
    }
    steps, found["spread"] = pivot(growth, "step", "spread", **where)
    found["weights"] = found["frobenius"]
    found["tokens"] = found["lengths"] / found["frobenius"]
    # By how much each has grown: its mean over seeds, and in the end its error.
    times = {
        name: size / size[:, :1] for name, size in found.items() if size.all()
    }
    over[optimizer] = {
        name: mean_and_error(times[name])[0] for name in ["spread", *parts]
    }
    grown[optimizer] = {
        name: mean_and_error(size[:, -1]) for name, size in times.items()
    }
    # How much of what the weights allow the largest logit uses.
    largest, bound = (
        pivot(growth, "step", name, **where)[1] for name in ("largest", "bound")
    )
    used[optimizer] = (largest / bound).mean(axis=0)
seeds = len(largest)
# The shares of the weights, and of the lengths of q and k, in the logarithm of
# what the spread grows by.
share, longer, rates = {}, {}, [0.5, 1]
for optimizer, rate in product(over, rates):
    where = {"d": 32, "remedy": "none", "rate": rate, "optimizer": optimizer}
    weights, lengths, turned = (
        np.log(pivot(rows, "step", name, **where)[1][:, [0, -1]]) @ [-1, 1]
        for name in ("frobenius", "lengths", "alignment")
    )
    share[optimizer, rate] = (weights / (lengths + turned)).mean()
    longer[optimizer, rate] = (lengths / (lengths + turned)).mean()
norms = {
    name: {optimizer: times[norm] for optimizer, times in grown.items()}
    for name, norm in {
        "$W_Q$": "spectral_q",
        "$W_K$": "spectral_k",
        r"$W_Q^\top W_K$": "product",
        "for comparison: the Frobenius norms of $W_Q$ and $W_K$": "weights",
    }.items()
}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 4), sharex=True, sharey=True)
for axes, (optimizer, sizes) in zip(panels, over.items(), strict=True):
    for place, (name, times) in enumerate(sizes.items()):
        look = {"color": f"C{place}", "label": name}
        look["linewidth"] = 1.5 if place else 3
        axes.loglog(steps[1:], times[1:], "os^D"[place] + "-", **look)
    axes.set(title=optimizer, xlabel="steps of training")
    axes.set(xticks=[1, 10, 100, 1000], xticklabels=[1, 10, 100, 1000])
    axes.minorticks_off()
panels[0].set(yticks=[1, 2, 5, 10, 20], yticklabels=[1, 2, 5, 10, 20])
panels[0].set_ylabel("times as large as at the start")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=4)
plt.show()

# %% says
adam, muon = grown["Adam"], grown["Muon"]
turned = [times["tokens"][0] * times["alignment"][0] for times in (adam, muon)]
assert turned[0] > 5 * adam["weights"][0], (
    "With Adam the spread grows by directions"
)
assert muon["weights"][0] > 3, "With Muon the weights grow too"
for sizes in (adam, muon):
    assert sizes["alignment"][0] > 1.5, "With both optimizers $q$ and $k$ turn"
assert min(longer.values()) > 0.5, "which is the larger part of the growth"
assert max(share["Adam", rate] for rate in rates) < 0.2, "Adam does it mostly"
assert adam["tokens"][0] > 2 * adam["weights"][0], (
    "bringing tokens to where the weights lengthen them"
)
assert muon["weights"][0] > 2 * muon["tokens"][0], "it is larger weights"
assert all(abs(share["Muon", rate] - 0.5) < 0.15 for rate in rates), (
    "and they account for about half of the growth"
)
for sizes in (adam, muon):
    assert sizes["spread"][0] > 2, "steps the spread grows"
assert adam["product"][0] > 2 * adam["weights"][0], (
    "With Adam the norm of … grows much more than the product of the"
)
assert muon["product"][0] < 1.3 * muon["weights"][0], "With Adam the norm of"
assert max(max(part) for part in used.values()) < 0.5, (
    "The bound that it sets leaves room"
)
