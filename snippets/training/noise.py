r"""Pairs of a divided and an undivided model whose batches agree about equally
at the start. Left: the loss over the steps. Right: how much of the gradient's
mean square batches have in common on the way. Means of three seeds.
"""

# %%
import numpy as np
from stored import read

rows = read("noise.csv")
rows = rows[rows["seed"] >= 20]  # the others chose the rates
pairs = {"about 6%": 37, "less than 1%": 2}
batches = {"about 6%": 1024, "less than 1%": 64}
settings = [("√d", 64)]
for name in pairs:
    settings += [("√d", pairs[name]), ("none", batches[name])]
loss, agree, final, steps = {}, {}, {}, {}
for divisor, batch in settings:
    here = rows[(rows["divisor"] == divisor) & (rows["batch"] == batch)]
    at = np.unique(here["step"])
    by_seed = {
        what: np.array([here[what][here["step"] == t] for t in at])
        for what in ("loss", "common", "variance")
    }
    common, variance = (
        by_seed[what].mean(axis=1) for what in ("common", "variance")
    )
    # In batches of this size: what is in common, of the mean square.
    share = common / (common + variance / batch)
    setting = divisor, batch
    steps[setting], agree[setting] = at, share
    loss[setting], final[setting] = by_seed["loss"].mean(1), by_seed["loss"][-1]
rate = {
    (divisor, batch): rows["rate"][
        (rows["divisor"] == divisor) & (rows["batch"] == batch)
    ][0]
    for divisor, batch in settings
}

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 4.2), sharex=True)
styles = {64: "-", 37: "--", 1024: "--", 2: ":", 2048: "-"}
for setting in settings:
    divisor, batch = setting
    colour = "C0" if divisor == "√d" else "C1"
    style = ":" if setting == ("none", 64) else styles[batch]
    name = f"{'÷ √d' if divisor == '√d' else 'undivided'}, batches of {batch}"
    look = {"color": colour, "linestyle": style, "marker": ".", "label": name}
    x = np.maximum(steps[setting], 50)  # a logarithmic axis has no 0
    left.plot(x, loss[setting], **look)
    right.plot(x, 100 * agree[setting], **look)
left.set(xscale="log", xlabel="step", ylabel="loss", ylim=(0, None))
left.set(xticks=[50, 500, 5000], xticklabels=["0", 500, 5000])
right.set(xlabel="step", ylabel="in common (%)", ylim=(0, None))
left.minorticks_off()
handles, labels = left.get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=2)
plt.show()
