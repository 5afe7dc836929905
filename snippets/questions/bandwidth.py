r"""The root is the square of a Gaussian kernel's bandwidth, and random vectors
lie farther apart.

Against the distance of a query and a key, from 0 to {= most :.0f }: a shaded
hump, which tells how often random vectors of length {= long :.0f } are so far
apart. It is narrow and lies around {= distance :.1f }. A falling curve, the
kernel with the bandwidth of the root, {= bandwidth :.1f }, is almost 0 before
it comes there. A second, with the median distance as its bandwidth, is at
{= at_median :.2f } there.
"""

# %%
import numpy as np
from scipy import stats

d = 64
# exp(−|q − k|²/(2h²)) = exp(q·k/h²) · a factor of the row, for keys of one
# length: so h² is the divisor.
bandwidth = np.sqrt(np.sqrt(d))
distance = np.sqrt(2 * d)  # of random vectors, in the root mean square
ratio = distance / bandwidth
# RBF kernels of libraries are exp(−γ|q − k|²).
gamma = 1 / (2 * bandwidth**2)


def spread_with(gamma):
    """Return the spread of the logits 2γ q·k in a row."""
    return 2 * gamma * np.sqrt(d)


# γ = 1/(d · variance) is scikit-learn's "scale"; the median heuristic takes
# the distance itself as h.
of_scale = spread_with(1 / d)
of_median = spread_with(1 / (2 * distance**2))
divisor_of_median = distance**2
# A key whose squared length is one standard deviation, √(2d), above another's
# loses this much, in units of the logit's spread 1, for being long.
penalty = np.sqrt(2 * d) / 2 / bandwidth**2
gaussian = np.sqrt(1 + penalty**2)  # the spread of −|q − k|²/(2h²) in a row

long = np.sqrt(d)
most = 2 * long  # that two of them can be apart
# The cosine of random directions has (1 + cos)/2 Beta distributed, and the
# squared distance of two vectors of length √d is 2d(1 − cos).
r = np.linspace(0, most, 400)[1:-1]
beta = (d - 1) / 2
density = stats.beta.pdf(1 - r**2 / (4 * d), beta, beta) * r / (2 * d)
kernel = {h: np.exp(-(r**2) / (2 * h**2)) for h in (bandwidth, distance)}
at_root, at_median = (np.exp(-(ratio**2) / 2), np.exp(-1 / 2))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
axes.fill_between(r, 0, density / density.max() * 0.9, color="0.8", linewidth=0)
axes.plot(r, kernel[bandwidth], "C0")
axes.plot(r, kernel[distance], "C1")
axes.text(3.4, 0.55, "h² = √d", color="C0")
axes.text(5.4, 0.95, "h = median distance", color="C1")
axes.text(12.3, 0.7, "how often")
axes.set(xlabel="distance of query and key", ylabel="kernel", ylim=(0, 1.08))
axes.set(xticks=[0, 4, 8, 12, 16], yticks=[0, 0.5, 1])
plt.show()

# %% says
assert np.isclose(bandwidth, d ** (1 / 4)), "so the bandwidth is $d^{1/4}$"
assert np.isclose(distance, np.sqrt(2) * np.sqrt(d)), "and random vectors are"
assert at_root < 0.001, "is almost 0 before it comes there"
assert bandwidth < distance / 3, "So the kernel is narrow beside the distances"
assert density[r < bandwidth].max() < 1e-9, "random vectors lie farther apart"
assert r[np.argmax(density)] > 10, "narrow and lies around"
assert np.all(np.diff(kernel[bandwidth]) < 0), "A falling curve, the kernel"
assert np.isclose(gamma, 1 / (2 * np.sqrt(d))), r"$\gamma = 1/(2\sqrt d)$"
assert of_median < of_scale < 1, "which leaves logits a spread of"
assert np.isclose(of_median, 1 / (2 * np.sqrt(d))), "to divide by $2d$"
assert np.isclose(divisor_of_median, 2 * d), "means to divide by"
assert 1 / of_scale > 3, "Two rules of thumb for kernel machines are much wider"
assert of_median < 0.1, "is nearly the plain average"
assert np.isclose(gaussian, np.sqrt(3 / 2)), "its logits have a spread of"
