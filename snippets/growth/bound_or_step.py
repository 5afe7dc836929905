r"""With everything else at four times the rate, a quarter of it for $W_Q$ and
$W_K$ nearly does what QK-norm does, with larger logits. A clip and a cap, where
the largest is smaller, do not.

Two panels, Adam and Muon, with a row for each of seven measures: a bar for how
far the loss after 300 steps at four times the rate lies above that of 1/√d at
the first rate, with an error bar, and beside it the largest logit in figures.
From top to bottom 1/√d alone, a cap at 20 and one at 9, a clip, a rate of W_Q
and W_K that falls as they grow, a quarter of the rate for these two, and
QK-norm.
"""

# %%
import numpy as np
from stored import mean_and_error, over_steps, read

own, others = read("steps.csv"), read("growth.csv")
others = others[others["d"] == 32]
seeds, few, last, optimizers = [0, 1, 2], 300, 1000, ["Adam", "Muon"]
quarter, low, cap = 0.25, 9, 20


def of_seeds(what, optimizer, arm, rate, step):
    """Return `what` for each seed; an arm is a remedy and the factor qk."""
    remedy, qk = arm
    rows = own if qk != 1 or remedy in ("low cap", "shared rate") else others
    found = []
    for seed in seeds:
        run = {"remedy": remedy, "optimizer": optimizer, "rate": rate}
        run |= {"seed": seed, "step": step}
        if rows is own:
            run["qk"] = qk
        same = [rows[name] == value for name, value in run.items()]
        found.append(rows[np.all(same, axis=0)][what].item())
    return np.array(found)


arms = {
    "1/√d alone": ("none", 1),
    "soft cap at 20": ("soft cap", 1),
    "soft cap at 9": ("low cap", 1),
    "QK-clip at 20": ("QK-clip", 1),
    "a rate that falls": ("shared rate", 1),
    "a quarter of the rate": ("none", quarter),
    "QK-norm": ("QK-norm", 1),
}
# At four times the rate: above 1/√d at the first rate, seed by seed.
above, largest = {}, {}
for name in optimizers:
    plain = of_seeds("loss", name, ("none", 1), 1, few)
    for label, arm in arms.items():
        lost = of_seeds("loss", name, arm, 4, few)
        above[name, label] = mean_and_error(lost - plain)
        sizes = of_seeds("largest", name, arm, 4, few)
        largest[name, label] = mean_and_error(sizes)
# At the first rate, for longer: below 1/√d alone at the same rate.
below, later = {}, {}
for name in optimizers:
    plain = of_seeds("loss", name, ("none", 1), 1, last)
    for label, arm in arms.items():
        if arm[0] not in ("low cap", "shared rate"):
            lost = of_seeds("loss", name, arm, 1, last)
            below[name, label] = mean_and_error(plain - lost)
            sizes = of_seeds("largest", name, arm, 1, last)
            later[name, label] = mean_and_error(sizes)
    lost = of_seeds("loss", name, ("none", 1), 0.5, last)
    below[name, "half the rate for all"] = mean_and_error(plain - lost)
    sizes = of_seeds("largest", name, ("none", 1), 0.5, last)
    later[name, "half the rate for all"] = mean_and_error(sizes)
share = below["Muon", "a quarter of the rate"][0] / below["Muon", "QK-norm"][0]
rest = mean_and_error(
    of_seeds("loss", "Muon", arms["a quarter of the rate"], 1, last)
    - of_seeds("loss", "Muon", arms["QK-norm"], 1, last)
)
# How far the last of 300 steps moves the logits, at four times the rate.
change = {
    (name, label): of_seeds("change", name, arms[label], 4, few).mean()
    for name in optimizers
    for label in ("soft cap at 9", "a quarter of the rate")
}
faster = {
    name: change[name, "soft cap at 9"] / change[name, "a quarter of the rate"]
    for name in optimizers
}
# What softmax feels, and what |W_Q||W_K| grows by, with 1/√d alone.
spread, norms = {}, {}
for name in optimizers:
    for label, arm in arms.items():
        sizes = of_seeds("spread", name, arm, 4, few)
        spread[name, label] = mean_and_error(sizes)
    where = {"d": 32, "remedy": "none", "optimizer": name, "rate": 4}
    steps, sizes = over_steps(read("factors.csv"), "frobenius", **where)
    norms[name] = (sizes[:, -1] / sizes[:, 0]).mean()
middle = np.mean([largest[x, "a quarter of the rate"][0] for x in optimizers])


