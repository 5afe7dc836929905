r"""How far the weight $p$ of each key moves if its score moves a little:
$p(1-p)$ times as far. Undivided, only keys answer that come near the winner, so
in each row others, or hardly any. Divided, most answer a little in every row,
the meant key (purple-red), too. So in the mean of many rows, much less is left
without the divisor.

Four rows of two panels, undivided and divided by √d, with a bar for each of
{= n_keys } keys of {= d } dimensions. The first row is ours: undivided there
are two bars, at keys {= answer[0] } and {= answer[1] }, and hardly anything
elsewhere; divided, there are bars nearly everywhere. The next two have other
queries. Undivided, one shows next to nothing and the other two high bars, at
other keys; divided, both have bars nearly everywhere. The last is the mean over
{= rows } queries and keys drawn anew: both are level, and undivided they are
{= left :.1f } times as high as divided.
"""

# %%
import numpy as np
from our_row import d, draw_weights, keys, meant, n_keys, query
from scipy.special import softmax

rng, rows = np.random.default_rng(0), 4000
queries = [query[:d], *rng.standard_normal((2, d))]
divisors = {"undivided": (1, "C1"), "÷ √d": (np.sqrt(d), "C0")}


def answers(scores, by):
    """Return p(1 − p) for each key: how far p moves, over how far its score."""
    p = softmax(scores / by, axis=-1)
    return p * (1 - p)


shown = {
    name: [answers(keys[:, :d] @ q, by) for q in queries]
    for name, (by, _) in divisors.items()
}
q, k = rng.standard_normal((rows, d)), rng.standard_normal((rows, n_keys, d))
many = np.einsum("rd,rkd->rk", q, k)
for name, (by, _) in divisors.items():
    shown[name].append(answers(many, by).mean(axis=0))
ours = {name: each[0][meant] for name, each in shown.items()}
# The keys of our row, by how far they move.
answer = (np.argsort(-shown["undivided"][0]) + 1).tolist()
# In the mean, and of all keys, undivided over divided.
means = {name: each[-1].mean() for name, each in shown.items()}
left = means["undivided"] / means["÷ √d"]

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(4, 2, figsize=(6.4, 4.8), sharex=True, sharey="row")
for column, (name, (_, colour)) in zip(axes.T, divisors.items(), strict=True):
    column[0].set_title(name, color=colour)
    for axis, bars in zip(column, shown[name], strict=True):
        draw_weights(axis, bars, colour, meant)
        axis.set(ylim=(0, 0.25), yticks=[0, 0.2])
    column[-1].set(ylim=(0, 0.05), yticks=[0, 0.04], xlabel="key")
names = ["our row", "another", "another", "mean of\nmany"]
for axis, name in zip(axes[:, 0], names, strict=True):
    axis.set_ylabel(name, rotation=0, ha="right", va="center")
plt.show()

# %% says
first, *others = shown["undivided"]
assert np.sort(first)[-3] < first.max() / 6 < np.sort(first)[-2], (
    "Undivided, two keys of our row answer, … and …, which share nearly all"
)
assert ours["undivided"] < 1e-6 < 0.01 < ours["÷ √d"], (
    "Undivided, the weight of the twelfth does not stir"
)
assert others[0].max() < 0.01, "one shows next to nothing"
movers = set(np.flatnonzero(others[1] > 0.1) + 1)
assert len(movers) == 2, "and the other two high bars"
assert not movers & set(answer[:2]), "In another row other keys do, or none"
for row in shown["÷ √d"][:-1]:
    assert np.mean(row > 0.005) > 0.6, "Divided, most answer a little in every"
assert np.ptp(shown["÷ √d"][-1]) < 0.004, "both are level"
assert np.ptp(shown["undivided"][-1]) < 0.004, "both are level"
more = np.sqrt(2) * many  # heads of 128
wider = answers(more, 1).mean() / answers(more, np.sqrt(2 * d)).mean()
assert wider < left < 1 / 2, "much less is left"
assert wider < left, "of what it is divided, and with less in larger heads"
assert 1 / 4 < left < 1 / 3, (
    "a little more than a quarter of what it is divided"
)
