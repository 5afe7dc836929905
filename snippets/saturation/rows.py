r"""The same scores of 16 keys, undivided and divided by √64 = 8. Undivided, one
key takes most of the weight; which one is chance. Divided, all have a share.

Eight bar charts in two rows and four columns. Each column is a draw of a query
and 16 keys with 64 random coordinates, and stands for a quarter of all draws,
from the mildest quarter to the most extreme. Each chart shows the 16 attention
weights and says how large the largest is. Above, the scores are undivided: from
the second column on one bar has nearly all the weight, at a different key in
each column. Below, the same scores are divided by 8: the same bar is the
largest, but holds less than half, and all others can be seen.
"""

# %%
import numpy as np
from scipy.special import softmax

rng = np.random.default_rng(0)
n, d, draws = 16, 64, 4000
q = rng.standard_normal((draws, d))
scores = np.empty((draws, n))
for row in range(draws):
    k = rng.standard_normal((n, d))
    scores[row] = k @ q[row]

# Of all draws, in the order of the largest weight, the middle of each quarter.
largest = softmax(scores, axis=1).max(axis=1)
middle = np.argsort(largest)[draws // 8 :: draws // 4]
bare = softmax(scores[middle], axis=1)
divided = softmax(scores[middle] / np.sqrt(d), axis=1)
times = {lead: np.exp(lead) for lead in (1, 8)}  # what a lead multiplies by

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(2, 4, figsize=(6.4, 3.3), sharex=True, sharey=True)
rows = [("undivided", bare, "C1"), ("÷ √d", divided, "C0")]
for panels, (name, weights, colour) in zip(axes, rows, strict=True):
    panels[0].set_ylabel(name)
    for panel, p in zip(panels, weights, strict=True):
        panel.stairs(p, np.arange(n + 1) + 0.5, color=colour, fill=True)
        share = f"{p.max():.0%}" if p.max() < 0.995 else "> 99%"
        panel.set_title(f"largest {share}")
panels[0].set(ylim=(0, 1), yticks=[0, 0.5, 1], xticks=[1, 16])
axes[1, 0].set_xlabel("key")
plt.show()

# %% says
most = bare.max(axis=1)
assert np.all(most > 0.5), "one key takes most of the weight"
assert np.all(most[1:] > 0.8), "second column on one bar has nearly all the"
winners = bare.argmax(axis=1)
assert len({*winners[1:]}) == 3, "a different key in each column"
assert np.all(divided.argmax(axis=1) == winners), "same bar is the largest"
assert np.all(divided.max(axis=1) < 1 / 2), "but holds less than half"
assert np.sqrt(d) == 8, "undivided and divided by √64 = 8"
assert np.allclose(divided, softmax(np.log(bare) / 8, axis=1)), (
    "the same scores are divided by 8"
)
gap = np.abs(scores[:, 0] - scores[:, 1])
assert abs(np.median(gap) - 8) < 1, "So gaps of 8 are ordinary"
assert times[8] > times[1] > 1, (
    "makes a weight … times as large; a lead of 1 makes it … times as large"
)
