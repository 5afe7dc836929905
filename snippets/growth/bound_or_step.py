r"""The loss that four times the learning rate adds, over how far the last step
moves the logits (left) and over their spread (right). A dot is a measure.
Losses follow the step more closely than the spread, and both closely: the two
grow together.

Two panels with fifteen dots for Adam and as many for Muon, one for each
measure; 1/√d alone, a cap, a clip, an eighth of the rate and the norm are
named. In both the dots of each optimizer rise from the norm and the eighth over
the clip and the cap to 1/√d, on the left closer to a line. On the right the
clip stands near the eighth, and above it.
"""

# %%
import numpy as np
from labels import figures
from scipy import stats
from stored import mean_and_error, read

rows, optimizers = read("growth/own_rate.csv"), ["Adam", "Muon"]
few, last = 300, 1000
rows = rows[(rows["d"] == 32) & (rows["last"] == few) & (rows["step"] == few)]
seeds, eighth, cap, clip, times = [3, 4, 5, 6], 1 / 8, 9, 20, 4
n_seeds = len(seeds)
usual = {"remedy": "none", "rate": times, "slowed": "QK", "m": 1, "warmup": 0}
best = {"Adam": 1 / 4, "Muon": 1 / 2}  # of QK-norm, by the seeds that choose
arms = {
    "$1/\\sqrt d$ alone": {},
    "a warm-up of 100 steps": {"warmup": 100},
    "a quarter for $W_V$, $W_O$": {"slowed": "VO", "m": 1 / 4},
    "a quarter for the ReLU layers": {"slowed": "ReLU", "m": 1 / 4},
    "a quarter for all but $W_Q$, $W_K$": {"rate": 1, "m": 4},
    "a rate that falls, and a warm-up": {
        "remedy": "shared rate",
        "warmup": 100,
    },
    "a rate that falls as a norm’s steps": {"remedy": "norm's rate"},
    "a soft cap at 9": {"remedy": "low cap"},
    "a clip at 20": {"remedy": "QK-clip"},
    "an eighth for $W_Q$, $W_K$": {"m": eighth},
    "the eighth and the cap": {"remedy": "low cap", "m": eighth},
    "the eighth and the clip": {"remedy": "QK-clip", "m": eighth},
    "QK-norm": {"remedy": "QK-norm"},
    "QK-norm and the warm-up": {"remedy": "QK-norm", "warmup": 100},
    "QK-norm at its best rate": {"remedy": "QK-norm", "m": best},
}
bare, slow, clipped, capped, normed = (
    *["$1/\\sqrt d$ alone", "an eighth for $W_Q$, $W_K$", "a clip at 20"],
    *["a soft cap at 9", "QK-norm"],
)


def of_seeds(what, optimizer, **run):
    """Return `what` for each seed, at the end of a run."""
    run = usual | run | {"optimizer": optimizer}
    if run["m"] is best:
        run["m"] = best[optimizer]
    same = np.all([rows[name] == value for name, value in run.items()], axis=0)
    return np.array(
        [rows[same & (rows["seed"] == seed)][what].item() for seed in seeds]
    )


# At four times the rate: above 1/√d at the first rate, seed by seed.
above, largest, spread, change = {}, {}, {}, {}
found = {"largest": largest, "spread": spread, "change": change}
for name in optimizers:
    first = of_seeds("loss", name, rate=1)
    for label, arm in arms.items():
        lost = of_seeds("loss", name, **arm)
        above[name, label] = mean_and_error(lost - first)
        for what, sizes in found.items():
            each = of_seeds(what, name, **arm)
            sizes[name, label] = mean_and_error(each)

# How well the order of the measures by a quantity is that of their losses.
order = {}
for name in optimizers:
    lost = [above[name, label][0] for label in arms]
    for what, sizes in found.items():
        at = [sizes[name, label][0] for label in arms]
        order[name, what] = stats.spearmanr(at, lost).statistic
left = {at: above[at][0] / above[at[0], bare][0] for at in above}
# At the first rate, for longer: below 1/√d alone, seed by seed.
others, quarter = read("growth/growth.csv"), read("growth/steps.csv")
others = others[(others["d"] == 32) & (others["step"] == last)]
quarter = quarter[(quarter["rate"] == 1) & (quarter["step"] == last)]


def lasting(what, rows, optimizer, remedy, rate):
    """Return `what` after 1000 steps, for each seed in order."""
    run = {"optimizer": optimizer, "remedy": remedy, "rate": rate}
    same = np.all([rows[name] == value for name, value in run.items()], axis=0)
    return rows[same][np.argsort(rows[same]["seed"])][what]


