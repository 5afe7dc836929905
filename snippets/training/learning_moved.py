r"""Left: how fast $q\cdot k$ at the right key grows with $d$, step by step. In
the first steps it is nearly like $d$; once the task is learned, the divisor
decides. Right: the logits of the second layer. In the end those of $1/d$ have
one size in all heads. Error bars show two standard errors, over three seeds.

Two panels. Left, the fitted exponent in d of the movement of q·k at the right
key, against the step from 1 to 500, on a logarithmic axis. Four lines, for √d
and d, from random queries and from W_Q = 0, begin between {= begins[0] :.2f }
and {= begins[1] :.2f }. Those of d end near 1, those of √d near
{= fit['√d', 'random', 500][0] :.1f }. Right, the size of the logits against d
from 16 to 256, both axes logarithmic, from random queries. With √d: flat at
{= logits['√d', 'random', 0][1] :.1f } at step 0, a little higher at step 10,
and between {= ends[0] :.1f } and {= ends[1] :.1f } at step 500. With d:
falling from about {= logits['d', 'random', 0][0] :.2f } to below 0.1 at steps
0 and 10, flat at {= logits['d', 'random', 500][1] :.0f } at step 500.
"""

# %%
import numpy as np
from learning_table import learning
from recall import exponent
from stored import pivot

rows, rate, dims = learning(), 0.001, [16, 64, 256]
rows = rows[rows["rate"] == rate]
steps = [1, 10, 50, 100, 200, 500]
divisors, starts = ["√d", "d"], {"plain": "random", "W_Q = 0": "0"}
moved, fit, logits, level = {}, {}, {}, {}
for divisor, setting in [(s, start) for s in divisors for start in starts]:
    for step in [0, *steps]:
        at = {"divisor": divisor, "setting": setting, "step": step}
        key = divisor, starts[setting], step
        logits[key] = pivot(rows, "d", "spread", **at)[1].mean(axis=0)
        if step:
            sizes = pivot(rows, "d", "moved", **at)[1]
            moved[key], fit[key] = sizes.mean(axis=0), exponent(dims, sizes)
            sizes = pivot(rows, "d", "spread", **at)[1]
            level[key] = exponent(dims, sizes)
n_seeds = len(sizes)
# The same in the end, trained at half the rate.
slow = learning()
slow = slow[(slow["rate"] == rate / 2) & (slow["setting"] == "plain")]
at_half = {
    divisor: exponent(
        dims, pivot(slow, "d", "moved", divisor=divisor, step=steps[-1])[1]
    )
    for divisor in divisors
}
begins = np.sort([fit[key][0] for key in fit if key[2] == 1])[[0, -1]]
ends = np.sort(logits["√d", "random", 500])[[0, -1]]
first = [fit[key][0] for key in fit if key[2] <= 10]
early = min(first), max(first)
# The power between 16 and 64, and between 64 and 256, at step 10.
at_10 = [np.diff(np.log(moved[key])) for key in moved if key[2] == 10]
local = np.mean(at_10, axis=0) / np.log(4)

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 4.4))
for divisor, colour in {"√d": "C0", "d": "C2"}.items():
    for start, line in {"random": "-", "0": "--"}.items():
        value, error = np.transpose([fit[divisor, start, t] for t in steps])
        name = f"÷ {divisor}" + (", $W_Q = 0$" if start == "0" else "")
        look = {"color": colour, "linestyle": line, "label": name}
        left.errorbar(steps, value, yerr=2 * error, **look)
    for step, marker in {0: "o", 10: "s", 500: "^"}.items():
        look = {"color": colour, "marker": marker}
        right.loglog(dims, logits[divisor, "random", step], **look)
for y, text in {4.4: "step 500", 1.3: "steps 0, 10"}.items():
    right.text(16, y, text, color="C0")
for y, text in {1.36: "step 500", 0.2: "steps 0, 10"}.items():
    right.text(256, y, text, color="C2", ha="right")
left.axhline(1, color="C4", linestyle=":")
left.axhline(0.5, color="C4", linestyle=":")
left.set(xscale="log", xlabel="step", ylabel="exponent of q·k in d")
left.set(xticks=[1, 10, 100], xticklabels=[1, 10, 100], ylim=(0.4, 1.2))
right.set(xlabel="head dimension d", ylabel="logits (rms)")
right.set(xticks=dims, xticklabels=dims, ylim=(0.04, 7))
right.set(yticks=[0.1, 1], yticklabels=[0.1, 1])
right.minorticks_off()
handles, labels = left.get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=2)
plt.show()

# %% says
assert 0.75 < early[0] < early[1] < 1, (
    "In the first steps it is nearly like $d$"
)
assert 0.5 < early[0] < early[1] < 1, "more than random ones would … and less"
for start in ("random", "0"):
    assert fit["d", start, 500][0] > fit["√d", start, 500][0] + 0.2, (
        "once the task is learned, the divisor decides"
    )
    assert abs(fit["d", start, 500][0] - 1) < 0.06, "Those of d end near 1"
    assert abs(fit["√d", start, 500][0] - 0.6) < 0.06, "those of √d near"
    for divisor in divisors:
        assert 0.8 < fit[divisor, start, 1][0] < 0.9, (
            "and from W_Q = 0, begin between"
        )
assert n_seeds == 3, "two standard errors, over three seeds"
size = {key[::2]: sizes for key, sizes in logits.items() if key[1] == "random"}
assert np.ptp(size["d", 500]) < 0.4, "In the end those of $1/d$ have one size"
assert abs(level["d", "random", 500][0]) < 0.1, "at steps … flat at"
assert np.ptp(size["√d", 0]) < 0.05, "With √d: flat at"
assert np.all(size["√d", 10] > size["√d", 0]), "a little higher at step"
assert np.all((size["√d", 500] > 3) & (size["√d", 500] < 4)), (
    "a little higher at step … and between"
)
assert np.all((size["√d", 500] > 3) & (size["√d", 500] < 4)), (
    "they lie between … and … in all heads, without a steady rise"
)
assert size["√d", 500][0] > size["√d", 500][1], "without a steady rise"
at_rate, error = fit["√d", "random", 500]
assert abs(at_rate - at_half["√d"][0]) > 5 * error, (
    "the rate changes the second by more than its error"
)
for step in (0, 10):
    first, _, final = size["d", step]
    assert first > 2 * final, "fall at the start, and are flat in the end"
assert max(size["d", 0][-1], size["d", 10][-1]) < 0.1 < size["d", 0][0], (
    "With d: falling from … to below"
)
assert steps[:2] == [1, 10], "In the first ten steps of these runs"
assert local[1] > local[0], "The power rises with $d$: at step"
