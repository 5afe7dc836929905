r"""The experiment's result lies within one true standard deviation of what
theory expects.

Two bell curves over the variance of the product, both centred just below 111: a
low wide one with the true standard deviation, and a tall narrow one, for
entries taken to be independent. A vertical line marks the observed value: on
the shoulder of the wide curve, but far out in the tail of the narrow one.
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
z, iid_z = (observed - expected) / sd, (observed - expected) / iid_sd

# The source also printed the variances of the factors, and these explain most
# of it.
a_variance, b_variance = 0.9998308190814476, 0.9957289239999045
given_factors = d * a_variance * b_variance
residual_sd = np.sqrt(2 * (d - 1) * (d + 2) / (n * m))
residual_z = (observed - given_factors) / residual_sd
explained = 1 - (residual_sd / sd) ** 2

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
axes.set(
    xlabel="np.var of the 1111×1111 product",
    ylabel="probability density",
    ylim=(0, None),
)
axes.legend(loc="upper right")
plt.show()
