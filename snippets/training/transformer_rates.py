r"""The best learning rate hardly changes with the width, with either scale.

Four panels, one for each scale and each start of W_Q: the loss on text that was
held out after 50 steps, against the learning rate on a logarithmic axis, with a
line for each of four widths and error bars over seeds. All lines are valleys,
lowest at the same learning rate or one beside it.
"""

# %%
import numpy as np
from stored import over_widths, read, source

table, about, scales = read("runs.csv"), source("runs.csv"), ["1/√d", "8/d"]
last = table[table["step"] == table["step"].max()]
rates = np.unique(table["rate"])
start = {0: "random", 1: "0"}
mean, error, best, n_seeds = {}, {}, {}, {}
for scale in scales:
    for zero, name in start.items():
        losses = []
        for rate in rates:
            where = {"scale": scale, "zero_query": zero, "rate": rate}
            dims, loss = over_widths(last, "loss", **where)
            losses.append(loss)
        losses = np.array(losses)  # rates × seeds × widths
        mean[scale, name] = losses.mean(axis=1)
        error[scale, name] = losses.std(axis=1, ddof=1) / losses.shape[1] ** 0.5
        # With a parabola through the lowest point and its neighbours, for each
        # seed, in powers of 2.
        best[scale, name] = rates[losses.mean(axis=1).argmin(axis=0)]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 6.4), sharex=True, sharey=True)
for axes, (scale, name) in zip(panels.flat, mean, strict=True):
    for place, d in enumerate(dims):
        axes.errorbar(
            rates,
            mean[scale, name][:, place],
            2 * error[scale, name][:, place],
            fmt="os^D"[place] + "-",
            color=f"C{place}",
            label=f"d = {d}",
        )
    axes.set(title=f"{scale}, $W_Q$ {'random' if name == 'random' else '= 0'}")
    axes.set(xscale="log", xticks=rates, xticklabels=rates)
    axes.minorticks_off()
for axes in panels[1]:
    axes.set_xlabel("learning rate η")
for axes in panels[:, 0]:
    axes.set_ylabel("loss")
panels[0, 0].legend()
plt.show()
