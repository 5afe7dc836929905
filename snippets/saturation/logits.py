r"""As the scores grow, one key takes the weight. From a spread of 1 to 8 the
root mean square norm of the Jacobian shrinks for 3 keys, and grows for 64 and
more.

Two stacked panels against the spread of the scores, from a quarter to 32, on a
logarithmic axis; vertical lines mark 1, the spread after division by √d, and 8,
the spread without it at 64 dimensions. Above, the mean largest weight for 3, 64
and 4096 keys: three rising curves towards 1, later for more keys. Below, the
root mean square size of the Jacobian: for 3 keys it only falls; for 64 and 4096
keys it starts lower and rises to a peak, is larger at 8 than at 1, and falls
slowly after that.
"""

# %%
import numpy as np
from gaussian_logits import jacobian_square, largest

counts, sigma = [3, 64, 4096], np.geomspace(0.25, 32, 29)
largest_weight, gradient = {}, {}
for n in counts:
    largest_weight[n] = np.array([largest(n, s) for s in sigma])
    gradient[n] = np.sqrt([jacobian_square(n, s) for s in sigma])

# %%
import matplotlib.pyplot as plt

fig, (weight, size) = plt.subplots(2, 1, figsize=(6.4, 6), sharex=True)
places = {3: (0.35, 0.62), 64: (1.08, 0.4), 4096: (9, 0.45)}
heights = {3: (0.4, 0.48), 64: (0.4, 0.17), 4096: (0.4, 0.04)}
for n, colour in zip(gradient, ["C0", "C1", "C2"], strict=True):
    weight.semilogx(sigma, largest_weight[n], color=colour, base=2)
    size.semilogx(sigma, gradient[n], color=colour, base=2)
    weight.text(*places[n], f"{n} keys", color=colour)
    size.text(*heights[n], f"{n} keys", color=colour)
for axes in (weight, size):
    axes.axvline(1, color="C4", linestyle="--")
    axes.axvline(8, color="C3", linestyle="--")
weight.set(ylabel="mean largest weight", ylim=(0, 1.12), yticks=[0, 0.5, 1])
weight.text(0.95, 1.03, "divided by √d", color="C4", ha="right")
weight.text(8.5, 1.03, "d = 64, undivided", color="C3")
size.set(ylabel="rms gradient ‖J‖", ylim=(0, 0.52))
size.set(xlabel="standard deviation σ of the scores")
size.set(xticks=[0.25, 1, 4, 8, 32], xticklabels=["¼", "1", "4", "8", "32"])
plt.show()

# %% says
last = {n: weight[-1] for n, weight in largest_weight.items()}
assert min(last.values()) > 0.9, "As the scores grow, one key takes the weight"
for weight in largest_weight.values():
    assert np.all(np.diff(weight) > 0), "three rising curves towards 1"
assert np.all(np.diff([*largest_weight.values()], axis=0) < 0), (
    "towards 1, later for more keys"
)


def at(spread, n):
    """Return the size of the Jacobian at a spread of the scores."""
    return np.interp(spread, sigma, gradient[n])


assert (sigma[0], sigma[-1]) == (1 / 4, 32), "from a quarter to 32"
assert np.sqrt(64) == 8, "and 8, the spread without it at 64 dimensions"
assert at(8, 3) < at(1, 3), "From a spread of 1 to 8 … shrinks for 3 keys"
assert np.all(np.diff(gradient[3]) < 0), "for 3 keys it only falls"
for n in (64, 4096):
    assert at(8, n) > at(1, n), "for 3 keys, and grows for 64 and more"
    assert gradient[n][0] < gradient[3][0] / 3, "4096 keys it starts lower and"
    assert gradient[n][0] < at(1, n) < at(8, n) < max(gradient[n]), (
        "keys it starts lower and rises … is larger at 8 than at 1, and falls"
    )
    assert np.all(np.diff(gradient[n][sigma > 8]) < 0), "and falls slowly after"