def figures(found, name, label):
    """Return a mean and its error in figures, or nothing."""
    if (name, label) not in found:
        return ""
    digits = 3 if found in (above, below) else 0
    value, error = found[name, label]
    if not digits:
        return f"{value:.0f}"
    return f"{value:.{digits}f} ± {error:.{digits}f}".replace("-", "−")


short = [
    [label]
    + [figures(x, name, label) for name in optimizers for x in (above, largest)]
    for label in arms
]
spreads = [
    [label]
    + ["{:.1f} ± {:.1f}".format(*spread[name, label]) for name in optimizers]
    for label in arms
]
long = [
    [label]
    + [figures(x, name, label) for name in optimizers for x in (below, later)]
    for label in [*arms, "half the rate for all"]
    if ("Adam", label) in below and label != "1/√d alone"
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.6), sharex=True, sharey=True)
colours = ["C0", "C4", "C4", "C3", "C2", "C2", "C5"]
for axes, name in zip(panels, optimizers, strict=True):
    for row, label in enumerate(arms):
        value, error = above[name, label]
        look = {"color": colours[row], "ecolor": "0.5"}
        axes.barh(row, value, xerr=2 * error, **look)
        at = max(value + 2 * error, 0) + 0.012
        size = f"{largest[name, label][0]:.0f}"
        axes.text(at, row, size, va="center")
    axes.axvline(0, color="0.5", linewidth=0.8)
    axes.set(xlim=(-0.12, 0.4), xticks=[0, 0.1, 0.2, 0.3])
    axes.set(title=name, yticks=range(len(arms)), yticklabels=arms)
    axes.set(xlabel="loss added by 4η")
panels[0].invert_yaxis()
plt.show()

# %% says
for name in optimizers:
    worst = above[name, "1/√d alone"][0]
    quiet, normed = (
        above[name, label][0] for label in ("a quarter of the rate", "QK-norm")
    )
    assert -worst < quiet < worst / 5, "is back where it was at the first rate"
    assert abs(quiet - normed) < worst / 5, "nearly does what QK-norm does"
    free, normed, bent = (
        largest[name, label][0]
        for label in ("a quarter of the rate", "QK-norm", "soft cap at 9")
    )
    assert free > 2.5 * normed, "with larger logits"
    assert bent <= low, "the largest logit is smaller than at the lower rate"
    assert bent < free, "A clip and a cap, where the largest is smaller"
    clipped = largest[name, "QK-clip at 20"][0]
    assert clipped < 0.8 * free, "The clip holds the largest lower"
    assert clipped < free, "A clip and a cap, where the largest is smaller"
    own = {label: size for (x, label), (size, _) in spread.items() if x == name}
    felt = own["a quarter of the rate"]
    assert own["QK-clip at 20"] < felt, "with a spread that is no larger"
    assert own["soft cap at 9"] > felt, "which softmax feels, is not"
    part = {label: above[name, label][0] / worst for label in arms}
    clipped, *caps = (
        part[x] for x in ("QK-clip at 20", "soft cap at 20", "soft cap at 9")
    )
    assert min(clipped, *caps) > 0.2, "where the largest is smaller, do not"
    assert clipped < min(caps), "The caps leave more"
    assert max(caps) < 1, "holding the logits undoes only a part of it"
    if name == "Muon":
        assert abs(clipped - 1 / 4) < 0.02, "about a quarter of the harm"
    else:
        assert clipped > 0.5, "and over half of it with Adam"
    assert part["a rate that falls"] > 0.95 * min(caps), "it helped no more"
    assert 3 < faster[name] < 5, "About four is what one would expect"
assert abs(middle / free - 1) < 0.2, "logits have come to about"
assert min(norms.values()) > 3, "the product of these norms grows"
assert norms["Muon"] > 20, "not even with Muon, where the product"
assert 0.6 < share < 0.95, "With Muon there is something left"
assert rest[0] > 3 * rest[1], "With Muon QK-norm is ahead of the quarter by"
for label in ("a quarter of the rate", "QK-norm"):
    assert below["Adam", label][0] < 0.03, "With Adam there is little to gain"
clipped, normed = (
    below["Muon", label][0] for label in ("QK-clip at 20", "QK-norm")
)
assert clipped / normed < share - 0.1, "brings, and the clip less"
sizes = [
    later["Muon", label][0]
    for label in ("a quarter of the rate", "QK-clip at 20")
]
assert sizes[0] < sizes[1], "since the quarter's logits stay below the clip's"
half, own = (
    below["Muon", label][0]
    for label in ("half the rate for all", "a quarter of the rate")
)
assert own > half, "brings more than a lower rate for all"
