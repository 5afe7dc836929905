r"""The logits of a small transformer, for which flat lines are wanted. From
step 50 to step 1000 those of $8/d$ are flat, and those of $1/\sqrt d$ rise.
After 10 steps from random queries it is those of $1/\sqrt d$ that are flatter.
At step 0, from $W_Q = 0$, all logits are 0.

Four panels, one for each scale and each start of W_Q: the root mean square of
the logits that softmax sees against d from 16 to 256, both axes logarithmic,
with a line for each of the steps 0, 1, 10, 50, 200 and 1000. The last two end
at d = 128. With 1/√d the lines of steps 50, 200 and 1000 rise side by side:
from about 2 to about 6, from 4 to 9 and from 8 to 18. From random queries the
others are nearly flat at about 1; from W_Q = 0 that of step 10 lies between 0.3
and 0.6, and that of step 1 rises from 0.05 to 0.14. With 8/d the lines of steps
50, 200 and 1000 are flat at about 4, 7 and 14. From random queries the others
fall from about 2 to about 0.5; from W_Q = 0 that of step 10 falls from 0.8 to
0.4, and that of step 1 lies at about 0.1.
"""

# %%
import numpy as np
from recall import exponent
from stored import over_widths, read, source

every, about = read("runs.csv"), source("runs.csv")
scales, steps = ["1/√d", "8/d"], [0, 1, 10, 50, 200, 1000]
table = every[every["rate"] == 0.2]
start = {0: "random", 1: "0"}
mean, fit, dims = {}, {}, {}
for scale in scales:
    for zero, name in start.items():
        mean[scale, name], fit[scale, name] = {}, {}
        for step in steps:
            where = {"scale": scale, "zero_query": zero, "step": step}
            dims[step], size = over_widths(table, "spread", **where)
            if size.all():
                mean[scale, name][step] = size.mean(axis=0)
                fit[scale, name][step] = exponent(dims[step], size)

# Where a row of as many Gaussian logits as a window has bytes freezes, and what
# share of the text a model has read in the end, 32 windows at a time.
window, text_bytes = 16, int(about["bytes"])
freezes = np.sqrt(2 * np.log(window))
read_share = steps[-1] * 32 * window / (0.9 * text_bytes)
# The mean loss of all these models on text held out, at each step.
loss = {step: table["loss"][table["step"] == step].mean() for step in steps}

# At every learning rate, after as many steps as all have: the exponents of the
# logits, and of the movement of q·k at attended pairs.
compared = 50
rates = np.unique(every["rate"])
by_rate = {"spread": {}, "moved": {}}
for what, found in by_rate.items():
    for scale in scales:
        for zero, name in start.items():
            where = {"scale": scale, "zero_query": zero, "step": compared}
            found[scale, name] = [
                exponent(*over_widths(every, what, **where, rate=rate))[0]
                for rate in rates
            ]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5), sharex=True, sharey=True)
for axes, (scale, name) in zip(panels.flat, mean, strict=True):
    for step, sizes in mean[scale, name].items():
        place = steps.index(step)
        look = {"color": f"C{place}", "label": f"step {step}"}
        # Step 0 hides below step 1, were it not larger.
        look["markersize"] = 6 if step else 11
        axes.loglog(dims[step], sizes, "os^Dvp"[place] + "-", **look)
    axes.set(title=f"{scale}, $W_Q$ {'random' if name == 'random' else '= 0'}")
    axes.set(xticks=dims[0], xticklabels=dims[0])
    axes.set(yticks=[0.1, 1, 10], yticklabels=[0.1, 1, 10])
    axes.minorticks_off()
for axes in panels[1]:
    axes.set_xlabel("head dimension d")
for axes in panels[:, 0]:
    axes.set_ylabel("logits (rms)")
handles, labels = panels[0, 0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=3)
plt.show()
