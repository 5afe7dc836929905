r"""How far each key's weight moves per unit of its logit, $p(1-p)$, in our
row. Undivided, {= movers } keys of {= n_keys } can move, the winner and its
rival. Divided by √d, all can.

Two bar charts with one vertical axis, over the {= n_keys } keys of our row in
their order. Above, undivided: the bars of keys {= best[0] } and {= best[1] }
are about a tenth high, that of key {= best[2] } just visible, and next to
nothing is seen of the others. Below, divided by √d: every key has a bar, the
highest again at key {= best[0] } and a little higher than above.
"""

# %%
import numpy as np
from our_row import d, long_scores, n_keys, scores
from scipy.special import softmax

names = ("undivided", "÷ √d")
weights = dict(
    zip(names, (softmax(scores() / s) for s in (1, np.sqrt(d))), strict=True)
)
answers = {name: p * (1 - p) for name, p in weights.items()}
movers = int(np.sum(answers["undivided"] > 1 / 20))
best = (np.argsort(-scores())[:3] + 1).tolist()
top = scores()[np.array(best) - 1]
# All answers of a row together: added up, and as the norm of the Jacobian.
added = {name: answer.sum() for name, answer in answers.items()}


def norm(p):
    """Return ‖diag(p) − pp'‖ from its entries."""
    return np.linalg.norm(np.diag(p) - np.outer(p, p))


norms = {
    len(row): [norm(softmax(row / s)) for s in (np.sqrt(d), 1)]
    for row in (scores(), long_scores)
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(2, 1, figsize=(6.4, 3.8), sharex=True, sharey=True)
edges = np.arange(n_keys + 1) + 0.5
for axis, name, colour in zip(axes, names, ("C1", "C0"), strict=True):
    axis.stairs(answers[name], edges, color=colour, fill=True)
    axis.set_title(name, color=colour)
    axis.set_ylabel("p(1 − p)")
axes[0].set(ylim=(0, 0.15), yticks=[0, 0.05, 0.1, 0.15], xticks=[1, 16, 32])
axes[1].set_xlabel("key")
plt.show()

# %% says
undivided, divided = answers.values()
order = np.argsort(-undivided) + 1
assert [*order[:3]] == best, "the winner and its rival"
assert np.all(divided > 1 / 1000), "every key has a bar"
assert divided.argmax() + 1 == best[0], "the highest again at key"
assert divided.max() > undivided.max(), "a little higher than above"
seen = order[:3] - 1
assert np.delete(undivided, seen).max() < 1 / 200, (
    "next to nothing is seen of the others"
)
assert undivided[seen].sum() > 0.9 * undivided.sum(), (
    "a small change of their scores changes nothing"
)
assert added["undivided"] < added["÷ √d"], (
    "In our row that makes … with the divisor and … without"
)
assert norms[32][1] < norms[32][0], "In our row it falls from"
