"""Our row: one query and its keys, the same on every page, and its look.

The numbers are independent standard Gaussians, rounded to one decimal, which is
short to send to a page. The first 64 coordinates are our head of 64; a smaller
or a larger head takes the first 16, say, or all 128.
"""

import numpy as np
from scipy.special import softmax

# The first seed whose row is typical in all that pages show of it; the test
# looks for it again.
rng = np.random.default_rng(33829)
d, n_keys = 64, 32
query = rng.standard_normal(128).round(1)
keys = rng.standard_normal((n_keys, 128)).round(1)
meant = 11  # the key that is to be found, the twelfth: chance left it behind
step = 0.25  # by which a training step moves each coordinate
# Where a page needs a row as long as real ones, ours goes on.
n_long = 512
further = np.random.default_rng(205).standard_normal((n_long - n_keys, d))
long_scores = np.concatenate([keys[:, :d], further.round(1)]) @ query[:d]


def scores(dims=d):
    """Return q·k for each key, in a head of so many dimensions."""
    return keys[:, :dims] @ query[:dims]


def walk(q, k):
    """Return the sums of the first 1, 2, … products, for each key."""
    return np.cumsum(q[..., np.newaxis, :] * k, axis=-1)


def shares(walks, dims, divisor):
    """Return softmax of the scores, in a head of so many dimensions."""
    return softmax(walks[..., dims - 1] / divisor, axis=-1)


def train(q, k):
    """Return q and k after a step of Adam that raises the meant key's score.

    The gradient of q·k is k for q, and q for k. Adam's first step goes equally
    far in every coordinate: by its sign.
    """
    k = k.copy()
    moved = q + step * np.sign(k[..., meant, :])
    k[..., meant, :] += step * np.sign(q)
    return moved, k


def other_rows(n):
    """Return queries and keys of rows drawn anew, for what is said of all."""
    rng = np.random.default_rng(12)
    return (
        rng.standard_normal((n, len(query))),
        rng.standard_normal((n, *keys.shape)),
    )


def draw_fan(axis, walks, climbs=None):
    """Draw the sums of products, a line for each key, and ±√ of how many.

    `walks` has a row for each key; `climbs` is the key whose line stands out.
    """
    lines = np.insert(walks, 0, 0, axis=1)
    m = np.arange(lines.shape[1])
    if climbs is not None:
        axis.plot(m, lines[climbs], "C5", linewidth=2.5)
        lines = np.delete(lines, climbs, axis=0)
    axis.plot(m[::2], lines.T[::2], "C1", linewidth=0.6, alpha=0.6)
    axis.plot(m, np.sqrt(m), "0.5", m, -np.sqrt(m), "0.5", linestyle="--")


def draw_weights(axis, weights, colour, climbs=None):
    """Draw the weights as bars, the keys in their order from 1 on."""
    edges = np.arange(len(weights) + 1) + 0.5
    axis.stairs(weights, edges, color=colour, fill=True)
    if climbs is not None:
        axis.bar(climbs + 1, weights[climbs], 1, color="C5")
    axis.set(ylim=(0, 1), yticks=[0, 0.5, 1], xticks=[1, n_keys // 2, n_keys])
