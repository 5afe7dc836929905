"""Without the divisor the weights of random keys pile up on one of them as d
grows; with it they do not.

Six staircases in two rows and three columns. Each shows the attention weights
of one query over 32 random keys, sorted from the largest, in a typical draw.
Columns: 4, 64 and 1024 dimensions. In the upper row the scores are the
undivided dot products: the first step grows from column to column until it is
nearly all of the weight. In the lower row they are divided by √d: all three
columns are alike, the weight spread over many keys.
"""

# %%
import numpy as np
from scipy.special import softmax

rng = np.random.default_rng(0)
dims, n_keys, draws = [4, 64, 1024], 32, 99_999

# q·k for Gaussian keys is |q| times independent Gaussian numbers g. Hold |q|
# at √d, its typical value.
g = rng.standard_normal((draws, n_keys))
largest = {d: softmax(np.sqrt(d) * g, axis=1).max(axis=1) for d in [1, *dims]}
median = {d: np.median(each) for d, each in largest.items()}
median_unscaled_max = {d: median[d] for d in dims}
median_scaled_max = median[1]  # √d·g/√d is g, whatever d is

# Show the query whose largest weights are nearest to all of these medians.
off = sum(abs(largest[d] - median[d]) for d in largest)
explore = {"g": g[np.argmin(off)].round(3)}
scaled = np.sort(softmax(explore["g"]))[::-1]
unscaled = {d: np.sort(softmax(np.sqrt(d) * explore["g"]))[::-1] for d in dims}

lead = 0.1
slight_lead = softmax([lead, 0, 0, 0])[0]
times_at_8 = np.exp(8)  # how much more a key weighs that leads by 8

# Three keys a spread of 64 dimensions apart, by each divisor.
three = np.array([8, 0, -8])
divisors = {"undivided": 1, "÷ √d": np.sqrt(64), "÷ d": 64}
rows = [(name, *softmax(three / by).tolist()) for name, by in divisors.items()]

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(
    2, len(dims), figsize=(6.4, 4.2), sharex=True, sharey=True
)
edges = np.arange(n_keys + 1) + 0.5
for column, d in enumerate(dims):
    axes[0, column].stairs(unscaled[d], edges, color="C1", fill=True)
    axes[1, column].stairs(scaled, edges, color="C0", fill=True)
    axes[0, column].set_title(f"d = {d}")
axes[0, 0].set(ylim=(0, 1), yticks=[0, 0.5, 1], xticks=[1, 16, 32])
axes[0, 0].set_ylabel("softmax(q·k)")
axes[1, 0].set_ylabel("softmax(q·k/√d)")
axes[1, 1].set_xlabel("keys, from the largest weight to the smallest")
plt.show()

# %% says
first = [unscaled[d][0] for d in dims]
assert np.all(np.diff(first) > 0), "the first step grows from column to column"
assert first[-1] > 0.99, "until it is nearly all of the weight"
assert scaled[0] < 0.2, "the weight spread over many keys"
assert np.all(np.diff([*median_unscaled_max.values()]) > 0), (
    "the weights of random keys pile up on one of them as d grows"
)
assert np.isclose(np.log(times_at_8), 8), "a key that leads another by 8"
assert median[64] > 0.5 > median_scaled_max, (
    "with the scores as they are, and … with divided ones"
)
assert np.all(np.diff([*median_unscaled_max.values()]) > 0), (
    "In larger heads the noise is larger, and the winner takes still more"
)
assert np.isclose(slight_lead, 1 / (1 + 3 * np.exp(-0.1))), (
    "With a lead of 0.1 over three others it takes"
)
bare, _, whole = rows
assert bare[1] > 0.999, "Undivided, it is one key or nothing"
assert max(whole[1:]) < 1.5 * min(whole[1:]), (
    "it hardly matters what the scores"
)
