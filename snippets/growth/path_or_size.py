r"""Long steps before, or large logits after: each alone leaves most of the
harm. All four models have the same learning rates for the last {= in_all }
steps, and they fall to 0 over {= falling } of these. Up to then $W_Q$ and $W_K$
had taken long steps or short ones, and then their logits were large or small,
by their own doing or because the weights were multiplied. Only short steps
*and* small logits leave no harm.

Two panels, Adam and Muon, with two lines each over the size of the logits from
step 300 on, small or large. The lower line, of short steps until then, begins
at 0 and rises to {= cross['Adam', 'short', 'large'][0] :.2f } with Adam and
{= cross['Muon', 'short', 'large'][0] :.2f } with Muon. The upper one, of long
steps, goes from {= cross['Adam', 'long', 'small'][0] :.2f } to
{= cross['Adam', 'long', 'large'][0] :.2f }, and from
{= cross['Muon', 'long', 'small'][0] :.2f } to
{= cross['Muon', 'long', 'large'][0] :.2f }.
"""

# %%
from itertools import product

import numpy as np
from labels import figures
from stored import mean_and_error, read

rows = read("growth/path.csv")
optimizers, seeds = ["Adam", "Muon"], [3, 4, 5, 6]
n_seeds, changed, last, times = len(seeds), 300, 460, 4
falling, in_all, d = 80, 160, 32  # of the last steps
ceiling = np.sqrt(d)  # of QK-norm, while its gains are 1
arms = {
    "plain": "$1/\\sqrt d$ alone",
    "eighth 300": "an eighth for $W_Q$, $W_K$ from step 300 on",
    "eighth 100": "the same from step 100 on",
    "eighth 0": "the same from the start",
    "grown eighth": "the same, and logits enlarged at step 300",
    "shrunk": "logits shrunk at step 300",
    "shrunk eighth": "logits shrunk, and an eighth from then on",
    "clip 20": "a clip at 20",
    "clip 14": "a clip at 14",
    "clip 9": "a clip at 9",
    "clip 6": "a clip at 6",
    "cap 9": "a soft cap at 9",
    "cap 5.7": "a soft cap at 5.7",
    "gradients 1": "gradients clipped at length 1",
    "divided 64": "divided by $64\\sqrt d$",
    "QK-norm": "QK-norm",
}
crossed = {
    ("long", "large"): "eighth 300",
    ("long", "small"): "shrunk eighth",
    ("short", "large"): "grown eighth",
    ("short", "small"): "eighth 0",
}


def of_seeds(what, arm, optimizer, step=last, rate=times):
    """Return a column at a step, seed by seed."""
    here = rows[(rows["arm"] == arm) & (rows["optimizer"] == optimizer)]
    here = here[(here["step"] == step) & (here["rate"] == rate)]
    here = here[np.isin(here["seed"], seeds)]
    return here[what][np.argsort(here["seed"])]


def over_eighth(arm, optimizer, step=last, rate=times):
    """Return the loss above that of an eighth from the start, seed by seed."""
    mine = of_seeds("loss", arm, optimizer, step, rate)
    return mine - of_seeds("loss", "eighth 0", optimizer, step, rate)


# The loss at the end above that of the eighth from the start, seed by seed; and
# what an arm leaves of the harm that 1/√d alone has.
harm, above, before, left, path, spread = ({} for _ in range(6))
for at in product(optimizers, arms):
    name, arm = at
    harm[at] = over_eighth(arm, name, last)
    above[at] = mean_and_error(harm[at])
    before[at] = mean_and_error(over_eighth(arm, name, changed))
    left[at] = above[at][0] / above[name, "plain"][0]
    path[at] = of_seeds("path", arm, name).mean()
    spread[at] = of_seeds("spread", arm, name).mean()
cross = {
    (name, *at): above[name, arm]
    for name in optimizers
    for at, arm in crossed.items()
}
way, size = {}, {}
for name in optimizers:
    by = {at: harm[name, arm] for at, arm in crossed.items()}
    way[name] = mean_and_error(
        (by["long", "large"] - by["short", "large"]) / 2
        + (by["long", "small"] - by["short", "small"]) / 2
    )
    size[name] = mean_and_error(
        (by["long", "large"] - by["long", "small"]) / 2
        + (by["short", "large"] - by["short", "small"]) / 2
    )
