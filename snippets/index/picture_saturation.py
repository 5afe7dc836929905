"""Undivided, one key keeps most of the weight, however many compete; divided,
its share falls.

Two curves against the number of keys: the mean largest weight of undivided
scores of 64 dimensions, which falls slowly, and that of divided scores, which
falls fast.
"""

# %%
import numpy as np
from scipy.special import softmax

rng = np.random.default_rng(0)
counts, d, draws = 2 ** np.arange(1, 12), 64, 300
bare, divided = [], []
for n in counts:
    g = rng.standard_normal((draws, n))
    bare.append(softmax(np.sqrt(d) * g, axis=1).max(axis=1).mean())
    divided.append(softmax(g, axis=1).max(axis=1).mean())

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
axes.fill_between(np.log(counts), bare, color="C1", alpha=0.25)
axes.fill_between(np.log(counts), divided, color="C0", alpha=0.2)
axes.plot(np.log(counts), bare, "C1")
axes.plot(np.log(counts), divided, "C0")
axes.text(3.2, 0.55, "undivided", color="C1")
axes.text(1.1, 0.06, "÷ √d", color="C0")
axes.set(ylim=(0, 1), xlim=np.log(counts[[0, -1]]), xticks=[], yticks=[])
axes.set(xlabel="more keys →", ylabel="top share")
plt.show()

# %% says
assert min(bare) > 1 / 2, "one key keeps most of the weight"
assert np.all(np.diff(divided) < 0), "divided, its share falls"
assert divided[0] / divided[-1] > 5 * bare[0] / bare[-1] > 5, (
    "which falls slowly, and that of divided scores, which falls fast"
)
