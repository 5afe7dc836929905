"""A small transformer with heads of 64 dimensions learns to look things up, if
scores are divided by √d. Undivided it does not get going in these
{= steps[-1] } steps. Each line is one of three seeds, at the best of seven
learning rates.

The loss over {= steps[-1] } training steps. Three lines of scores divided by √d
stay above 2 for 100 steps, then fall to nearly 0 by step 200. Three lines of
undivided scores sink from above 3 to about 2.75, and stay above a dotted line
at {= even :.1f } for a model that weighs all keys alike.
"""

# %%
import numpy as np
from stored import read

rows, d = read("training/learning.csv"), 64
rows = rows[(rows["setting"] == "plain") & (rows["d"] == d)]
rows = rows[np.lexsort((rows["step"], rows["seed"], rows["rate"]))]
steps, curve = np.unique(rows["step"]), {}
for divisor, seeds in {"none": 3, "√d": 3, "∞": 2}.items():
    loss = rows["loss"][rows["divisor"] == divisor]
    # Rates × seeds × steps: the rate with the lowest mean loss in the end.
    loss = loss.reshape(-1, seeds, len(steps))
    curve[divisor] = loss[loss[:, :, -1].mean(axis=1).argmin()]
even = curve["∞"][:, -1].mean()

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.2))
axes.plot(steps, curve["none"].T, color="C1")
axes.plot(steps, curve["√d"].T, color="C0")
axes.axhline(even, color="C4", linestyle=":")
axes.text(500, 2.95, "undivided", color="C1", ha="right")
axes.text(170, 0.5, "divided by √d", color="C0")
axes.text(500, 2, "all keys alike", color="C4", ha="right")
axes.set(xlabel="training step", ylabel="loss", ylim=(0, None))
plt.show()

# %% says
for name in ("none", "√d"):
    assert len(curve[name]) == 3, "Each line is one of three seeds"
divided = curve["√d"]
assert np.all(divided[:, steps < 100] > 2), "stay above 2 for 100 steps"
assert np.all(divided[:, steps >= 200] < 0.1), "to nearly 0 by step 200"
assert np.all(curve["none"][:, 0] > 3), "sink from above 3 to about 2.75"
assert np.all(abs(curve["none"][:, -1] - 2.75) < 0.03), "to about 2.75, and"
assert np.all(curve["none"] > even), "stay above a dotted line at … for"
