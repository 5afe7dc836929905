r"""Three undivided scores at $d = 64$ lie within {= example_range } of each
other in one draw of fifteen.

Two stacked panels for three independent Gaussian scores of standard deviation
8. Above, the density of their range, a hump around 11; the small part up to
{= example_range }, the range of the example, is filled. Below, the share of
draws whose largest weight is at most a given value: it stays low up to nine
tenths, where the example is marked at a fifth of the draws, and most of it
rises at the very end: more than half of all draws lie above 0.99.
"""

# %%
import numpy as np
from scipy.special import softmax
from scipy.stats import norm

sigma, scores = 8.0, np.array([14, 10, 12])
example_range, example_sd = np.ptp(scores), np.std(scores, ddof=1)
example_weight = softmax(scores).max()
# The article's fraction for the third weight, from its own decimals.
printed_fraction = 4.482 / 13.727

# The gaps a (first to second) and b (second to third) of three Gaussians have
# this density; the midpoint rule on a grid of both.
step = 0.05
gap = step * (np.arange(1200) + 0.5)
a, b = gap[:, np.newaxis], gap
density = np.exp(-(a**2 + a * b + b**2) / (3 * sigma**2))
mass = density * 6 / (2 * np.pi * np.sqrt(3) * sigma**2) * step**2

# P(range ≤ r) = 3 ∫ φ(x) (Φ(x + r) − Φ(x))² dx: x is the smallest score.
width, x = np.linspace(0, 40, 401), np.arange(-9, 9, 0.05)[:, np.newaxis]
between = norm.cdf(x + width / sigma) - norm.cdf(x)
range_cdf = 3 * 0.05 * np.sum(norm.pdf(x) * between**2, axis=0)
p_range_4 = np.interp(example_range, width, range_cdf)
mean_range = np.sum((a + b) * mass)

largest = 1 / (1 + np.exp(-a) + np.exp(-a - b))
p_weight_example = mass[largest <= example_weight].sum()
weight = 1 - np.geomspace(2 / 3, 1e-15, 1200)
share = np.cumsum(np.histogram(largest, weight, weights=mass)[0])
median_weight = np.interp(0.5, share, weight[1:])

# %%
import matplotlib.pyplot as plt

fig, (above, below) = plt.subplots(2, 1, figsize=(6.4, 5.6))
centre, pdf = (width[1:] + width[:-1]) / 2, np.diff(range_cdf) / 0.1
above.plot(centre, pdf)
above.fill_between(centre, pdf, where=centre <= example_range, alpha=0.4)
above.text(4.6, 0.004, f"{p_range_4:.1%} of all draws", va="bottom")
above.set(xlabel="range of the three scores", ylabel="density", ylim=(0, None))
below.plot(weight[1:], share)
below.plot(example_weight, p_weight_example, "o", color="C1", markersize=8)
below.text(
    example_weight - 0.02,
    p_weight_example + 0.05,
    f"the example: {p_weight_example:.0%}",
    ha="right",
)
below.set(xlabel="largest weight", ylabel="share of draws up to it")
below.set(ylim=(0, 1))
plt.show()

# %% says
third = softmax(scores / 8)[2]
assert round(third, 3) == 0.326 < round(4.482 / 13.727, 3), (
    "Its last fraction, 4.482/13.727, would be …; the exact terms give its .326"
)
assert sigma == np.sqrt(64), "Three undivided scores at d = 64 lie within"
assert round(1 / p_range_4) == 15, "of each other in one draw of fifteen"
hump = centre[pdf.argmax()]
assert round(hump) == 11, "of their range, a hump around 11"
assert abs(example_weight - 9 / 10) < 0.05, "it stays low up to nine tenths"
assert abs(p_weight_example - 1 / 5) < 0.01, "marked at a fifth of the draws"
assert np.interp(0.99, weight[1:], share) < 1 / 2, (
    "it rises at the very end: more than half of all draws lie above 0.99"
)
assert example_sd < np.sqrt(64) / 3, "d_k = 64 the three scores are unusual"
assert np.interp(4, width, range_cdf) == p_range_4, (
    "They lie within … of each other in"
)
assert example_weight < median_weight, (
    "the example is milder than the usual case, … article's point is stronger"
)
