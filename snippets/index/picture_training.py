r"""Terms with random signs add up to the order of $\sqrt{d}$, terms of
one sign to the order of $d$.

Three random walks that stray up and down, and a straight rise: sums of the
first terms of a random score, and of what one step of training adds to it.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
d, step = 50, 0.4
q, k = rng.standard_normal((2, 3, d))
start = np.cumsum(q * k, axis=1)
# Adam moves q by the sign of k, and k by the sign of q.
moved = np.cumsum(step * (np.abs(q) + np.abs(k)), axis=1)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
axes.plot(start.T, color="C0", linewidth=1.5)
axes.plot(moved[0], color="C2", linewidth=2.5)
axes.text(3, moved[0, -1] * 0.75, "a step adds: d", color="C2")
axes.text(d, -14, "the start: √d", color="C0", ha="right")
axes.set(xlim=(0, d), xticks=[], yticks=[], xlabel="products added →")
plt.show()

# %% says
assert abs(start).max() < moved[:, -1].min(), (
    "with random signs add up to … one sign to the order"
)
steps = np.diff(start)
assert np.all(steps.min(axis=1) * steps.max(axis=1) < 0), (
    "random walks that stray up and down"
)
assert np.all(np.diff(moved) > 0), "and a straight rise"
