r"""At small $d$ the scaled score has a sharper peak and heavier tails than a
bell curve.

Two stacked panels. Above, the density of q·k/√d for 1, 4 and 16 dimensions,
exact curves over simulated histograms, and a dashed Gaussian: the peak is
infinite for 1 dimension and sinks towards the Gaussian, which the curve for 16
dimensions almost meets. Below, the excess kurtosis on logarithmic axes: it
falls on the straight line 6/d, from {= kurtosis[1] :.0f } at 1 dimension to
less than a tenth at 64.
"""

# %%
import numpy as np
from dot_product import density
from scipy.stats import norm

rng = np.random.default_rng(0)
samples = 40_000
point, edges = np.linspace(-3.5, 3.5, 300), np.linspace(-3.5, 3.5, 36)
pdf, histogram, kurtosis = {}, {}, {}
simulated_kurtosis, kurtosis_standard_error = {}, {}
# s = root² up to 25: the step shrinks where d = 1 has its peak.
root = np.linspace(0, 5, 500)
for d in [1, 2, 4, 16, 64]:
    scale = np.sqrt(d)
    pdf[d] = density(point * scale, d) * scale
    # Twice, for both sides of 0; ds = 2 root.
    weight = 2 * density(root**2 * scale, d) * scale * 2 * root
    second, fourth = (
        np.trapezoid(root ** (2 * power) * weight, root) for power in (2, 4)
    )
    kurtosis[d] = fourth / second**2 - 3  # excess: 0 for a Gaussian

    q, k = rng.standard_normal((2, samples, d))
    score = np.sum(q * k, axis=1) / scale
    histogram[d] = np.histogram(score, edges)[0] / samples / np.diff(edges)
    score /= score.std()
    simulated_kurtosis[d] = np.mean(score**4) - 3
    influence = score**4 - 2 * np.mean(score**4) * score**2
    kurtosis_standard_error[d] = np.std(influence) / np.sqrt(samples)

# %%
import matplotlib.pyplot as plt

fig, (law, tail) = plt.subplots(2, 1, figsize=(6.4, 6.4), height_ratios=[3, 2])
for d, colour in [(1, "C0"), (4, "C1"), (16, "C2")]:
    law.stairs(histogram[d], edges, fill=True, alpha=0.25, color=colour)
    law.plot(point, pdf[d], color=colour, label=f"d = {d}")
law.plot(point, norm.pdf(point), "C3--", label="Gaussian")
law.set(xlabel="q·k / √d", ylabel="probability density", ylim=(0, 1.2))
law.legend()

dims = list(kurtosis)
tail.loglog(dims, 6 / np.array(dims), label="6/d")
tail.plot(
    dims,
    kurtosis.values(),
    "s",
    markersize=8,
    fillstyle="none",
    label="quadrature",
)
errors = 2 * np.array(list(kurtosis_standard_error.values()))
dots = simulated_kurtosis.values()
tail.errorbar(dims, dots, errors, fmt=".", label="simulated, ± 2 std. errors")
tail.set(
    xlabel="dimensions d",
    ylabel="excess kurtosis",
    xticks=dims,
    xticklabels=dims,
)
tail.minorticks_off()
tail.legend()
plt.show()

# %% says
assert pdf[1].max() > pdf[4].max() > pdf[16].max(), "sinks towards the Gaussian"
assert pdf[16].max() > norm.pdf(0), "the scaled score has a sharper peak"
assert pdf[16].max() < 1.1 * norm.pdf(0), "16 dimensions almost meets"
for d in kurtosis:
    assert kurtosis[d] > 0, "heavier tails than a bell curve"
    assert kurtosis[d] > 0, "The tails are heavier than a Gaussian's"
    assert abs(kurtosis[d] - 6 / d) < 1e-4, "falls on the straight line 6/d"
assert kurtosis[64] < 1 / 10, "to less than a tenth at 64"
