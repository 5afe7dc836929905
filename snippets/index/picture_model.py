"""The larger the spread of the logits, the fewer keys take part.

A curve that falls from a level stretch, where all keys take part and attention
is flat, to the ground, where it is frozen. A dot stands between the two.
"""

# %%
import numpy as np
from scipy.special import softmax

rng = np.random.default_rng(0)
n_keys, spread = 64, np.geomspace(0.1, 30, 25)
g = rng.standard_normal((2000, n_keys))
weights = softmax(spread[:, np.newaxis, np.newaxis] * g, axis=-1)
share = 1 / np.sum(weights**2, axis=-1).mean(axis=1) / n_keys

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
x = np.log(spread)
axes.fill_between(x, share, color="C0", alpha=0.2)
axes.plot(x, share, "C0")
axes.plot(0, np.interp(0, x, share), "C3o", markersize=9)
axes.text(0.3, np.interp(0, x, share), "yours?", color="C3")
axes.text(-2.1, 0.4, "flat", color="C0")
axes.text(x[-1], 0.12, "frozen", color="C1", ha="right")
axes.set(xlim=x[[0, -1]], ylim=(0, 1.1), xticks=[], yticks=[])
axes.set(xlabel="larger spread →", ylabel="keys at work")
plt.show()

# %% says
assert np.all(np.diff(share) < 0), (
    "larger the spread … the fewer keys take part"
)
assert share[0] > 0.98, "where all keys take part"
assert share[-1] < 0.03, "to the ground, where it is frozen"
