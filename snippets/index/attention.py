"""Without the divisor the weights pile up on one key as d grows; with it
they do not.

Six staircases in two rows and three columns. Each shows the attention weights
of one query over 32 random keys, sorted from the largest, in a typical draw.
Columns: 4, 64 and 1024 dimensions. In the upper row the scores are the bare dot
products: the first step grows from column to column until it is nearly all of
the weight. In the lower row they are divided by √d: in all three columns the
weight is spread over many keys, in steps of similar size.
"""

# %%
import numpy as np
from scipy.special import softmax

rng = np.random.default_rng(0)
dims, n_keys, draws = [4, 64, 1024], 32, 9_999

unscaled, scaled = {}, {}
median_unscaled_max, median_scaled_max = {}, {}
for d in dims:
    # q·k for 32 random keys: given the query, independent N(0, |q|²).
    length = np.sqrt(rng.chisquare(d, size=(draws, 1)))
    scores = length * rng.standard_normal((draws, n_keys))

    largest = softmax(scores, axis=1).max(axis=1)
    largest_scaled = softmax(scores / np.sqrt(d), axis=1).max(axis=1)
    median_unscaled_max[d] = np.median(largest)
    median_scaled_max[d] = np.median(largest_scaled)

    # Show the query whose largest weight is the median.
    typical = scores[np.argsort(largest)[draws // 2]]
    unscaled[d] = np.sort(softmax(typical))[::-1]
    scaled[d] = np.sort(softmax(typical / np.sqrt(d)))[::-1]

lead = 0.1
slight_lead = softmax([lead, 0, 0, 0])[0]
times_at_8 = np.exp(8)  # how much more a key weighs that leads by 8

# To drag: scores √d·g, as if |q| were √d. This g is typical at d = 64.
g = rng.standard_normal((draws, n_keys))
largest = softmax(8 * g, axis=1).max(axis=1)
explore = {"g": g[np.argsort(largest)[draws // 2]].round(3)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(
    2, len(dims), figsize=(6.4, 4.2), sharex=True, sharey=True
)
edges = np.arange(n_keys + 1) + 0.5
for column, d in enumerate(dims):
    axes[0, column].stairs(unscaled[d], edges, color="C1", fill=True)
    axes[1, column].stairs(scaled[d], edges, color="C0", fill=True)
    axes[0, column].set_title(f"d = {d}")
axes[0, 0].set(ylim=(0, 1), yticks=[0, 0.5, 1], xticks=[1, 16, 32])
axes[0, 0].set_ylabel("softmax(q·k)")
axes[1, 0].set_ylabel("softmax(q·k/√d)")
axes[1, 1].set_xlabel("keys, from the largest weight to the smallest")
plt.show()
