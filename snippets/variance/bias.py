r"""The sample variance is low by one part in $nm$ on average, and off by far
more through chance.

Two stacked panels against the size n of square matrices, from {= sizes[0] } to
{= sizes[-1] } on a logarithmic axis. Above, the mean of np.var of their product
divided by d: a line from three quarters at n = 2, which rises to 1 within a few
sizes; simulated dots with error bars lie on it. Below, on a logarithmic axis,
the standard deviation of np.var divided by d: a falling line, from about 1 at n
= 2 to a few hundredths at 128, which joins the dashed guide √6/n.
"""

# %%
import numpy as np
from sample_variance import expected as mean_of_variance
from sample_variance import variance as variance_of_variance

rng = np.random.default_rng(0)
sizes = [2, 4, 8, 16, 32, 64, 128]
expected = {n: mean_of_variance(n, n, n) for n in sizes}
sd = {n: np.sqrt(variance_of_variance(n, n, n)) for n in sizes}
variance = {n: sd[n] ** 2 for n in sizes}
# Relative to d = n, the variance of one score.
relative_sd = {n: sd[n] / n for n in sizes}

simulated, standard_error = {}, {}
simulated_relative_sd, relative_sd_error = {}, {}
for n in sizes:
    samples = max(150, 200_000 // n**2)
    Q, K = rng.standard_normal((2, samples, n, n))
    V = np.var(Q @ K, axis=(1, 2))
    simulated[n], standard_error[n] = V.mean(), V.std() / np.sqrt(samples)
    simulated_relative_sd[n] = V.std() / n
    spread_of_square = np.std((V - V.mean()) ** 2) / np.sqrt(samples)
    relative_sd_error[n] = spread_of_square / (2 * V.std()) / n

# %%
import matplotlib.pyplot as plt

fig, (bias, spread) = plt.subplots(2, 1, figsize=(6.4, 5.8), sharex=True)
n = np.array(sizes)
bias.plot(n, np.array([*expected.values()]) / n, label="exact: 1 − 1/n²")
errors = 2 * np.array([*standard_error.values()]) / n
dots = np.array([*simulated.values()]) / n
bias.errorbar(
    n, dots, errors, fmt="o", color="C1", label="simulated, ± 2 std. errors"
)
bias.set(ylabel="mean of np.var / d")
bias.legend()

spread.loglog(n, [*relative_sd.values()], label="exact")
spread.plot(n, np.sqrt(6) / n, "--", color="C2", label="√6/n")
errors = 2 * np.array([*relative_sd_error.values()])
dots = [*simulated_relative_sd.values()]
spread.errorbar(
    n, dots, errors, fmt="o", color="C1", label="simulated, ± 2 std. errors"
)
spread.set(
    xlabel="size n = m = d", ylabel="sd of np.var / d", xticks=n, xticklabels=n
)
spread.minorticks_off()
spread.legend()
plt.show()

# %% says
share = np.array([*relative_sd.values()])
low = 1 - np.array([*expected.values()]) / sizes
assert np.allclose(low, 1 / np.square(sizes)), "low by one part in $nm$"
assert np.all(share > 2 * low), "on average, and off by far more through chance"
assert low[0] == 1 / 4, "from three quarters at n = 2"
assert np.all(np.diff(low) < 0), "which rises to 1 within a few sizes"
assert np.all(np.diff(share) < 0), "of np.var divided by d: a falling line"
assert abs(relative_sd[2] - 1) < 0.1, "from about 1 at n = 2"
assert 0.01 < relative_sd[128] < 0.05, "to a few hundredths at 128"
for n in sizes[2:]:
    guide = np.sqrt(6) / n
    assert abs(relative_sd[n] / guide - 1) < 0.04, "is close to $\\sqrt6/n$"
assert relative_sd[2] > relative_sd[8] > relative_sd[64], "The share falls from"
assert sd[2] < sd[64], "its square is even larger for $n = 64$ than for $n = 2$"
constant = np.array([sd[2], sd[8], sd[64]])
assert np.all(abs(constant / np.sqrt(6) - 1) < 0.12), "itself stays close to"
