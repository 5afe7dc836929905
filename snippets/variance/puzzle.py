r"""A variance of 1.6 from two 2×2 arrays is an ordinary draw: at that size they
scatter widely.

Two stacked panels of probability densities of np.var of the product of two 2×2
arrays, exact curves over simulated histograms. Above, Gaussian entries: the
density is highest near 0 and has a long tail to the right, cut off at 4;
vertical lines mark the median below 1, the mean {= exact_mean }, the asker's
1.6 and d_k = 2. Below, arrays standardised to mean 0 and variance 1 exactly: a
broad hump that ends at 4, with median and mean a little right of 1.6 and left
of 2.
"""

# %%
import numpy as np
from sample_variance import expected, expected_if_standardised, variance
from scipy.optimize import brentq
from two_by_two import cdf, standardised_cdf

observed, naive = 1.6, 2  # what the asker saw, and d_k
exact_mean, exact_variance = expected(2, 2, 2), variance(2, 2, 2)
exact_sd = np.sqrt(exact_variance)
median = brentq(lambda v: cdf(v) - 0.5, 0.1, 2)
percentile_of_1_6 = 100 * cdf(observed)
# np.var(QK/√2) = V/2
scaled_mean, scaled_percentile = exact_mean / 2, 100 * cdf(2 * observed)

standardised_exact_mean = expected_if_standardised(2, 2, 2)
standardised_median = brentq(lambda v: standardised_cdf(v) - 0.5, 1, 3)
standardised_percentile = 100 * standardised_cdf(observed)
# For the reader to draw: bins from 0 to 4d, and how much of the exact
# distribution of n×m products of d terms lies below the end of each.
shape, times = [2, 2, 2], 4
ends = times * shape[2] * np.arange(1, 41) / 40
explore = {
    "shape": shape,
    "times": times,
    "below": cdf(ends).round(5),
    "observed": observed,
}
constant_signs = 2 / 2**4  # of all 2×2 arrays of signs

rng, samples = np.random.default_rng(0), 40_000
Q, K = rng.standard_normal((2, samples, 2, 2))
raw = np.var(Q @ K, axis=(1, 2))
Q, K = (
    (A - A.mean((1, 2), keepdims=True)) / A.std((1, 2), keepdims=True)
    for A in (Q, K)
)
standardised = np.var(Q @ K, axis=(1, 2))
mean, sd, standard_error = raw.mean(), raw.std(), raw.std() / np.sqrt(samples)
standardised_mean = standardised.mean()
standardised_standard_error = standardised.std() / np.sqrt(samples)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 1, figsize=(6.4, 5.8))
edges = np.linspace(0, 4, 81)
exact = [cdf(edges[1:]), standardised_cdf(edges[1:], nodes=40)]
titles = [
    "Gaussian 2×2 arrays",
    "2×2 arrays standardised to mean 0, variance 1",
]
marks = [(median, exact_mean), (standardised_median, standardised_exact_mean)]
data = [raw, standardised]
width = edges[1] - edges[0]
for axes, title, law, values, mark in zip(
    panels, titles, exact, data, marks, strict=True
):
    share = np.histogram(values, edges)[0] / samples
    axes.stairs(share / width, edges, fill=True, alpha=0.35)
    axes.plot(
        (edges[1:] + edges[:-1]) / 2, np.diff(law, prepend=0) / width, "C0"
    )
    axes.axvline(
        mark[0], color="C4", linestyle=":", label=f"median {mark[0]:.2f}"
    )
    axes.axvline(
        mark[1], color="C2", linestyle="--", label=f"mean {mark[1]:.2f}"
    )
    axes.axvline(observed, color="C1", label=f"the asker’s {observed}")
    axes.axvline(naive, color="C3", linestyle="-.", label=f"$d_k$ = {naive}")
    axes.set(
        title=title,
        ylabel="probability density",
        ylim=(0, 1.1),
    )
panels[1].set_xlabel("np.var of the product")
panels[0].legend()
panels[1].legend(loc="upper left")
plt.show()

# %% says
assert 5 < percentile_of_1_6 < 95, "is a draw like any other"
drawn = [np.mean(raw < median), np.mean(raw < observed)]
assert np.allclose(drawn, [0.5, percentile_of_1_6 / 100], atol=0.01), (
    "half of all experiments give less than … and … give less than"
)
chance = np.diff(explore["below"], prepend=0)
assert np.argmax(chance) == 0, "the density is highest near 0"
assert median < 1, "vertical lines mark the median below 1"
assert cdf(4) < 0.99, "has a long tail to the right, cut off at 4"
assert 1 - exact_mean / 2 == 1 / 4, "the bias there is a quarter"
assert exact_mean < 2, "the mean of many is not 2"
assert scaled_mean < 1, "the average is … for the same reason, and not 1"
assert scaled_percentile > percentile_of_1_6, "Then … of all results lie below"

assert abs(standardised_exact_mean - 16 / 9) < 1e-9, "the average becomes $16/9"
assert standardised.max() <= 4 + 1e-9, (
    "exceeds … = 4 (the sums of the squares of all entries are 4 each)"
)
assert np.isclose(
    np.mean(standardised < observed), standardised_percentile / 100, atol=0.01
), "and for Gaussian entries … of all results lie below"
centres = np.array([standardised_median, standardised_exact_mean])
assert np.all((observed < centres) & (centres < naive)), (
    "a little right of 1.6 and left of 2"
)
assert abs(standardised.max() - 4) < 0.1, "a broad hump that ends at 4"

assert exact_mean < expected(8, 2, 8) < 2, (
    "times a 2×8 one will come closer to 2 on average"
)
assert variance(8, 2, 8) < exact_variance, "and scatter less"

# Of the questions.
assert exact_mean < naive, "so its average is … instead of 2"
assert abs(drawn[1] - percentile_of_1_6 / 100) < 0.01, (
    "of all experiments give less than 1.6"
)
assert scaled_mean < 1, "of four of them still averages only"
