r"""Of the $d^2$ terms of $(q\cdot k)^2$ only the $d$ on the diagonal have a
mean other than 0.

Two square grids of cells. Left, for 3 dimensions, nine cells, one for each
product of the i-th and the j-th term of q·k, labelled with its mean: 1 in the
three cells of the diagonal, which are filled, and 0 in the six others. Right,
the same for 64 dimensions: a thin filled diagonal in an otherwise empty square.
"""

# %%
import numpy as np

terms, total, diagonal, off_diagonal, variance = {}, {}, {}, {}, {}
for d in [3, 4, 64, 512]:
    # E[q_i q_j], and also E[k_i k_j]: variances of 1, and means of 0.
    moment = np.eye(d)
    # E[q_i k_i · q_j k_j], because q and k are independent.
    means = moment * moment
    total[d] = means.size
    diagonal[d] = np.count_nonzero(np.diag(means))
    off_diagonal[d] = total[d] - diagonal[d]
    # E[(q·k)²]; as E[q·k] is 0, there is nothing to take off.
    variance[d] = means.sum()
    if d <= 64:  # of a size to draw
        terms[d] = means

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2)
for axes, d in zip(panels, [3, 64], strict=True):
    for i, j in np.argwhere(terms[d]):
        axes.add_patch(
            plt.Rectangle((j + 0.5, i + 0.5), 1, 1, alpha=0.5 if d == 3 else 1)
        )
    axes.set(xlim=(0.5, d + 0.5), ylim=(d + 0.5, 0.5), aspect="equal")
    ticks = range(1, d + 1) if d == 3 else [1, d]
    axes.set(xticks=ticks, yticks=ticks, title=f"d = {d}: {total[d]} terms")
    axes.set_xlabel("j")
    axes.set_ylabel("i", rotation=0, labelpad=12)
    axes.spines[["top", "right"]].set_visible(True)
    axes.grid(visible=False)
for (i, j), value in np.ndenumerate(terms[3]):
    panels[0].text(
        j + 1, i + 1, f"{value:.0f}", ha="center", va="center", fontsize=16
    )
plt.show()

# %% says
for d in diagonal:
    assert diagonal[d] == d, "only the $d$ on the diagonal have a mean other"
assert total[3] == 9, "For three dimensions … nine terms in two groups"
assert terms[3].trace() == 3, "1 in the three cells of the diagonal"
assert off_diagonal[3] == 6, "and 0 in the six others"
assert np.count_nonzero(terms[64]) == diagonal[64], (
    "64 dimensions: a thin filled diagonal in an otherwise empty square"
)
