r"""What came early and held the weights or their steps avoided most of the
harm. What came late, or bounded only what softmax sees, avoided little.

A row for each of {= n } measures, Adam and Muon in each: how much of the harm
of four times a good learning rate it left, with bars of two standard errors.
From the top: an eighth of the rate for $W_Q$ and $W_K$ from the start leaves
nothing, QK-norm and a divisor of $64\sqrt d$ between nothing and
{= most_of_best :.0%}, clips between {= least :.0%} and
{= most :.0%}; logits shrunk at step 300 with or without the eighth
from then on, soft caps, the late eighth alone and clipped gradients leave two
thirds and more, up to all.
"""

# %%
import numpy as np
from stored import mean_and_error, read

shown = {
    "eighth 0": "¹⁄₈ for W$_Q$, W$_K$ from the start",
    "QK-norm": "QK-norm",
    "divided 64": "divisor 64√d",
    "clip 9": "clip at 9",
    "clip 20": "clip at 20",
    "shrunk eighth": "logits shrunk, ¹⁄₈ from step 300",
    "shrunk": "logits shrunk at step 300",
    "cap 9": "soft cap at 9",
    "cap 5.7": "soft cap at 5.7",
    "eighth 300": "¹⁄₈ from step 300",
    "gradients 1": "gradients clipped at 1",
}
changed, last, times, seeds = 300, 460, 4, [3, 4, 5, 6]
n = len(shown)
rows = read("growth/path.csv")
rows = rows[(rows["step"] == last) & (rows["rate"] == times)]
rows = np.sort(rows[np.isin(rows["seed"], seeds)], order="seed")


def loss(arm, optimizer):
    """Return the loss in the end, seed by seed."""
    here = (rows["arm"] == arm) & (rows["optimizer"] == optimizer)
    return rows["loss"][here]


part, error = {}, {}
for name in ("Adam", "Muon"):
    best = loss("eighth 0", name)
    above = [mean_and_error(loss(arm, name) - best) for arm in shown]
    whole = (loss("plain", name) - best).mean()
    part[name], error[name] = np.transpose(above) / whole
clips = {
    name: [found[list(shown).index(arm)] for arm in ("clip 9", "clip 20")]
    for name, found in part.items()
}
least, most = min(clips["Muon"]), max(clips["Adam"])
most_of_best = max(found[i] for found in part.values() for i in (1, 2))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
looks = {"Adam": ("C0", "o", -0.14), "Muon": ("C1", "s", 0.14)}
for name, (colour, mark, off) in looks.items():
    at, bars = np.arange(n) + off, 2 * error[name]
    look = {"fmt": mark, "color": colour, "capsize": 2, "label": name}
    axes.errorbar(part[name], at, xerr=bars, **look)
axes.axvline(0, color="0.5", linewidth=0.8)
axes.axvline(1, color="0.5", linewidth=0.8, linestyle="--")
axes.set(ylim=(n - 0.5, -0.5), yticks=range(n), yticklabels=shown.values())
axes.set(xticks=[0, 0.5, 1], xticklabels=["none", "half", "all of it"])
axes.set_xlabel("harm that is left")
axes.legend(loc="lower left")
plt.show()

# %% says
for name in part:
    found = dict(zip(shown, part[name], strict=True))
    assert found["eighth 0"] == 0, "from the start leaves nothing"
    late = [found[arm] for arm in list(shown)[5:]]
    assert min(late) > 0.6, "or bounded only what softmax sees, avoided little"
    assert max(found[arm] for arm in list(shown)[:5]) < 0.5, (
        "What came early and held the weights or their steps avoided most"
    )
assert most_of_best < 0.2, "between nothing and"
