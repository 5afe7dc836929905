"""Without the divisor the weights of random keys pile up on one of them as d
grows; with it they do not.

Six staircases in two rows and three columns. Each shows the attention weights
of one query over the {= n_keys } keys of our row, sorted from the largest.
Columns: 4, 64 and 1024 dimensions. In the upper row the scores are the
undivided dot products: the first step grows from column to column until it is
nearly all of the weight. In the lower row they are divided by √d: all three
columns are alike, the weight spread over many keys.
"""

# %%
import numpy as np
from our_row import d as our_d
from our_row import n_keys, scores
from scipy.special import softmax

rng = np.random.default_rng(0)
dims, draws = [4, 64, 1024], 99_999

# q·k for Gaussian keys is |q| times independent Gaussian numbers g. Hold |q|
# at √d, its typical value.
g = rng.standard_normal((draws, n_keys))
largest = {d: softmax(np.sqrt(d) * g, axis=1).max(axis=1) for d in [1, *dims]}
median = {d: np.median(each) for d, each in largest.items()}
median_unscaled_max = {d: median[d] for d in dims}
median_scaled_max = median[1]  # √d·g/√d is g, whatever d is

# With the query drawn too, where that counts most: in the smallest head.
length = np.sqrt(rng.chisquare(dims[0], (draws, 1)))
drawn_query = {
    name: np.median(softmax(length * g / by, axis=1).max(axis=1))
    for name, by in {"bare": 1, "divided": np.sqrt(dims[0])}.items()
}

# Our row, whose largest weights are close to all of these medians.
explore = {"g": (scores() / np.sqrt(our_d)).round(3)}
scaled = np.sort(softmax(explore["g"]))[::-1]
unscaled = {d: np.sort(softmax(np.sqrt(d) * explore["g"]))[::-1] for d in dims}

lead = 0.1
slight_lead = softmax([lead, 0, 0, 0])[0]

# Three keys a spread of 64 dimensions apart, by each divisor.
three = np.array([8, 0, -8])
divisors = {"undivided": 1, "÷ √d": np.sqrt(64), "÷ d": 64}
rows = [(name, *softmax(three / by).tolist()) for name, by in divisors.items()]
exponentials = np.exp(three)

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
assert median[1024] > 99.9 / 100, (
    "with 1024 dimensions over 99.9% in half of all draws"
)
first = [unscaled[d][0] for d in dims]
assert np.all(np.diff(first) > 0), "the first step grows from column to column"
assert first[-1] > 0.99, "until it is nearly all of the weight"
assert scaled[0] < 0.2, "the weight spread over many keys"
assert np.all(np.diff([*median_unscaled_max.values()]) > 0), (
    "the weights of random keys pile up on one of them as d grows"
)
assert np.allclose(np.diff(np.log(exponentials)), -8), (
    "Take the scores 8, 0 and −8, one spread apart"
)
assert np.isclose(exponentials[0] / exponentials.sum(), rows[0][1]), (
    "Their exponentials are … so the first key gets"
)
assert np.all(np.diff([*median_unscaled_max.values()]) > 0), (
    "The larger the head, the more the winner takes"
)
assert 0 < median[4] < median[64], (
    "or more in half of all draws if heads have 4 dimensions"
)
assert np.isclose(slight_lead, 1 / (1 + 3 * np.exp(-0.1))), (
    "With a lead of 0.1 over three others it takes"
)
bare, root, whole = rows
assert bare[1] > 0.999, "Undivided, one key gets everything"
assert max(whole[1:]) < 1.5 * min(whole[1:]), (
    "it hardly matters what the scores"
)
left = dict(zip(dims, np.sqrt(dims) / 8, strict=True))
assert left[64] == np.sqrt(64) / 8 == 1 < left[1024], (
    "A constant such as 8 does as well in heads of 64, and worse the further"
)
for d in (256, 1024):
    scores = np.sqrt(d) * np.array([1, 0, -1])
    assert softmax(scores)[0] > bare[1], "In larger heads both get worse"
    assert softmax(scores / d)[0] < whole[1], "In larger heads both get worse"
    assert np.allclose(softmax(scores / np.sqrt(d)), root[1:]), (
        "only the middle row is the same at every d"
    )
