r"""At one learning rate a model of $d = 64$ with $1/\sqrt d$ alone has larger
logits than one of 32, and no lower loss. With QK-norm its loss falls.

Two columns, Adam and Muon, and two rows, all over the head dimension, 16, 32
and 64, on a logarithmic axis: the largest logit after 1000 steps, on a
logarithmic axis too, and the loss, with bars of two standard errors. A line for
each of six measures; dashed, the loss of 1/√d alone at the best of the rates
tried.
"""

# %%
import numpy as np
from labels import REMEDIES
from stored import mean_and_error, pivot, read

rows = read("growth/growth.csv")
dims, optimizers = [16, 32, 64], ["Adam", "Muon"]
last, RUN = 1000, ["optimizer", "remedy", "d"]


def at_the_end(what, optimizer, remedy, d, rate=1):
    """Return `what` for each seed after the last step."""
    same = "none" if (remedy, d) == ("1/d", 64) else remedy  # 64/8 is √64
    where = {"d": d, "optimizer": optimizer, "remedy": same, "rate": rate}
    steps, found = pivot(rows, "step", what, **where)
    return found[:, [*steps].index(last)]


largest, loss = {}, {}
for how in [
    (name, r, d) for name in optimizers for r in REMEDIES for d in dims
]:
    found = at_the_end("loss", *how)
    largest[how] = mean_and_error(at_the_end("largest", *how))
    loss[how] = mean_and_error(found)
seeds = len(found)
# At the rates tried, 1/√d alone and QK-norm: the losses, and the best rate.
two = [(name, r) for name in optimizers for r in ("none", "QK-norm")]
losses, best = {}, {}
for how in [(*how, d) for how in two for d in dims]:
    same = [rows[x] == at for x, at in zip(RUN, how, strict=True)]
    tried = np.unique(
        rows[np.all([*same, rows["step"] == last], axis=0)]["rate"]
    )
    losses[how] = {rate: at_the_end("loss", *how, rate) for rate in tried}
    best[how] = min(tried, key=lambda rate, how=how: losses[how][rate].mean())
lowest = {how: losses[how][rate] for how, rate in best.items()}
# By how much QK-norm is lower then; what twice the width gains at rate 1.
gain, wider = {}, {}
for name in optimizers:
    for d in dims:
        alone, normed = (lowest[name, r, d] for r in ("none", "QK-norm"))
        gain[name, d] = mean_and_error(alone - normed)
    for remedy in REMEDIES:
        narrow, wide = (at_the_end("loss", name, remedy, d) for d in (32, 64))
        wider[name, remedy] = mean_and_error(narrow - wide)
table = [
    [f"{rate:g}"]
    + [
        "{:.3f} ± {:.3f}".format(*mean_and_error(losses[*how, 64][rate]))
        if rate in losses[*how, 64]
        else ""
        for how in two
    ]
    for rate in (0.25, 0.5, 1)
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5.6), sharex=True, sharey="row")
for column, name in enumerate(optimizers):
    top, bottom = panels[:, column]
    for place, (remedy, label) in enumerate(REMEDIES.items()):
        look = {"color": f"C{place}", "marker": "os^Dvp"[place]}
        sizes = [largest[name, remedy, d][0] for d in dims]
        top.plot(dims, sizes, label=label, **look)
        lost = np.transpose([loss[name, remedy, d] for d in dims])
        bottom.errorbar(dims, lost[0], yerr=2 * lost[1], **look)
    at_best = [lowest[name, "none", d].mean() for d in dims]
    bottom.plot(dims, at_best, "C0--")
    top.set(title=name, xscale="log", yscale="log")
    bottom.set(xlabel="head dimension d", xticks=dims, xticklabels=dims)
    bottom.minorticks_off()
ticks = [10, 20, 50, 100]
panels[0, 0].set(yticks=ticks, yticklabels=ticks, ylabel="largest logit")
panels[0, 0].minorticks_off()
panels[1, 0].set_ylabel("loss")
handles, names = panels[0, 0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside upper center", ncols=3)
plt.show()

# %% says
for name in optimizers:
    alone = [largest[name, "none", d][0] for d in dims]
    assert alone[0] < alone[1] < alone[2], "logits than one of 32"
    value, error = wider[name, "none"]
    assert abs(value) < 2 * error, "its loss is no lower than with"
    assert abs(value) < 2 * error, "logits than one of 32, and no lower loss"
    value, error = wider[name, "QK-norm"]
    assert value > 2 * error, "With QK-norm it falls, by"
    assert value > 2 * error, "With QK-norm its loss falls"
    narrow, wide = (losses[name, "none", d][0.5] for d in (32, 64))
    value, error = mean_and_error(narrow - wide)
    assert value > 2 * error, "$1/\\sqrt d$ gains from the width as well"
    value, error = gain[name, 64]
    assert value > 2 * error, "QK-norm is still ahead there"
    for remedy in ("QK-clip", "soft cap"):
        sizes = np.array([largest[name, remedy, d][0] for d in dims])
        assert np.all(abs(sizes - 20) < 2.5), "The threshold of … holds at all"
    decay = [largest[name, "decay", d][0] for d in dims]
    assert decay[2] > 1.15 * max(decay[:2]), (
        "Weight decay holds less at $d = 64$"
    )
assert best["Adam", "none", 64] == 0.5, "for it at $d = 64$, as rates are"
for remedy in ("QK-clip", "soft cap"):
    (adam, wrong), (muon, error) = (wider[n, remedy] for n in optimizers)
    assert adam < 2 * wrong, "it does with Muon only"
    assert muon > 2 * error, "it does with Muon only"
assert dims[-1] == 2 * dims[-2], "which makes the model twice as wide"
