r"""Divided by $d$ the loss over the learning rate is nearly one curve at all
head sizes, up to {= rates[4] }. Divided by $\sqrt d$ larger heads stop learning
at smaller rates. A point is the mean of three seeds after 500 steps.

Four panels, one for each divisor: the loss over seven learning rates from
{= lowest } to {= highest }, both axes logarithmic, with a line for d = 16, 64
and 256. Without a divisor all lines are flat at between 2 and 3. Divided by √d
they fall to below 0.01 at {= rates[3] } and rise again, that of 256 first and
that of 16 last. Divided by d they lie on each other up to {= rates[4] }, where
they are below 0.002. Divided by d/8 they have the form of √d, but that of 16
rises first.
"""

# %%
import numpy as np
from learning_table import learning
from stored import pivot

rows, dims, last = learning(), [16, 64, 256], 500
divisors = ["none", "√d", "d/8", "d"]
loss, mean, largest, best = {}, {}, {}, {}
for at in [(divisor, d) for divisor in divisors for d in dims]:
    where = {"setting": "plain", "divisor": at[0], "d": at[1], "step": last}
    rates, loss[at] = pivot(rows, "rate", "loss", **where)
    mean[at] = loss[at].mean(axis=0)
    best[at] = rates[mean[at].argmin()]
    # The largest rate at which all seeds get below 1 nat.
    learned = np.all(loss[at] < 1, axis=0)
    largest[at] = max(rates[learned], default=0)
lowest, highest = rates[0], rates[-1]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 4.0), sharex=True, sharey=True)
titles = ["no divisor", "÷ √d", "÷ d/8", "÷ d"]
for axes, divisor, title in zip(panels.flat, divisors, titles, strict=True):
    for place, d in enumerate(dims):
        look = {"color": f"C{place}", "label": f"d = {d}"}
        axes.loglog(rates, mean[divisor, d], "os^"[place] + "-", **look)
    axes.set(title=title, xticks=[0.00025, 0.001, 0.004])
    axes.set(xticklabels=["0.00025", "0.001", "0.004"])
    axes.set(yticks=[0.001, 0.01, 0.1, 1], yticklabels=[0.001, 0.01, 0.1, 1])
    axes.minorticks_off()
for axes in panels[1]:
    axes.set_xlabel("learning rate")
for axes in panels[:, 0]:
    axes.set_ylabel("loss")
handles, labels = panels[0, 0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=3)
plt.show()

# %% says
up_to = rates <= rates[4]
assert len(rates) == 7, "seven learning rates"
assert loss["d", 64].shape[0] == 3, "the mean of three seeds"
by_d = np.array([mean["d", d][up_to] for d in dims])
assert np.all(by_d.max(axis=0) < 1.7 * by_d.min(axis=0)), (
    "is nearly one curve at all head sizes"
)
assert largest["√d", 16] > largest["√d", 64] > largest["√d", 256], (
    "larger heads stop learning at smaller rates"
)
for d in dims:
    assert np.all((mean["none", d] > 2) & (mean["none", d] < 3)), (
        "all lines are flat at between"
    )
    assert mean["√d", d][3] < 0.01 < mean["√d", d][-1], (
        "they fall to below … and rise again"
    )
    assert mean["d", d][4] < 0.002, "where they are below"
assert mean["√d", 256][4] > mean["√d", 64][4] > mean["√d", 16][4], (
    "that of … first and that of … last"
)
for small, d in ((16, 64), (64, 256)):
    assert largest["√d", small] == 2 * largest["√d", d], (
        "the largest rate halved each time that $d$ grows fourfold"
    )
    assert largest["d/8", small] < largest["d/8", d], (
        "With $8/d$ the largest rate rises with $d$"
    )
assert largest["d/8", 16] < min(largest["d/8", d] for d in (64, 256)), (
    "they have the form of √d, but that of 16 rises first"
)
starts = {d: d**0.5 / (d / 8) for d in dims}
assert starts[16] > starts[64], "since narrow heads start with larger logits"
for divisor in ("√d", "d", "d/8"):
    rates_at_best = [best[divisor, d] for d in dims]
    assert max(rates_at_best) <= 2 * min(rates_at_best), (
        "the best rates differ by a factor of 2 at most"
    )
