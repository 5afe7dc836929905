r"""Read it by rows: the same weights in each code, by how much more they lose
than right weights in right code. Above, at the first learning rate, a scale
that is too small costs nothing where weights run as they were trained (framed);
below, at a quarter of that rate, it costs some. One that is too large costs
more than right code at both. $W_Q$ mended with the line (last column) loses
what the weights lost as they were trained.

Two tables, one below the other, of {= n } rows each, the code that trained the
weights, and as many columns, the code that runs them, both from the smallest
scale to the largest: scaled twice, the root of the width, right, the root of
the number of heads, no scale. A last column is right code after $W_Q$ has been
multiplied by old over new. Each cell has the loss, less that of right weights
in right code at that rate, and is the darker the more that is. From the upper
left to the lower right the upper table has {= cost[0, 0] :.2f },
{= cost[1, 1] :.2f }, {= cost[2, 2] :.2f }, {= cost[3, 3] :.2f } and
{= cost[4, 4] :.2f }, and its last column the same; the lower one
{= slow_cost[0, 0] :.2f }, {= slow_cost[1, 1] :.2f }, {= slow_cost[2, 2] :.2f },
{= slow_cost[3, 3] :.2f } and {= slow_cost[4, 4] :.2f }.
"""

# %%
from itertools import product

import numpy as np
from stored import by_seed, read

table, runs = read("mistakes/matrix.csv"), read("mistakes/runs.csv")
codes = ["twice", "width", "right", "heads", "missing"]
names = {
    "right": "1/√d, right",
    "width": "1/√width",
    "heads": "1/√heads",
    "missing": "no scale",
    "twice": "scaled twice",
    "times": "times √d",
    "fourth root": "one fourth root",
    "log2e": "log₂e too much",
    "64": "1/8, typed",
    "after softmax": "scaled after softmax",
    "queries": "softmax over queries",
    "1e−9": "a mask of 1e−9",
}
d, heads, steps = 32, 4, [400, 1600]
rates = ("", " slowly")  # the first, and a quarter of it
# By how much logits are off if a root is missing, or there twice.
times = float(d**0.5)


def loss(trained, run, step):
    """Return the loss by seed."""
    rows = table[(table["trained"] == trained) & (table["run"] == run)]
    rows = rows[rows["step"] == step]
    return dict(zip(rows["seed"].tolist(), rows["loss"].tolist(), strict=True))


def more(trained, run, step, than=("right", "right"), rate=""):
    """Return how much more is lost, seed by seed, for seeds that have both.

    At the first learning rate, or at a quarter of it: " slowly".
    """
    found = loss(trained + rate, run, step)
    other = loss(than[0] + rate, than[1], step)
    return np.array([found[s] - other[s] for s in found if s in other])


def mean(by):
    """Return the mean over seeds."""
    return float(by.mean())


right = {
    s: mean(np.array([*loss("right", "right", s).values()])) for s in steps
}
columns = [*codes, "mended"]
cost, slow_cost = (
    np.array(
        [[mean(more(t, r, 1600, rate=rate)) for r in columns] for t in codes]
    )
    for rate in rates
)
n = len(codes)
# By step and kind: what training with it costs, what loading right weights into
# it does, what mending the line without the weights does; and for the first and
# the last, of how many seeds.
rows, slow_rows = {}, {}
for by_step, rate in zip((rows, slow_rows), rates, strict=True):
    for step in steps:
        by_step[step] = {
            name: {
                "trained": mean(more(code, code, step, rate=rate)),
                "loaded": mean(more("right", code, step, rate=rate)),
                "unmended": mean(more(code, "right", step, rate=rate)),
                "seeds": len(loss(code + rate, code, step)),
            }
            for code, name in names.items()
            if loss(code + rate, code, step)
        }
after_400, after_1600 = ([*rows[step].items()] for step in steps)
slow_400, slow_1600 = ([*slow_rows[step].items()] for step in steps)
slow_right = {
    s: mean(np.array([*loss("right slowly", "right", s).values()]))
    for s in steps
}
# How much mending the line alone costs, by code, rate and step: the mean over
# seeds and its error.
alone = {}
for code, rate, step in product(codes, rates, steps):
    by = more(code, "right", step, than=(code, code), rate=rate)
    alone[code, rate, step] = mean(by), float(by.std(ddof=1) / len(by) ** 0.5)
