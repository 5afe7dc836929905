r"""In five settings the exponent stays within a twentieth of 1; random labels,
new at each step, pull it down.

A chart of dots with error bars, one row for each setting, over the exponent of
the movement of q·k in d. Five settings of training lie near 1: the right key
with either scale, with W_Q zero at the start, with tokens drawn independently,
and all pairs of tokens. All pairs under random labels lie between one half and
1.
"""

# %%
import numpy as np
from recall import exponent, init, rms, scores, train

dims, seeds, steps = [32, 64, 128, 256], range(3), 10


def measure(power, pairs, **how):
    """Return the size of the movement with divisor 8 (d/64)^power."""
    size = np.empty((len(seeds), len(dims)))
    for at in np.ndindex(size.shape):
        seed, d = seeds[at[0]], dims[at[1]]
        s = 8 * (d / 64) ** power
        if "labels" in how:
            how["labels"] = np.random.default_rng([seed, d, 2])
        (X, old), *_, (_, new) = train(d, seed, s, steps, **how)
        moved = scores(X, new) - scores(X, old)
        size[at] = rms(np.diag(moved) if pairs == "right" else moved)
    return size


size = {
    "right key, 8/d": measure(1, "right"),
    "right key, 1/√d": measure(0.5, "right"),
    "$W_Q=0$ at the start": measure(1, "right", zero_query=True),
    "independent tokens": measure(1, "right", independent=True),
    "all pairs": measure(1, "all"),
    "all pairs, random labels": measure(1, "all", labels=True),
}
fit = {name: exponent(dims, sizes) for name, sizes in size.items()}

# How nearly independent tokens are at right angles.
cosine = {}
for d in dims:
    gram = [
        np.dot(X, X.T) / (4 * d) for X, _ in (init(d, s, 0, 1) for s in seeds)
    ]
    cosine[d] = rms([a[~np.eye(16, dtype=bool)] for a in gram])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
for row, (name, (value, error)) in enumerate(fit.items()):
    axes.errorbar(
        value,
        -row,
        xerr=2 * error,
        fmt="o",
        capsize=4,
        color="C1" if "labels" in name else "C0",
    )
    axes.text(1.1, -row, f"{value:.2f} ± {error:.2f}", va="center")
for guide in (0.5, 1):
    axes.axvline(guide, linestyle=":", color="C4")
axes.set(xlabel="exponent in d of the movement of q·k", xlim=(0.45, 1.42))
axes.set(ylim=(0.4 - len(fit), 0.8), xticks=[0.5, 0.75, 1])
axes.set(yticks=range(0, -len(fit), -1), yticklabels=fit)
plt.show()
