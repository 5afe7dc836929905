r"""A coordinate check: flat lines are wanted. $1/\sqrt d$ is flat at the start,
$8/d$ later, and $8/d$ with $W_Q = 0$ nearly from the first step on.

Three stacked panels of the size of the logits against d from 16 to 256, both
axes logarithmic, with a line for each of the steps 0, 1, 5, 10 and 20. With
1/√d the line of step 0 is flat at 1 and that of step 20 rises. With 8/d the
line of step 0 falls, and that of step 20 is almost flat. With 8/d and W_Q = 0
there is no line for step 0, since all logits are 0, and the other lines are
almost flat from the first step on.
"""

# %%
import numpy as np
from recall import exponent, logits, rms, train

dims, seeds, shown = [16, 32, 64, 128, 256], [0, 1, 2, 3], [0, 1, 5, 10, 20]
cases = {
    "1/√d": (np.sqrt, False),
    "8/d": (lambda d: d / 8, False),
    "8/d and W_Q = 0": (lambda d: d / 8, True),
}
size, fit = {}, {}
for name, (divisor, zero) in cases.items():
    runs = np.empty((len(seeds), len(dims), shown[-1] + 1))
    for row, column in np.ndindex(runs.shape[:2]):
        s = divisor(dims[column])
        run = train(dims[column], seeds[row], s, shown[-1], zero_query=zero)
        runs[row, column] = [rms(logits(X, W, s)) for X, W in run]
    size[name] = runs.mean(axis=0)
    fit[name] = {
        t: exponent(dims, runs[:, :, t]) for t in shown if runs[..., t].all()
    }
# By how many per cent one step's logits fall to the next width; the last case.
falls = 100 * (1 - runs[:, 1:, 1] / runs[:, :-1, 1])
errors = falls.std(axis=0, ddof=1) / len(seeds) ** 0.5
fall = dict(zip(dims[:-1], np.transpose([falls.mean(0), errors]), strict=True))

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 9.2), sharex=True)
ticks = [[1, 2], [0.5, 1, 2], [0.03, 0.1, 0.3, 1]]
for axes, name, y in zip(panels, cases, ticks, strict=True):
    for t in fit[name]:
        look = {"color": f"C{shown.index(t)}", "label": f"step {t}"}
        axes.loglog(dims, size[name][:, t], "o-", **look)
    title = name.replace("W_Q = 0", "$W_Q = 0$")
    axes.set(title=title, ylabel="logits (rms)")
    axes.set(xticks=dims, xticklabels=dims)
    axes.set(yticks=y, yticklabels=y)
    axes.minorticks_off()
panels[-1].set_xlabel("d")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper left", ncols=3)
plt.show()
