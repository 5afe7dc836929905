"""Sums of independent products spread like √d, and softmax makes one lucky key
the winner; what a training step adds grows like d.

Our row at the start and after a training step: {= n_keys } keys of {= d }
dimensions. On the left each line is a walk: the products of the query and one
key, added one after another. At the start the {= n_keys } walks fan out, most
of them between two dashed curves, plus and minus the root of the number of
products. After the step one walk climbs straight out of the fan and ends
highest. On the right are the shares of attention, a bar for each key:
undivided, one key has most of it in both rows; divided by √d, it is spread over
many keys at the start, and after the step the key that climbed has the largest
share.
"""

# %%
import numpy as np
from our_row import (
    d,
    draw_fan,
    draw_weights,
    keys,
    meant,
    n_keys,
    other_rows,
    query,
    shares,
    step,
    train,
    walk,
)

explore = {"q": query, "k": keys, "step": step, "meant": meant}
explore["at"] = d  # where the picture opens
start, trained = walk(query, keys), walk(*train(query, keys))
divisors = 1, np.sqrt(d)
best = [shares(start, d, by).max() for by in divisors]
added = trained[meant] - start[meant]
# E|x| = √(2/π): what each dimension adds to the trained key's score.
each = 2 * step * np.sqrt(2 / np.pi)
gain_at_64, gain = 64 * each, added[63]

# Other rows, for what is said of all of them.
queries, many_keys = other_rows(2000)
before, after = walk(queries, many_keys), walk(*train(queries, many_keys))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(
    2, 3, figsize=(6.4, 5.2), sharex="col", width_ratios=[1.7, 1, 1]
)
for row, walks in zip(axes, (start, trained), strict=True):
    climbs = meant if walks is trained else None
    draw_fan(row[0], walks[:, :d], climbs)
    for axis, by, colour in zip(row[1:], divisors, ("C1", "C0"), strict=True):
        draw_weights(axis, shares(walks, d, by), colour, climbs)
    row[0].set(ylim=(-26, 36), yticks=[-20, 0, 20], xticks=[0, 16, 32, 48, 64])
    row[0].set_ylabel(
        "at the start" if climbs is None else "after a training step"
    )
axes[0, 0].set_title("sums of products")
axes[0, 1].set_title("undivided", color="C1")
axes[0, 2].set_title("÷ √d", color="C0")
axes[1, 0].set_xlabel("products added")
axes[1, 1].set_xlabel("key")
plt.show()

# %% says
far = len(query) - 1
near = len(query) // 4 - 1
spread = before.std(axis=(0, 1))
assert 1.9 < spread[far] / spread[near] < 2.1, (
    "Sums of independent products spread like √d"
)
gained = (after - before)[:, meant].mean(axis=0)
assert 3.9 < gained[far] / gained[near] < 4.1, (
    "what a training step adds grows like d"
)
assert np.isclose(gained[d - 1], each * d, rtol=0.02), (
    "which adds … on average to each product"
)
gains = np.diff(after[:, meant] - before[:, meant]) > 0
assert 0.98 < gains.mean() < 1, "nearly every product gains"
assert np.sqrt(64) == 8 < gain_at_64 / 2, (
    "so 64 of them gain … where the noise has a spread of 8"
)
inside = np.abs(start[:, :d]) < np.sqrt(np.arange(1, d + 1))
assert 0.5 < inside.mean() < 0.85, "most of them between two dashed curves"
assert trained[:, d - 1].argmax() == meant, (
    "one walk climbs straight out of the fan and ends highest"
)
winners = before[..., d - 1].argmax(axis=1)
assert np.mean(winners[1:] == winners[:-1]) < 2 / n_keys, (
    "with other numbers another key wins"
)
(bare, divided), (later, leaning) = (
    [shares(walks, d, by) for by in divisors] for walks in (start, trained)
)
assert min(bare.max(), later.max()) > 0.5, "one key has most of it in both rows"
assert 1 / np.sum(divided**2) > 8, "divided by √d, it is spread over many keys"
assert leaning.argmax() == meant, "the key that climbed has the largest share"
