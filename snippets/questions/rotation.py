r"""Rotary positions leave the variance alone if the coordinates of a pair have
equal variances, in the query or in the key.

The variance of a score divided by d, against the distance between two tokens
from 0 to {= distance[-1] :.0f }, for 64 dimensions. Three curves. Equal
variances: a level line at 1. Variances of 1.5 and 0.5 in each pair, for query
and key alike: from {= near[0.5] :.2f } it falls and oscillates around 1.1.
Variances of 2 and 0: from {= near[1] :.0f } it falls and oscillates around 1.4.
"""

# %%
import numpy as np

d, base = 64, 10_000
theta = base ** (-2 * np.arange(d // 2) / d)
distance = np.linspace(0, 60, 601)


def variance(m, uneven):
    """Return Var(q·k)/d at distance m, for independent q and k.

    In each pair the variances are 1 + uneven and 1 − uneven, in q and in k. A
    turn by the angle a makes tr(R T R Tᵀ) = 2 + 2 uneven² cos 2a of the pair.
    """
    turned = np.cos(2 * np.multiply.outer(m, theta)).sum(axis=-1)
    return 1 + 2 * uneven**2 * turned / d


curves = {uneven: variance(distance, uneven) for uneven in (0, 0.5, 1)}
near = {uneven: curve[0] for uneven, curve in curves.items()}
lowest = {m: variance(np.arange(m + 1), 0.5).min() for m in (60, 4096)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots()
for height, (uneven, curve) in zip(
    [0.93, 1.21, 1.64], curves.items(), strict=True
):
    axes.plot(distance, curve)
    name = f"variances {1 + uneven:g} and {1 - uneven:g}"
    axes.text(60, height, name, ha="right", va="center")
axes.set(xlabel="distance between the tokens", ylabel="variance of q·k / d")
axes.set(ylim=(0.86, 2.1))
plt.show()

# %% says
assert np.all(abs(curves[0] - 1) < 1e-9), "Equal variances: a level line at 1"
late = {uneven: curve[distance > 30].mean() for uneven, curve in curves.items()}
assert near[0.5] == (1.5**2 + 0.5**2) / 2, "Variances of 1.5 and 0.5 in each"
assert near[0.5] > late[0.5], "and key alike: from … it falls"
assert abs(late[0.5] - 1.1) < 0.05, "it falls and oscillates around 1.1"
assert near[1] == 2**2 / 2 > late[1], "Variances of 2 and 0: from … it falls"
assert abs(late[1] - 1.4) < 0.05, "it falls and oscillates around 1.4"
assert near[0.5] == (1.5**2 + 0.5**2) / 2, "in every pair are 1.5 and 0.5"
assert lowest[60] < near[0.5], "over the first 60 distances it falls to"
assert lowest[4096] < lowest[60], "over 4096 it goes down to"
