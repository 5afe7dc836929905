r"""Only $\sqrt{d}$ keeps the spread at 1 in every dimension; a constant is
right in just one.

Standard deviation of the dot product after division, against the number of
dimensions from 1 to {= dims[-1] }, both axes logarithmic. Divided by 1, 2 or
10: three parallel rising lines, each of which crosses the level 1 once: at 1
dimension, and, marked by dots, at {= crossing[2] :.0f } and at
{= crossing[10] :.0f } dimensions. Divided by √d: a flat line at 1. Divided by
d: a falling line.
"""

# %%
import numpy as np
from scipy.optimize import brentq

dims = 2 ** np.arange(11)
divisors = {"1": 1, "2": 2, "10": 10, "√d": np.sqrt(dims), "d": dims}

# q·k is a sum of d uncorrelated terms of variance 1, and division by c divides
# its spread by c.
spread = {name: np.sqrt(dims) / c for name, c in divisors.items()}
at_64 = {name: float(line[6]) for name, line in spread.items()}  # d = 2**6
crossing = {
    c: brentq(lambda d, c=c: np.sqrt(d) / c - 1, 0.5, 1024) for c in [1, 2, 10]
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots()
for name, values in spread.items():
    axes.loglog(dims, values)
    axes.text(1150, values[-1], f"÷ {name}", va="center")
for c in [2, 10]:
    axes.plot(crossing[c], 1, "o", color="C3")
    axes.text(1.1 * crossing[c], 0.85, f"d = {crossing[c]:.0f}", va="top")
axes.set(xlabel="dimensions d", ylabel="standard deviation of (q·k) / c")
axes.set(xticks=[1, 4, 16, 100, 1024], xticklabels=[1, 4, 16, 100, 1024])
axes.minorticks_off()
plt.show()

# %% says
assert np.all(abs(spread["√d"] - 1) < 1e-9), (
    "Only $\\sqrt{d}$ keeps the spread at 1"
)
for c in ["1", "2", "10"]:
    assert np.all(np.diff(spread[c]) > 0), "three parallel rising lines"
    assert np.all(np.diff(spread[c]) > 0), "is right at one dimension only"
assert np.all(np.diff(spread["d"]) < 0), "Divided by d: a falling line"
