"""The root is the square of a Gaussian kernel's bandwidth, if keys are of one
length, and that bandwidth is small beside the distances."""

# %%
import numpy as np

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

# %% says
assert np.isclose(bandwidth, d ** (1 / 4)), "so the bandwidth is $d^{1/4}$"
assert np.isclose(distance, np.sqrt(2) * np.sqrt(d)), "and random vectors are"
assert bandwidth < distance / 3, "So the kernel is narrow beside the distances"
assert np.isclose(gamma, 1 / (2 * np.sqrt(d))), r"$\gamma = 1/(2\sqrt d)$"
assert of_median < of_scale < 1, "which leaves logits a spread of"
assert np.isclose(of_median, 1 / (2 * np.sqrt(d))), "to divide by $2d$"
assert np.isclose(divisor_of_median, 2 * d), "means to divide by"
assert of_median < 0.1, "is nearly the plain average"
assert np.isclose(gaussian, np.sqrt(3 / 2)), "its logits have a spread of"
