r"""Softmax over the queries one hardly sees in a row: the bars stay about as
high, but the newest keys get more. A mask of nearly 0 leaves the {= hidden }
keys of the future what a score of 0 is worth, {= future :.0%} together.

Two lines of code, and below each our row as that of token {= place } of
{= n_keys }, so that it may see the first {= place } keys. In blue as it should
be: nothing beyond key {= place }, and key {= best } first with {= most :.0%}.
In orange as the line has it: with softmax over the queries the older keys have
less, the newer ones more, and nothing stands beyond key {= place }; with the
mask of nearly 0 eight equal bars stand there, and all others are lower for it.
"""

# %%
import numpy as np
from our_row import d, keys, n_keys, query
from scipy.special import softmax

place = 24
hidden = n_keys - place
# The other tokens' queries, of the same length.
q = np.random.default_rng(1).standard_normal((n_keys, d))
q *= np.linalg.norm(query[:d]) / np.linalg.norm(q, axis=1, keepdims=True)
q[place - 1] = query[:d]
scores = q @ keys[:, :d].T / d**0.5
later = np.triu(np.ones((n_keys, n_keys), bool), 1)
masked = np.where(later, -np.inf, scores)
lines = {
    "queries": "scores.softmax(-2)",
    "1e−9": "scores.masked_fill(later, 1e-9)",
}
right = softmax(masked, axis=-1)[place - 1]
wrong = {
    "queries": softmax(masked, axis=-2)[place - 1],
    "1e−9": softmax(np.where(later, 1e-9, scores), axis=-1)[place - 1],
}
most, best = float(right.max()), int(right.argmax()) + 1
future = float(wrong["1e−9"][place:].sum())
old, new = place // 2, 2 * place // 3

# %%
import matplotlib.pyplot as plt
from beside import draw_beside

draw_beside({lines[name]: (right, row) for name, row in wrong.items()})
plt.show()

# %% says
over = wrong["queries"]
assert 0.7 < over.sum() < 1.4, "the bars stay about as high"
assert over[new:].sum() > 1.3 * right[new:].sum(), "the newest keys get more"
assert over[:old].sum() < right[:old].sum(), "the older keys have less"
assert not over[place:].any(), "nothing stands beyond key"
assert np.ptp(wrong["1e−9"][place:]) < 1e-9, "eight equal bars stand there"
assert np.all(wrong["1e−9"][:place] < right[:place]), "all others are lower"
