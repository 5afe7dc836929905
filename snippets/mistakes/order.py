r"""With another sequence's padding our row loses its best key; with another
head's keys it is another row. Merged without the transpose, it is the row of a
later token, {= from_token } in place of {= seen }.

Three lines of code, and below each our row, which may see the first {= seen }
keys, in blue as it should be, and in orange as the line has it. Above, the
other sequence has only {= other } tokens: orange has nothing between key
{= other } and key {= seen }, where the highest blue bar stands, with
{= most :.0%}, and its other bars are higher for it. In the middle the high
orange bars stand elsewhere. Below, they stand elsewhere as well, and some of
them beyond key {= seen }.
"""

# %%
import numpy as np
from our_row import d, keys, n_keys, query
from scipy.special import softmax

heads, group, head = 4, 2, 2  # ours is the third head, of the second sequence
seen, other = 24, 16
lines = {
    "padding": "pad.repeat(heads, 1)",
    "key heads": "k.repeat(1, group, 1, 1)",
    "merge": "out.reshape(b, n, -1)",
}
rng = np.random.default_rng(2)
k = np.stack([rng.standard_normal((n_keys, d)), keys[:, :d]])  # two key heads
key_head = {
    "right": int(np.repeat([0, 1], group)[head]),
    "wrong": int(np.tile([0, 1], group)[head]),
}
# What stands where the output of our head and token should.
made = np.arange(heads * n_keys).reshape(heads, n_keys)
from_head, token = divmod(int(made.reshape(n_keys, -1)[seen - 1, head]), n_keys)
from_token = token + 1
its_query = rng.standard_normal(d)


def attend(q, k, seen):
    """Return the weights of a query that sees so many keys."""
    scores = k @ q / d**0.5
    return softmax(np.where(np.arange(n_keys) < seen, scores, -np.inf))


right = attend(query[:d], k[key_head["right"]], seen)
wrong = {
    "padding": attend(query[:d], k[key_head["right"]], other),
    "key heads": attend(query[:d], k[key_head["wrong"]], seen),
    "merge": attend(its_query, k[from_head // group], from_token),
}
most = float(right.max())

# %%
import matplotlib.pyplot as plt
from beside import draw_beside

draw_beside({lines[name]: (right, row) for name, row in wrong.items()})
plt.show()

# %% says
assert other <= right.argmax() < seen, "our row loses its best key"
assert np.all(wrong["padding"][:other] > right[:other]), "are higher for it"
assert key_head["right"] != key_head["wrong"], "with another head's keys"
for name in ("key heads", "merge"):
    top = np.argsort(wrong[name])[-3:]
    assert right.argmax() not in top, "the high orange bars stand elsewhere"
assert from_token > seen, "it is the row of a later token"
assert wrong["merge"][seen:].max() > 1 / n_keys, "some of them beyond key"
