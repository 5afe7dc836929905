r"""Undivided, a small transformer hardly learns to look things up in 500 steps;
divided by $\sqrt d$, $d/8$ or $d$ it does. Each divisor has its best learning
rate of seven. A thin line is one of three seeds.

Three panels, for d = 16, 64 and 256: the loss over 500 steps, from about
{= at_start :.1f }. In each the thick lines of √d, d/8 and d, means of three
seeds, stay above 2 for {= shortest } to {= longest } steps and then drop to
nearly 0; one thin line is above 2 until step {= slowest }. At 64 and 256 the
line without a divisor sinks to about {= undivided[64] :.1f } and stays there,
above a dotted line at {= even :.1f }, for a model that weighs all keys alike;
at 16 it bends down in the end, to {= undivided[16] :.1f }.
"""

# %%
import numpy as np
from learning_table import learning
from stored import pivot

rows, dims, last = learning(), [16, 64, 256], 500
pairs, types, width = 8, 16, 128  # as the model has them
guess, shown = np.log(types), np.log(pairs)
divisors = ["none", "√d", "d/8", "d"]
best, curve, final = {}, {}, {}
for d, divisor in [(d, divisor) for d in dims for divisor in divisors]:
    at = {"setting": "plain", "d": d, "divisor": divisor}
    rates, losses = pivot(rows, "rate", "loss", **at, step=last)
    best[d, divisor] = rates[losses.mean(axis=0).argmin()]
    at["rate"] = best[d, divisor]
    steps, curve[d, divisor] = pivot(rows, "step", "loss", **at)
    final[d, divisor] = curve[d, divisor][:, -1]
n_rates, n_seeds = len(rates), len(losses)

at_start = np.mean([runs[:, 0] for runs in curve.values()])
undivided = {d: final[d, "none"].mean() for d in dims}
# Until which step the loss with a divisor is still high: the mean of the seeds,
# in the panel where it drops first and where it drops last, and any seed.
high = 2
until = {
    at: steps[runs.mean(axis=0) > high].max()
    for at, runs in curve.items()
    if at[1] != "none"
}
shortest, longest = min(until.values()), max(until.values())
slowest = max(steps[np.any(curve[at] > high, axis=0)].max() for at in until)

# A model that weighs all keys alike, at its best rate.
even = pivot(rows, "rate", "loss", divisor="∞", step=last)[1].mean(axis=0).min()
# The lowest loss of any seed at any rate without a divisor in large heads, and
# the highest at the best rate with one.
bare = rows[(rows["setting"] == "plain") & (rows["divisor"] == "none")]
bare = bare["loss"][(bare["step"] == last) & (bare["d"] > 16)].min()
divided = max(loss.max() for at, loss in final.items() if at[1] != "none")
divided_below = np.ceil(100 * divided) / 100

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 3.0), sharey=True)
looks = [("C1", "-", "undivided"), ("C0", "-", "÷ √d")]
looks += [("C3", "--", "÷ d/8"), ("C2", ":", "÷ d")]
for axes, d in zip(panels, dims, strict=True):
    for divisor, (colour, line, name) in zip(divisors, looks, strict=True):
        look = {"color": colour, "linestyle": line}
        axes.plot(steps, curve[d, divisor].T, **look, linewidth=0.7)
        axes.plot(steps, curve[d, divisor].mean(axis=0), **look, label=name)
    axes.axhline(even, color="C4", linestyle=":")
    axes.set(title=f"d = {d}", xlabel="step", xticks=[0, 250, 500])
panels[0].set(ylabel="loss", ylim=(0, None))
look = {"ha": "right", "va": "top", "color": "C4"}
panels[1].text(500, even - 0.1, "all keys alike", **look)
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=4)
plt.show()

# %% says
assert n_rates == 7, "has its best learning rate of seven"
assert n_seeds == 3, "A thin line is one of three seeds"
for (_, divisor), runs in curve.items():
    if divisor == "none":
        assert np.all(runs[:, -1] > 1.7), "hardly learns to look things up in"
    else:
        assert np.all(runs.mean(axis=0)[steps <= shortest] > high), (
            "means of three seeds, stay above"
        )
        assert np.all(runs[:, -1] < 0.02), "and then drop to nearly 0"
thin = np.concatenate([curve[at] for at in until])
assert np.sum(thin[:, steps == slowest] > high) == 1, "one thin line is above"
assert min([*final[64, "none"], *final[256, "none"]]) > even, (
    "and stays there, above a dotted line"
)
assert undivided[16] < even, "at 16 it bends down in the end"

assert divided < divided_below, "With a divisor every run ends below"
for d in (64, 256):
    assert final[d, "none"].min() >= bare, (
        "$d = 64$ and 256 every undivided run"
    )
assert bare > even, "A model that weighs all keys alike gets to"

# Of the questions.
assert divided < divided_below < 1 < bare, (
    "its loss stays above … with a divisor, at the best rate, it ends below"
)
