r"""The variance of a product is the product of the variances only if the means
are 0.

The variance of the product XY of two independent variables of variance 1,
against their common mean from 0 to {= means[-1] :.0f }. A solid parabola starts
at 1 and climbs steeply; simulated dots with error bars lie on it. A dashed
horizontal line at 1, the product of the two variances, touches the parabola
only where the mean is 0.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
means = np.linspace(0, 3, 7)
var_x = var_y = 1.0

# Var XY = E X² E Y² − (E X)² (E Y)², and E X² = Var X + (E X)².
law = (var_x + means**2) * (var_y + means**2) - means**4

samples = 20_000
simulated, standard_error = np.empty_like(means), np.empty_like(means)
for place, mean in enumerate(means):
    x, y = mean + rng.standard_normal((2, samples))
    squares = (x * y - np.mean(x * y)) ** 2
    simulated[place] = squares.mean()
    standard_error[place] = squares.std() / np.sqrt(samples)

# %%
import matplotlib.pyplot as plt

mean = np.linspace(0, 3, 200)
fig, axes = plt.subplots()
axes.plot(mean, 1 + 2 * mean**2, label="(1 + μ²)² − μ⁴ = 1 + 2μ²")
axes.errorbar(
    means,
    simulated,
    2 * standard_error,
    fmt="o",
    color="C1",
    label="simulated, ± 2 std. errors",
)
axes.axhline(
    var_x * var_y, color="C2", linestyle="--", label="Var X · Var Y = 1"
)
axes.set(xlabel="mean μ of X and of Y", ylabel="variance of XY", ylim=(0, None))
axes.legend()
plt.show()

# %% says
assert np.all(np.diff(law) > 0), "solid parabola starts at 1 and climbs"
assert law[0] == 1, "the variances only if the means are 0"
assert law[0] == 1, "mean 0 and variance 1, then each product has variance 1"
assert np.all(law[1:] > var_x * var_y), "touches … only where the mean is 0"
