r"""Each score is a row of $Q$ times a row of $K$: a sum of $d_k$ products,
divided by $\sqrt{d_k}$.

Three grids of cells side by side: Q with n rows and d_k columns, the transpose
of K with d_k rows and m columns, and their product, the scores, with n rows and
m columns. One row of Q, one column of K transposed and the one cell of the
scores where they meet are filled. Below: a filled score is the sum of d_k
products, so that the d_k which Q and K share, and which the product no longer
shows, is the one under the root.
"""

# %%
import numpy as np

n, d_k, m = 4, 3, 5  # queries, their dimension, keys
rng = np.random.default_rng(0)
Q = rng.standard_normal((n, d_k))
K = rng.standard_normal((m, d_k))

scores = Q @ K.T
row, column = 1, 3
query, key = Q[row], K[column]
# The same number as scores[row, column].
score = sum(query[i] * key[i] for i in range(d_k))

# %%
import matplotlib.pyplot as plt


def grid(left, rows, columns, name, height, width, filled):
    """Draw a matrix of cells, its name above it, its height at its left, its
    width below.
    """
    for i in range(rows):
        for j in range(columns):
            alpha = 0.9 if (i, j) in filled else 0.2
            axes.add_patch(
                plt.Rectangle(
                    (left + j + 0.05, -i - 0.95), 0.9, 0.9, alpha=alpha
                )
            )
    axes.text(left + columns / 2, 0.3, name, ha="center", fontsize=16)
    axes.text(
        left - 0.15, -rows / 2, height, ha="right", va="center", fontsize=16
    )
    axes.text(
        left + columns / 2,
        -rows - 0.2,
        width,
        ha="center",
        va="top",
        fontsize=16,
    )


fig, axes = plt.subplots(figsize=(6.4, 2.9))
grid(0, n, d_k, "$Q$", "$n$", "$d_k$", [(row, j) for j in range(d_k)])
grid(5.1, d_k, m, "$K^T$", "$d_k$", "$m$", [(i, column) for i in range(d_k)])
grid(12.1, n, m, "scores $QK^T$", "$n$", "$m$", [(row, column)])
axes.text(3.6, -1.5, "×", ha="center", va="center", fontsize=16)
axes.text(10.7, -1.5, "=", ha="center", va="center", fontsize=16)
note = r"each score sums $d_k$ products: divide it by $\sqrt{d_k}$"
axes.text(8.1, -6.1, note, ha="center", fontsize=14)
axes.set(xlim=(-0.9, 17.2), ylim=(-6.4, 1.3), aspect="equal")
axes.axis("off")
plt.show()

# %% says
assert scores.shape == (n, m), "the scores, with n rows and m columns"
assert abs(score - scores[row, column]) < 1e-9, "is a row of $Q$ times a row"
