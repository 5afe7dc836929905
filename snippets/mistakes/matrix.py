r"""Read it by rows: the same weights in each code, by how much more they lose
than right weights in right code. Trained with a scale that is too small,
weights lose nothing where they run as they were trained (framed), and something
in right code, unless $W_Q$ is mended with it (last column).

A table of {= n } rows, the code that trained the weights, and as many columns,
the code that runs them, both from the smallest scale to the largest: scaled
twice, the root of the width, right, the root of the number of heads, no scale.
A last column is right code after $W_Q$ has been multiplied by old over new.
Each cell has the loss, less that of right weights in right code, and is the
darker the more that is. From the upper left to the lower right there are
{= cost[0, 0] :.2f }, {= cost[1, 1] :.2f }, {= cost[2, 2] :.2f },
{= cost[3, 3] :.2f } and {= cost[4, 4] :.2f }, and the last column has the same.
Right weights lose {= cost[2, 0] :.2f } in code that scales twice, and
{= cost[2, 4] :.2f } in code without a scale.
"""

# %%
import numpy as np
from stored import by_seed, read

table, runs = read("matrix.csv"), read("runs.csv")
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
# By how much logits are off if a root is missing, or there twice.
times = float(d**0.5)


def loss(trained, run, step):
    """Return the loss by seed."""
    rows = table[(table["trained"] == trained) & (table["run"] == run)]
    rows = rows[rows["step"] == step]
    return dict(zip(rows["seed"].tolist(), rows["loss"].tolist(), strict=True))


def more(trained, run, step, than=("right", "right")):
    """Return how much more is lost, seed by seed, for seeds that have both."""
    found, other = loss(trained, run, step), loss(*than, step)
    return np.array([found[s] - other[s] for s in found if s in other])


def mean(by):
    """Return the mean over seeds."""
    return float(by.mean())


right = {
    s: mean(np.array([*loss("right", "right", s).values()])) for s in steps
}
columns = [*codes, "mended"]
cost = np.array([[mean(more(t, r, 1600)) for r in columns] for t in codes])
n = len(codes)
# By step and kind: what training with it costs, what loading right weights into
# it does, what mending the line without the weights does; and for the first and
# the last, of how many seeds.
rows = {step: {} for step in steps}
for step in steps:
    for code, name in names.items():
        if own := loss(code, code, step):
            rows[step][name] = {
                "trained": mean(more(code, code, step)),
                "loaded": mean(more("right", code, step)),
                "unmended": mean(more(code, "right", step)),
                "seeds": len(own),
            }
after_400, after_1600 = ([*rows[step].items()] for step in steps)
# How much mending the line alone costs.
alone = {
    names[code]: mean(more(code, "right", 1600, than=(code, code)))
    for code in codes
}
# The largest standard error of a cell of the picture, over its seeds.
seeds = len(loss("missing", "right", 1600))
by = [
    more(t, r, 1600) for t in codes for r in columns if (t, r) != ("right",) * 2
]
error = max(float(each.std(ddof=1) / len(each) ** 0.5) for each in by)
# By how much the loss differs, at most, once W_Q is mended as well.
rounding = max(
    float(abs(more(code, "mended", step, than=(code, code))).max())
    for step in steps
    for code in names
    if loss(code, "mended", step)
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

fig, axes = plt.subplots(figsize=(7.2, 4.2))
axes.grid(visible=False)
for row in range(n):
    for column in range(n + 1):
        value, at = cost[row, column], column + 0.3 * (column == n)
        share = np.clip(value / cost.max(), 0, 1) ** 0.5
        edge = {"edgecolor": "0.5", "linewidth": 1.5 * (row == column)}
        box = plt.Rectangle((at, row), 0.96, 0.96, **edge)
        box.set(facecolor=("C1", 0.05 + 0.75 * share))
        axes.add_patch(box)
        text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
        axes.text(at + 0.48, row + 0.48, text, ha="center", va="center")
axes.set(xlim=(0, n + 1.3), ylim=(n, 0))
axes.set(
    yticks=np.arange(n) + 0.48, yticklabels=[names[code] for code in codes]
)
places = [*np.arange(n) + 0.48, n + 0.78]
labels = ["twice", "√width", "right", "√heads", "none", "mended"]
axes.set(xticks=places, xticklabels=labels, ylabel="trained with …")
axes.xaxis.tick_top()
axes.set_xlabel("run in …", labelpad=8)
axes.xaxis.set_label_position("top")
axes.spines[:].set_visible(False)
axes.tick_params(length=0)
plt.show()

# %% says
small = [rows[1600][names[code]] for code in ("twice", "width")]
assert all(each["trained"] < 0.05 for each in small), (
    "Trained with a scale that is too small, weights lose nothing"
)
assert all(alone[names[code]] > 0.01 for code in ("twice", "width")), (
    "and something in right code"
)
last, large = rows[1600]["no scale"], rows[1600]["1/√heads"]
for how in ("trained", "unmended"):
    assert min(last[how], large[how]) > 0.1, (
        "ends far behind, in right code and in its own"
    )
flat, early = (rows[step]["scaled twice"]["loaded"] for step in (1600, 400))
assert flat > 3 * last["loaded"], "Far out, it is the flat side that hurts"
assert flat > 2 * early, "Longer training makes loading dearer"
assert rounding < 5e-5, "is the same to four decimals"
