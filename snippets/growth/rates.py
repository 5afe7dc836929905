r"""At four times the learning rate QK-norm keeps nearly the same loss, where
that of $1/\sqrt d$ rises much more.

Two panels, Adam and Muon: the loss after 300 steps at the rate of the other
figures and at four times that, with a line for each of six measures.
"""

# %%
import numpy as np
from labels import REMEDIES
from stored import mean_and_error, pivot, read

rows = read("growth/growth.csv")
rows, few, last = rows[rows["d"] == 32], 300, 1000


def of_seeds(step, what, optimizer, remedy, rate):
    """Return `what` for each seed, at a step."""
    where = {"optimizer": optimizer, "remedy": remedy, "rate": rate}
    steps, found = pivot(rows, "step", what, **where)
    return found[:, [*steps].index(step)]


# The loss after 300 steps at two rates, and by how much the higher raises it.
optimizers, early, raised, far = ["Adam", "Muon"], {}, {}, {}
for name in optimizers:
    for remedy in REMEDIES:
        slow, fast = (
            of_seeds(few, "loss", name, remedy, rate) for rate in (1, 4)
        )
        early[name, remedy] = [slow.mean(), fast.mean()]
        raised[name, remedy] = mean_and_error(fast - slow)
        largest = of_seeds(few, "largest", name, remedy, 4)
        far[name, remedy] = mean_and_error(largest)
# The loss after 1000 steps at lower rates and, for QK-norm, at a higher one.
late = {
    ("Adam", "none"): [0.5, 1],
    ("Adam", "QK-norm"): [0.5, 1],
    ("Muon", "none"): [0.25, 0.5, 1],
    ("Muon", "QK-norm"): [0.5, 1, 2],
}
best = {}
for how, tried in late.items():
    losses = {rate: of_seeds(last, "loss", *how, rate) for rate in tried}
    late[how] = {rate: mean_and_error(x) for rate, x in losses.items()}
    best[how] = min(losses.values(), key=np.mean)
# What bounds gain with Muon, over none at the best of its rates.
gain = {
    remedy: mean_and_error(
        best["Muon", "none"] - of_seeds(last, "loss", "Muon", remedy, 1)
    )
    for remedy in ("soft cap", "QK-clip", "QK-norm")
}
# What attention is worth: how much higher the loss is if all keys weigh alike.
worth, without = {}, {}
for name in optimizers:
    even, plain = (
        of_seeds(few, "loss", name, remedy, 1) for remedy in ("even", "none")
    )
    worth[name], without[name] = mean_and_error(even - plain), even.mean()
columns = [
    late[name, remedy]
    for name in ("Muon", "Adam")
    for remedy in ("none", "QK-norm")
]
table = [
    [f"{rate:g}"]
    + [
        "{:.3f} ± {:.3f}".format(*found[rate]) if rate in found else ""
        for found in columns
    ]
    for rate in (0.25, 0.5, 1, 2)
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 4), sharex=True, sharey=True)
for axes, name in zip(panels, optimizers, strict=True):
    for place, (remedy, label) in enumerate(REMEDIES.items()):
        look = {"color": f"C{place}", "label": label}
        axes.plot([0, 1], early[name, remedy], "os^Dvp"[place] + "-", **look)
    axes.set(title=name, xlabel="learning rate", xlim=(-0.2, 1.2))
    axes.set(xticks=[0, 1], xticklabels=["η", "4η"])
panels[0].set_ylabel("loss after 300 steps")
handles, names = panels[0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside upper center", ncols=3)
plt.show()

# %% says
assert few == 300, "Fifteen measures over 300 steps"
assert raised["Adam", "none"][0] > 5 * raised["Adam", "QK-norm"][0], (
    "keeps nearly the same loss"
)
assert raised["Muon", "none"][0] > 0.2 > raised["Muon", "QK-norm"][0], (
    "where that of … rises much more"
)
held_by = ("QK-norm", "QK-clip", "soft cap", "decay")
for name in optimizers:
    held = [raised[name, remedy][0] for remedy in ("soft cap", "QK-clip")]
    assert raised[name, "QK-norm"][0] < min(held), "The cap and the clip lie"
    assert max(held) < raised[name, "none"][0], (
        "The cap and the clip lie between"
    )
    assert early[name, "none"][1] > without[name] - 0.01, (
        "its loss is that of even weights at $\\eta$, or higher"
    )
    of_all = {r: raised[name, r][0] / raised[name, "none"][0] for r in held_by}
    assert raised[name, "QK-norm"][0] < raised[name, "none"][0] / 5, (
        "With QK-norm the loss hardly notices"
    )
    assert of_all["QK-norm"] < 0.2, "yet only QK-norm buys all of the room"
    assert 0.2 < of_all["QK-clip"] < 0.7, "The clip buys a part of the room"
    assert of_all["QK-clip"] < of_all["soft cap"] < 0.9, (
        "buys a part of the room, the cap less"
    )
    assert of_all["decay"] > 0.8, "and weight decay little"
    assert far[name, "none"][0] > 100, "alone has logits in the hundreds"
    sizes = [far[name, r][0] for r in ("QK-clip", "soft cap")]
    assert max(abs(size - 20) for size in sizes) < 5, (
        "keep the logits near … there too"
    )
    assert far[name, "decay"][0] > 200, "only at this rate: at four times it"
low = {
    how: min(found, key=lambda x: found[x][0]) for how, found in late.items()
}
assert low["Muon", "none"] == 0.5, (
    "a lower rate is better for $1/\\sqrt d$ with Muon"
)
half, first = (late["Adam", "none"][rate] for rate in (0.5, 1))
assert abs(half[0] - first[0]) < 2 * np.hypot(half[1], first[1]), (
    "for Adam at this width we see no difference"
)
value, error = gain["QK-norm"]
assert low["Muon", "none"] == 0.5, r"Against $1/\sqrt d$ at half of it"
assert value > 4 * error, "and that of QK-norm by"
value, error = gain["soft cap"]
assert value < error, "no more than its error"
assert min(value for value, _ in worth.values()) > 0.1, "Attention matters here"
