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

# Between which values they lie, from either start; the logits with 1/√d are
# apart at the last rate.
moved, logits = {}, {}
for scale, last in {"8/d": len(rates), "1/√d": -1}.items():
    slopes = [by_rate["moved"][scale, name] for name in start.values()]
    moved[scale] = np.min(slopes), np.max(slopes)
    slopes = [by_rate["spread"][scale, name][:last] for name in start.values()]
    logits[scale] = np.min(slopes), np.max(slopes)
at_last = {name: by_rate["spread"]["1/√d", name][-1] for name in start.values()}

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

# %% says
slope = {(*how, step): fit[how][step][0] for how in fit for step in fit[how]}
plain = {at: mean["1/√d", at] for at in ("random", "0")}
mup = {at: mean["8/d", at] for at in ("random", "0")}
about = {50: (2, 6, 4), 200: (4, 9, 7), 1000: (8, 18, 14)}
for begin, step in [(begin, step) for begin in plain for step in about]:
    first, final, flat = about[step]
    rising = plain[begin][step]
    assert abs(slope["8/d", begin, step]) < 0.1, "those of $8/d$ are flat"
    assert np.all(np.diff(rising) > 0), "are flat, and those of … rise"
    assert abs(rising[0] / first - 1) < 0.15, "rise side by side: from about 2"
    assert abs(rising[-1] / final - 1) < 0.15, "to about 6, from 4 to 9 and"
    assert np.all(abs(mup[begin][step] / flat - 1) < 0.15), "flat at about 4, 7"
    assert np.all(mup[begin][step] > freezes), "But these logits are large"
assert abs(slope["1/√d", "random", 10]) < abs(slope["8/d", "random", 10]) / 2, (
    "After 10 steps from random queries it is those of … that are flatter"
)
assert 0 not in {**plain["0"], **mup["0"]}, "At step 0 … all logits are 0"
assert (dims[10][0], dims[10][-1]) == (16, 256), "against d from 16 to 256"
assert dims[200][-1] == dims[1000][-1] == 128, "The last two end at d = 128"
early = np.array([plain["random"][step] for step in (0, 1, 10)])
assert np.all(abs(early - 1) < 0.35), "the others are nearly flat at about 1"
first, *_, final = np.transpose([mup["random"][step] for step in (0, 1, 10)])
assert np.all(abs(first - 2) < 0.5), "the others fall from about 2 to"
assert np.all(abs(final - 0.5) < 0.1), "fall from about 2 to about 0.5"
sizes = plain["0"]
assert np.all(abs(sizes[10] - 0.45) < 0.15), "lies between 0.3 and 0.6"
assert abs(sizes[1][0] - 0.05) < 0.01, "that of step 1 rises from 0.05"
assert abs(sizes[1][-1] - 0.14) < 0.01, "of step 1 rises from 0.05 to 0.14"
sizes = mup["0"]
assert abs(sizes[10][0] - 0.8) < 0.05, "that of step 10 falls from 0.8"
assert abs(sizes[10][-1] - 0.4) < 0.03, "step 10 falls from 0.8 to 0.4"
assert np.all(abs(sizes[1] - 0.1) < 0.04), "that of step 1 lies at about 0.1"

fast = np.array([*by_rate["moved"].values()])[:, 3]
assert np.all(abs(fast - 1) < 0.1), "all four are within 0.1 of 1"
assert (rates[3], fast.size) == (0.8, 4), "At the best rate, 0.8, all four are"
assert loss[0] > loss[50] > loss[200] > loss[1000], "So the models still learn"
assert abs(read_share - 1 / 8) < 0.005, "has read about an eighth of the text"
assert (len(rates), rates[0], rates[-1]) == (5, 0.1, 1.6), (
    "At five rates from 0.1 to 1.6, the exponent"
)
assert compared == 50, (
    "to 1.6, the exponent after 50 steps lies between … and … with $8/d$, and"
)
for begin, step in [(begin, step) for begin in plain for step in about]:
    assert abs(slope["8/d", begin, step]) < 0.1, (
        "have nearly one size at all widths"
    )
    assert abs(slope["1/√d", begin, step] - 0.38) < 0.05, (
        r"With $1/\sqrt d$ they grow with $d$, to the power … after 50 steps"
    )
assert [*about] == [50, 200, 1000], (
    "From step 50 on the logits have nearly one size at all widths"
)
assert [*about] == [50, 200, 1000], "after 50 steps and after 1000"
assert [*about] == [50, 200, 1000], "and from step 50 to step 1000 they grow"
for scale in scales:
    change = slope[scale, "random", 50] - slope[scale, "0", 50]
    assert abs(change) < 0.05, "The start hardly matters by then"
    grown = mean[scale, "0"][1000] / mean[scale, "0"][50][:4]
    assert np.all(grown > 3), "to step 1000 they grow threefold or more"
assert abs(slope["1/√d", "random", 10]) < abs(slope["8/d", "random", 10]) / 2, (
    "From random queries those of … are the flatter lines"
)
half = sizes[10][1] / sizes[10][0]
assert 0.5 < half < 0.62, "with $8/d$ the logits nearly halve from $d = 16$ to"
assert [*dims[10][:2]] == [16, 32], "nearly halve from $d = 16$ to 32 and are"
assert np.ptp(np.log(sizes[10][1:])) < 0.2, "to 32 and are nearly level beyond"
rise = np.diff(plain["0"][10])
assert rise[0] < 0 < rise[1:].min(), "they first fall and then rise"
assert (len(rates), rates[0], rates[-1], compared) == (5, 0.1, 1.6, 50), (
    "At five learning rates, from 0.1 to 1.6, the exponent after 50 steps"
)
assert max(at_last.values()) < logits["1/√d"][0] / 2, (
    "is less than half of that"
)
assert [*rates[-2:]] == [0.8, 1.6], (
    r"up to $\eta = 0.8$, and is less than half of that at $\eta = 1.6$"
)
