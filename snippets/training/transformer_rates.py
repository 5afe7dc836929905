r"""Of five learning rates the best is the same at all widths, with either scale
and either start: after 50 steps, in which attention hardly matters yet.

Four panels, one for each scale and each start of W_Q: by how much the loss on
text that was held out exceeds that of the best rate, against the learning rate,
on a logarithmic axis, with a line for each of five widths. In all panels the
five lines lie close together, fall from about 0.45 to 0 at the learning rate
0.8, and turn up again.
"""

# %%
import numpy as np
from stored import over_widths, read

table, scales, start = read("runs.csv"), ["1/√d", "8/d"], ["random", "0"]
compared = 50
last = table[table["step"] == compared]
dims, rates = np.unique(last["d"]), np.unique(table["rate"])
mean, excess, best = {}, {}, {}
for scale in scales:
    for zero, name in enumerate(start):
        where = {"scale": scale, "zero_query": zero}
        losses = [
            over_widths(last, "loss", **where, rate=rate)[1] for rate in rates
        ]
        n_seeds = len(losses[0])
        mean[scale, name] = np.mean(losses, axis=1)
        excess[scale, name] = mean[scale, name] - mean[scale, name].min(axis=0)
        best[scale, name] = rates[mean[scale, name].argmin(axis=0)]

# What attention is worth: the loss where it weighs all keys alike, less the
# loss with 8/d, at one learning rate, for each seed and each width but one.
even_dims, even = over_widths(last, "loss", scale="0")
even_rate = last["rate"][last["scale"] == "0"][0]
where = {"scale": "8/d", "zero_query": 0, "rate": even_rate}
learned = over_widths(last[np.isin(last["d"], even_dims)], "loss", **where)[1]
gains = (even - learned).mean(axis=1)
worth = gains.mean(), gains.std(ddof=1) / len(gains) ** 0.5
first = table[(table["step"] == 0) & np.isin(table["d"], even_dims)]
begun = over_widths(first, "loss", **where)[1].mean()
ended = learned.mean()

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5), sharex=True, sharey=True)
for axes, (scale, name) in zip(panels.flat, excess, strict=True):
    for place, d in enumerate(dims):
        look = {"color": f"C{place}", "label": f"d = {d}"}
        axes.plot(
            rates, excess[scale, name][:, place], "os^Dv"[place] + "-", **look
        )
    axes.set(title=f"{scale}, $W_Q$ {'random' if name == 'random' else '= 0'}")
    axes.set(xscale="log", xticks=rates, xticklabels=rates)
    axes.minorticks_off()
for axes in panels[1]:
    axes.set_xlabel("learning rate η")
for axes in panels[:, 0]:
    axes.set_ylabel("loss above lowest")
handles, labels = panels[0, 0].get_legend_handles_labels()
tight = {"handlelength": 1, "handletextpad": 0.4, "columnspacing": 1}
fig.legend(handles, labels, loc="outside upper center", ncols=5, **tight)
plt.show()

# %% says
assert all(np.all(each == 0.8) for each in best.values()), (
    "the best is the same at all widths, with either scale and either start"
)
assert worth[0] < (begun - ended) / 10, "in which attention hardly matters yet"
above = np.array([*excess.values()])
assert np.ptp(above, axis=2).max() < 0.05, "the five lines lie close together"
assert np.all(np.diff(above[:, :4], axis=1) < 0), (
    "lie close together, fall from"
)
assert np.all(abs(above[:, 0] - 0.45) < 0.05), "fall from about 0.45 to 0"
assert rates[3] == 0.8, "to 0 at the learning rate 0.8"
assert np.all(above[:, 4] > 0), "0.8, and turn up again"

assert all(np.all(each == 0.8) for each in best.values()), (
    r"$\eta = 0.8$ has the lowest mean loss after 50 steps at every width"
)
assert len(rates) == 5, "Of five rates, each"
assert np.all(rates[1:] == 2 * rates[:-1]), "each twice the last"
assert compared == 50, "the lowest mean loss after 50 steps"
value, error = worth
assert 2 * error < value < (begun - ended) / 10, (
    "weighs all keys alike is only … nats worse"
)
assert [even_dims[0], even_dims[-1], even_rate] == [16, 64, 0.4], (
    r"over $d$ from 16 to 64 at $\eta = 0.4$"
)
assert ended < begun, "although training has lowered the loss"
