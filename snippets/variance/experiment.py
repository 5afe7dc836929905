r"""The experiment's result lies within one true standard deviation of what
theory expects, among repetitions of it.

Two bell curves over the variance of the product, both centred just below 111: a
low wide one with the true standard deviation, and a tall narrow one, for
entries taken to be independent. A vertical line marks the observed value: on
the shoulder of the wide curve, but far out in the tail of the narrow one. A row
of ticks along the bottom, thirty repetitions of the experiment, spreads as the
wide curve does.
"""

# %%
import numpy as np
import sample_variance

n, d, m = 1111, 111, 1111
observed = 110.5603610976103  # as the source printed it

expected = sample_variance.expected(n, d, m)
sd = np.sqrt(sample_variance.variance(n, d, m))
iid_sd = np.sqrt(sample_variance.variance_if_independent(n, d, m))
ratio = sd / iid_sd
excess = expected - observed
z, iid_z = -excess / sd, -excess / iid_sd
low, iid_low = -z, -iid_z  # in standard deviations
entries, relative_sd = n * m, sd / expected

# The source also printed the variances of the factors.
a_variance, b_variance = 0.9998308190814476, 0.9957289239999045
factor_entries = n * d
factor_sd = np.sqrt(2 / factor_entries)  # of the variance of Gaussian numbers

# Thirty products of such arrays.
rng = np.random.default_rng(0)
repeated = np.array(
    [
        np.var(rng.standard_normal((n, d)) @ rng.standard_normal((d, m)))
        for _ in range(30)
    ]
)

# %%
import matplotlib.pyplot as plt
from scipy.stats import norm

value = np.linspace(expected - 4 * sd, expected + 4 * sd, 1000)
fig, axes = plt.subplots()
axes.plot(value, norm.pdf(value, expected, sd), label=f"true sd: {sd:.2f}")
axes.plot(
    value,
    norm.pdf(value, expected, iid_sd),
    label=f"if independent: {iid_sd:.2f}",
)
axes.axvline(
    observed, color="C2", linestyle="--", label=f"observed: {observed:.2f}"
)
axes.plot(repeated, np.zeros(30), "|", color="C4", markersize=22)
axes.set(
    xlabel="np.var of the 1111×1111 product",
    ylabel="probability density",
    ylim=(0, None),
)
axes.legend(loc="upper right")
plt.show()

# %% says
assert observed < expected, "The exact mean is … higher by"
assert 110.9 < expected < 111, "both centred just below 111"
assert iid_low > 2, "standard deviations low: a false alarm"
assert ratio > 4, "exact standard deviation is … times as large"
assert 0 < low < 1, "within one true standard deviation of"
assert iid_low > 3, "but far out in the tail of the narrow one"
assert repeated.std() > 3 * iid_sd, "spreads as the wide curve does"
off = abs(np.array([a_variance, b_variance]) - 1)
assert np.all(off < 2 * factor_sd), (
    "The two factors that the thread prints are ordinary draws"
)
assert 1 / entries < 1 / 4, "the bias there is a quarter, and here one part in"
