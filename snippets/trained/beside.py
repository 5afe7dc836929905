r"""Our row, which is noise, beside “{= query }” in three trained heads, all
divided by $\sqrt d$. Above: the weights of one query. Below: a dot for each
query that asks, at the key that wins. In noise the winners lie anywhere, in
trained heads they line up.

Two rows of four plots, for our row and heads {= heads[0] }, {= heads[1] } and
{= heads[2] }. Above, bars for {= keys } keys. In our row and in head
{= heads[0] } none reaches a fifth; in head {= heads[1] } the first key,
[CLS], has {= most['1.10'] :.0%}; in head {= heads[2] } “{= favourite['0.2'] }”,
the token before, has all. Below, {= asking } queries from top to bottom. In our
row the dots lie anywhere; in head {= heads[0] } most stand below each other at
a few keys; in head {= heads[1] } all stand at [CLS]; in head {= heads[2] }
they make a diagonal.
"""

# %%
import numpy as np
from our_row import d as our_d
from our_row import draw_weights, scores
from our_row import keys as our_keys
from scipy.special import softmax
from stored import read

table = read("trained/beside.csv")
every = np.array([row.split() for row in table["scores"]], float)
keys, d = every.shape[1], 32
asking = keys - 2  # all but [CLS] and [SEP]
every = every.reshape(-1, asking, keys)
words = ["[CLS]", *map(str, table["query"][:asking]), "[SEP]"]
query, heads = words[2], ["5.9", "1.10", "0.2"]
# Others ask our keys: as many queries, drawn anew.
others = np.random.default_rng(0).standard_normal((asking, our_d))
rows = {"our row": scores() / np.sqrt(our_d)}
won = {"our row": np.argmax(others @ our_keys[:, :our_d].T, axis=1)}
for head, S in zip(heads, every, strict=True):
    rows[head] = S[1] / np.sqrt(d)
    won[head] = S.argmax(axis=1)
spread = {name: z.std() for name, z in rows.items()}
weights = {name: softmax(z) for name, z in rows.items()}
most = {name: p.max() for name, p in weights.items()}
favourite = {head: words[np.argmax(rows[head])] for head in heads}
our_winner = int(np.argmax(rows["our row"])) + 1
# For how many queries the key that wins oftenest wins, of a row.
oftenest = {name: int(np.bincount(at).max()) for name, at in won.items()}
# And in the median head of all, as trained and at a random start.
winners = read("trained/winners.csv")
as_trained = np.median(winners["trained"])
at_start = np.median(winners["start"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(2, 4, figsize=(6.4, 4.2), sharex=True, sharey="row")
names = [f"key {our_winner}", "straightened", "[CLS]", favourite["0.2"]]
for (above, below), (name, p), label in zip(
    axes.T, weights.items(), names, strict=True
):
    draw_weights(above, p, "C0")
    at = {"our row": 10, "5.9": 4}.get(name, p.argmax() + 3)
    above.text(at, min(p.max() + 0.03, 0.85), label)
    title = name if name == "our row" else f"head {name}"
    above.set_title(f"{title}\nspread {spread[name]:.1f}")
    below.plot(won[name] + 1, np.arange(asking) + 1, "C0o", markersize=3)
    below.set(yticks=[1, asking])
axes[1, 0].invert_yaxis()
axes[0, 0].set_ylabel("attention weight")
axes[1, 0].set_ylabel("which query asks")
fig.supxlabel("key", fontsize="medium")
plt.show()

# %% says
assert abs(spread["5.9"] - spread["our row"]) < 0.1, (
    "By their bars, the first two rows look alike"
)
assert max(most["our row"], most["5.9"]) < 1 / 5, "none reaches a fifth"
assert favourite["1.10"] == "[CLS]", "the first key, [CLS], has"
assert most["0.2"] > 0.99, "the token before, has all"
assert favourite["0.2"] == words[words.index(query) - 1], (
    "the token before, has all"
)
wins = {name: np.bincount(at, minlength=keys) for name, at in won.items()}
assert oftenest["our row"] <= 3, "In our row the dots lie anywhere"
assert np.sum(wins["our row"] > 0) > keys / 2, (
    "In our row the dots lie anywhere"
)
assert np.sort(wins["5.9"])[-3:].sum() > 2 / 3 * asking, (
    "most stand below each other at a few keys"
)
assert oftenest["1.10"] == asking, "all stand at [CLS]"
assert np.array_equal(won["0.2"], np.arange(asking)), "they make a diagonal"
assert min(oftenest["5.9"], oftenest["1.10"]) > 3 * oftenest["our row"], (
    "In noise the winners lie anywhere, in trained heads they line up"
)

# Of the page.
assert words[np.argmax(wins["5.9"])] == "straightened", (
    "“straightened” wins for"
)
assert as_trained > 2 * at_start > 2 * oftenest["our row"], (
    "one key wins for … of them, and as trained for"
)