of_both = {
    (name, way_alone): cross[name, *at][0] / cross[name, "long", "large"][0]
    for name in optimizers
    for way_alone, at in {
        "way": ("long", "small"),
        "size": ("short", "large"),
    }.items()
}
# At half that rate: what the size alone, the way alone and a late eighth do.
at_two = {
    (name, part): over_eighth(arm, name, rate=2).mean()
    / over_eighth(whole, name, rate=2).mean()
    for name in optimizers
    for part, arm, whole in (
        ("size", "grown eighth", "eighth 300"),
        ("way", "shrunk eighth", "eighth 300"),
        ("late", "eighth 300", "plain"),
    )
}
tightest, widest = 6, 20
clips = ["clip 20", "clip 14", "clip 9", "clip 6"]
left_by_clips = {
    name: (
        min(left[name, clip] for clip in clips),
        max(left[name, clip] for clip in clips),
    )
    for name in optimizers
}
table = [
    [label]
    + [
        text
        for name in optimizers
        for text in (
            figures(*before[name, arm]),
            figures(*above[name, arm]),
            f"{path[name, arm]:.0f}",
            f"{spread[name, arm]:.1f}",
        )
    ]
    for arm, label in arms.items()
]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.6), sharey=True)
for axes, name in zip(panels, optimizers, strict=True):
    for past, colour in (("short", "C0"), ("long", "C1")):
        ends = [cross[name, past, x] for x in ("small", "large")]
        y, error = np.transpose(ends)
        axes.errorbar([0, 1], y, 2 * error, fmt="o-", capsize=3, color=colour)
    axes.text(-0.1, y[1] + 0.06, "long steps before", color="C1")
    axes.text(1.1, -0.01, "short steps before", color="C0", ha="right")
    axes.set(xticks=[0, 1], xticklabels=["small", "large"], xlim=(-0.2, 1.2))
    axes.set(xlabel="logits from step 300 on")
    axes.set_title(name)
panels[0].set(ylabel="loss above the eighth’s", ylim=(-0.06, 0.66))
plt.show()

# %% says
for name in optimizers:
    small, large = (cross[name, "short", x] for x in ("small", "large"))
    far, both = (cross[name, "long", x] for x in ("small", "large"))
    assert min(large[0], far[0]) > both[0] / 2, "each alone leaves most of the"
    assert min(large[0], far[0], both[0]) > 0.05 > abs(small[0]), (
        "Only short steps … leave no harm"
    )
    assert of_both[name, "size"] > 1 / 2, (
        "nothing but short steps, and most of the harm is there"
    )
    assert of_both[name, "way"] > 1 / 2, "and most of the harm stays"
    assert of_both[name, "size"] > max(0.8, of_both[name, "way"] + 0.05), (
        "and large logits do more of it than long steps"
    )
    assert left[name, "eighth 300"] > 0.8, (
        "A lower rate is no cure for a run whose logits have grown"
    )
    assert left[name, "eighth 300"] > 0.8, (
        "A lower rate that came after logits had grown avoided next to nothing"
    )
    assert large[0] > small[0], "of short steps until then … and rises to"
    assert both[0] > far[0], "The upper one, of long … goes from"
    assert min(at_two[name, "size"], at_two[name, "way"]) > 1 / 2, (
        "So each by itself does more than half of the harm"
    )
    assert (
        over_eighth("plain", name, rate=2).mean() < above[name, "plain"][0]
    ), "there is less harm"
    assert above[name, "plain"][0] > before[name, "plain"][0], (
        "the full rate and an eighth did not shrink"
    )
    assert left_by_clips[name][1] < 0.6 < left[name, "cap 5.7"], (
        "A bound helped if it held the *weights*"
    )
    assert left[name, "gradients 1"] > 0.9, (
        "Clipping the gradients changed nothing"
    )
    assert abs(left[name, "shrunk eighth"] - 2 / 3) < 0.05, (
        "and both together won back a third"
    )
    assert left[name, "gradients 1"] > 0.9, "the gradients did nothing either"
    assert left[name, "divided 64"] < 0.25, "So a larger divisor does, too"
    assert min(left[name, cap] for cap in ("cap 9", "cap 5.7")) > 0.7, (
        "more than half of the harm, a soft cap little"
    )
for clips in left_by_clips.values():
    assert clips[1] < 1 / 2, "a clip on them avoided more than half"
assert above["Muon", "QK-norm"][0] < 0.02, "with Adam and nothing with Muon"
assert above["Adam", "QK-norm"][0] > 0, (
    "A norm, which bounds … left … with Adam"
)