# The largest standard error of a cell of the picture, over its seeds.
seeds = len(loss("missing", "right", 1600))
by = [
    more(t, r, 1600, rate=rate)
    for t, r, rate in product(codes, columns, rates)
    if (t, r) != ("right",) * 2
]
error = max(float(each.std(ddof=1) / len(each) ** 0.5) for each in by)
# By how much the loss differs, at most, once W_Q is mended as well.
rounding = max(
    float(abs(more(code, "mended", step, (code, code), rate)).max())
    for step, code, rate in product(steps, names, rates)
    if loss(code + rate, "mended", step)
)
spread, keys = (
    {
        (code, step): float(by_seed(runs, what, trained=code, step=step).mean())
        for code in (*codes, "right slowly")
        for step in (0, 400, 1600)
    }
    for what in ("spread", "keys")
)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 1, figsize=(7.2, 7.6))
labels = ["twice", "√width", "right", "√heads", "none", "mended"]
titles = ["run in …, after training at η", "run in …, at a quarter of η"]
for axes, part, title in zip(panels, (cost, slow_cost), titles, strict=True):
    axes.grid(visible=False)
    for row, column in product(range(n), range(n + 1)):
        value, at = part[row, column], column + 0.3 * (column == n)
        share = np.clip(value / cost.max(), 0, 1) ** 0.5
        edge = {"edgecolor": "0.5", "linewidth": 1.5 * (row == column)}
        box = plt.Rectangle((at, row), 0.96, 0.96, **edge)
        box.set(facecolor=("C1", 0.05 + 0.75 * share))
        axes.add_patch(box)
        text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
        axes.text(at + 0.48, row + 0.48, text, ha="center", va="center")
    axes.set(xlim=(0, n + 1.3), ylim=(n, 0), ylabel="trained with …")
    rows_at, columns_at = np.arange(n) + 0.48, [*np.arange(n) + 0.48, n + 0.78]
    axes.set(yticks=rows_at, yticklabels=[names[code] for code in codes])
    axes.set(xticks=columns_at, xticklabels=labels)
    axes.xaxis.tick_top()
    axes.set_xlabel(title, labelpad=8)
    axes.xaxis.set_label_position("top")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
plt.show()

# %% says
assert steps == [400, 1600], "after 400 and after 1600 steps"
small, large = ("twice", "width"), ("heads", "missing")
own = {
    (code, rate): more(code, code, 1600, rate=rate)
    for code, rate in product(codes, rates)
}
for code in small:
    assert mean(own[code, ""]) < 0.01, (
        "a scale that is too small costs nothing where weights run"
    )
    assert 0.01 < mean(own[code, " slowly"]) < 0.1, (
        "at a quarter of that rate, it costs some"
    )
    assert mean(own[code, ""]) < 0.01, "Neither of the two is behind"
    assert 0.01 < mean(own[code, " slowly"]) < 0.1, (
        "at a quarter of the rate both of them are behind"
    )
for code, rate in product(large, rates):
    assert mean(own[code, rate]) > 0.02, "more than right code at both"
    assert mean(own[code, rate]) > 0.02, "Only the last two lose at both rates"
for code, rate, step in product(small, rates, steps):
    mended, error_of_it = alone[code, rate, step]
    assert mended > 2 * error_of_it, "where the old scale was too small"
for code in large:
    assert alone[code, "", 1600][0] < 0, "they gain a little"
    assert alone[code, " slowly", 1600][0] > 0.02, "and lose at a quarter of it"
for code, rate in product((*small, *large), rates):
    early, late = (mean(more("right", code, step, rate=rate)) for step in steps)
    assert late > 1.5 * early, "Longer training makes loading dearer"
flat = rows[1600]["scaled twice"]["loaded"]
assert flat > 3 * rows[1600]["no scale"]["loaded"], (
    "Far out, it is the flat side that hurts"
)
slow = slow_rows[1600]
assert slow["scaled twice"]["loaded"] > 3 * slow["no scale"]["loaded"], (
    "Far out, it is the flat side that hurts"
)
assert rounding < 5e-5, "is the same to four decimals"