longer = {
    "a soft cap at 20": (others, "soft cap", 1),
    "a clip at 20": (others, "QK-clip", 1),
    "half the rate for all": (others, "none", 0.5),
    "a quarter for $W_Q$, $W_K$": (quarter, "none", 1),
    "QK-norm": (others, "QK-norm", 1),
}
below, later = {}, {}
for name in optimizers:
    first = lasting("loss", others, name, "none", 1)
    for label, (where, *run) in longer.items():
        lost = lasting("loss", where, name, *run)
        below[name, label] = mean_and_error(first - lost)
        sizes = lasting("largest", where, name, *run)
        later[name, label] = mean_and_error(sizes)
own, all_of_it = "a quarter for $W_Q$, $W_K$", below["Muon", "QK-norm"][0]
share = {label: below["Muon", label][0] / all_of_it for label in longer}
brings = {"quarter": share[own], "clip": share["a clip at 20"]}


table = [
    [label]
    + [
        text
        for name in optimizers
        for text in (
            figures(*above[name, label]),
            figures(largest[name, label][0], digits=0),
            figures(spread[name, label][0], digits=1),
            figures(change[name, label][0], digits=2),
        )
    ]
    for label in arms
]
long = [
    [label]
    + [
        text
        for name in optimizers
        for text in (
            figures(*below[name, label]),
            figures(later[name, label][0], digits=0),
        )
    ]
    for label in longer
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.6), sharey=True)
named = {
    bare: "1/√d",
    clipped: "clip",
    capped: "cap",
    slow: "⅛",
    normed: "norm",
}
for axes, sizes in zip(panels, (change, spread), strict=True):
    for colour, name in zip(("C0", "C3"), optimizers, strict=True):
        x = [sizes[name, label][0] for label in arms]
        y = [above[name, label][0] for label in arms]
        axes.semilogx(x, y, "o", color=colour, label=name, markersize=4)
    for label, text in named.items():
        at = sizes["Muon", label][0], above["Muon", label][0]
        side, shift = ("left", 6) if label == slow else ("right", -6)
        look = {"textcoords": "offset points", "ha": side, "color": "C3"}
        axes.annotate(text, at, (shift, -4), **look)
    axes.axhline(0, color="0.5", linewidth=0.8)
panels[0].set(xlabel="how far a step moves logits", xlim=(0.012, 12))
panels[0].set(ylabel="loss added by 4η", ylim=(-0.12, 0.36))
panels[1].set(xlabel="spread of the logits", xlim=(0.4, 150))
panels[0].legend(loc="upper left")
plt.show()

# %% says
falling = "a rate that falls as a norm’s steps"
for name in optimizers:
    for what in ("largest", "spread"):
        assert order[name, what] < order[name, "change"], (
            "Losses follow the step more closely than the spread"
        )
        assert order[name, what] < order[name, "change"], (
            "because losses follow the step more closely"
        )
    assert order[name, "spread"] > 0.75, "the spread, and both closely"
    size, loss, step = (
        {label: sizes[name, label][0] for label in arms}
        for sizes in (spread, above, change)
    )
    assert step[slow] < min(step[clipped], step[capped]), (
        "on the left closer to a line"
    )
    assert loss[slow] < loss[clipped], "near the eighth, and above it"
    assert loss[slow] < 0, "which bounds nothing, avoided all of it"
    assert left[name, normed] < 0.15, "avoided … a norm on … all or nearly all"
    assert left[name, "a quarter for $W_V$, $W_O$"] > 0.85, (
        "leaves nearly all of the harm"
    )
    rest = left[name, "a quarter for all but $W_Q$, $W_K$"]
    assert 0.8 < rest < 0.9, "more than four fifths of it"
    assert left[name, "a warm-up of 100 steps"] > 0.95, (
        "A warm-up did nothing good"
    )
    for label in (own, "QK-norm"):
        assert abs(below["Adam", label][0]) < 0.03, (
            "and with Adam there is little to be had"
        )
warm = "a warm-up of 100 steps"
assert abs(left["Adam", warm] - 1) < 0.05, "changes hardly anything with Adam"
assert left["Muon", warm] > 1.05, "and costs a little more with Muon"
assert abs(left["Muon", falling] - 1 / 3) < 0.05, (
    "about two thirds of the harm with Muon"
)
assert abs(left["Adam", falling] - 3 / 4) < 0.05, "about a quarter with Adam"
