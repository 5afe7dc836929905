r"""The loss that four times the learning rate adds, over how far one step moves
the logits (left) and over how large they are (right). A dot is a measure.
Losses follow the step, and not the size: with a cap the largest logit is as
small as with a norm, and with a clip about as large as with an eighth of the
rate for $W_Q$ and $W_K$.

Two panels with fifteen dots for Adam and as many for Muon, one for each
measure; 1/√d alone, a cap, a clip, an eighth of the rate and the norm are
named. On the left the dots of each optimizer rise along a line, from the norm
and the eighth over the clip and the cap to 1/√d. On the right the cap stands
straight above the norm, and the clip above the eighth.
"""

# %%
import numpy as np
from scipy import stats
from stored import mean_and_error, read

rows, optimizers = read("own_rate.csv"), ["Adam", "Muon"]
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
    "a rate that falls as a norm's steps": {"remedy": "norm's rate"},
    "a soft cap at 9": {"remedy": "low cap"},
    "a clip at 20": {"remedy": "QK-clip"},
    "an eighth for $W_Q$, $W_K$": {"m": eighth},
    "the eighth and the cap": {"remedy": "low cap", "m": eighth},
    "the eighth and the clip": {"remedy": "QK-clip", "m": eighth},
    "QK-norm": {"remedy": "QK-norm"},
    "QK-norm and the warm-up": {"remedy": "QK-norm", "warmup": 100},
    "QK-norm at its best rate": {"remedy": "QK-norm", "m": best},
}
bare, slow, clipped, capped, both, normed = (
    *["$1/\\sqrt d$ alone", "an eighth for $W_Q$, $W_K$", "a clip at 20"],
    *["a soft cap at 9", "the eighth and the clip", "QK-norm"],
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
by_clip = {name: left[name, clipped] for name in optimizers}
alike = [largest[x, label][0] for x in optimizers for label in (slow, clipped)]
about = np.mean(alike)
further = {
    name: change[name, capped][0] / change[name, normed][0]
    for name in optimizers
}
# What a clip or a cap adds to the eighth.
more = {
    (name, label): mean_and_error(
        of_seeds("loss", name, **arms[slow])
        - of_seeds("loss", name, **arms[label])
    )
    for name in optimizers
    for label in (both, "the eighth and the cap")
}

# At the first rate, for longer: below 1/√d alone, seed by seed.
others, quarter = read("growth.csv"), read("steps.csv")
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


def figures(value, error=None, digits=3):
    """Return a mean, and its error where there is one, in figures."""
    text = f"{value:.{digits}f}"
    if error is not None:
        text += f" ± {error:.{digits}f}"
    return text.replace("-", "−")


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
for axes, sizes in zip(panels, (change, largest), strict=True):
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
panels[1].set(xlabel="largest logit", xlim=(1.8, 1500))
panels[0].legend(loc="upper left")
plt.show()

# %% says
for name in optimizers:
    assert order[name, "change"] > 0.8, "Losses follow the step"
    for what in ("largest", "spread"):
        assert order[name, what] < order[name, "change"], "and not the size"
    size, loss, step = (
        {label: sizes[name, label][0] for label in arms}
        for sizes in (largest, above, change)
    )
    assert abs(size[capped] - size[normed]) < 2, (
        "with a cap the largest logit is as small as with a norm"
    )
    assert abs(size[capped] - size[normed]) < 2, (
        "A cap at 9 holds the logits where QK-norm has them"
    )
    assert loss[capped] > 0.1 + loss[normed], "and the loss is much higher"
    assert 0.7 < size[slow] / size[clipped] < 1, (
        "and with a clip about as large as with an eighth"
    )
    assert 0.7 < size[slow] / size[clipped] < 1, (
        "with a clip that holds them at about the same size"
    )
    assert step[normed] < step[slow], "are as short as those of the eighth"
    assert loss[slow] < 0, "The eighth leaves none"
    assert max(loss[slow], loss[normed]) < 0.02, "undid all of the harm; so did"
    assert min(left[name, clipped], left[name, capped]) > 0.15, (
        "which shortens their steps; a bound alone did not"
    )
    assert more[name, both][0] < 0.002, "on top of the eighth, you gain nothing"
    assert left[name, "a quarter for $W_V$, $W_O$"] > 0.85, (
        "leaves nearly all of the harm"
    )
    rest = left[name, "a quarter for all but $W_Q$, $W_K$"]
    assert 0.8 < rest < 0.9, "more than four fifths of it"
    assert abs(left[name, "a warm-up of 100 steps"] - 1) < 0.15, (
        "One of a hundred steps changes hardly anything"
    )
    assert abs(left[name, "a warm-up of 100 steps"] - 1) < 0.15, (
        "A longer warm-up did nothing"
    )
    for label in (own, "QK-norm"):
        assert abs(below["Adam", label][0]) < 0.03, (
            "and with Adam hardly anything is to be had"
        )
falling = "a rate that falls as a norm's steps"
assert abs(left["Muon", falling] - 1 / 3) < 0.05, (
    "about two thirds of the harm with Muon"
)
assert abs(left["Adam", falling] - 3 / 4) < 0.05, "about a quarter with Adam"
assert 0.6 < share[own] < 0.9, (
    "with Muon a lower rate for the two matrices brings most of"
)
