"""The same weights in the code that trained them, and in another: what is off
the diagonal is lost.

A square of four by four cells, pale on the diagonal and darker away from it, by
how far the two codes' factors are apart.
"""

# %%
import numpy as np

factor = 2.0 ** np.arange(4)  # of four codes, each twice the last
apart = np.abs(np.log2(factor[:, np.newaxis] / factor))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
for row, column in np.ndindex(apart.shape):
    same = row == column
    shade = 0.1 + 0.25 * apart[row, column]
    place = (column + 0.04, row + 0.04)
    box = plt.Rectangle(place, 0.92, 0.92, facecolor=("C1", shade))
    axes.add_patch(box)
    if same:
        axes.plot(column + 0.5, row + 0.5, "C0o", markersize=9)
axes.set(xlim=(0, 4), ylim=(4, 0), xticks=[], yticks=[], aspect=0.45)
axes.set(xlabel="loaded into …", ylabel="trained with …")
axes.spines[:].set_visible(False)
plt.show()

# %% says
assert not np.diag(apart).any(), "in the code that trained them"
assert apart[~np.eye(4, dtype=bool)].all(), "off the diagonal is lost"
