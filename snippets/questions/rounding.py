r"""RMSNorm gives short vectors up before an L2 norm with the same ε does: its
curve lies the root of d further right.

What is left of a coordinate of a normalised vector, as a share of 1, against
its size before, on a logarithmic axis from {= shortest :.0e} to
{= longest :.1f}, with an ε of {= epsilon :.0e} and 128 dimensions. Both curves
rise to 1. RMSNorm's is at a half where the coordinate is {= half_rms :.5f}, the
L2 norm's at {= half_l2 :.6f}, which is further left by {= forgotten :.1f}
times.
"""

# %%
import numpy as np
from scipy import stats


def bf16(x):
    """Round to the eight binary digits that bf16 keeps."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(fraction * 2**8) / 2**8, exponent)


# The factor by itself: one relative error for all logits.
sizes = (64, 72, 80, 96, 128, 192, 256, 512)
off = {d: bf16(d**-0.5) / d**-0.5 - 1 for d in sizes}
off_of_2 = {d: bf16(d**-0.5 / np.log(2)) / d**-0.5 * np.log(2) for d in sizes}
off_of_2 = {d: ratio - 1 for d, ratio in off_of_2.items()}
largest_off = max(map(abs, [*off.values(), *off_of_2.values()]))
off_128, off_72, off_64_of_2 = abs(off[128]), abs(off[72]), abs(off_of_2[64])

# A query that bf16 holds, times the factor, rounded again: an error for each
# coordinate. Per logit it is the root mean square, in units of the spread.
x = bf16(np.linspace(-6, 6, 600_001))
weight = stats.norm.pdf(x)


def again(d):
    """Return the spread of the error of a logit of spread 1."""
    error = bf16(x * d**-0.5) * d**0.5 - x
    return np.sqrt(error**2 @ weight / (x**2 @ weight))


rounded = {d: again(d) for d in (64, 128, 256)}
at_20 = 20 * rounded[128]
fine = np.linspace(-6, 6, 600_001)
once = (bf16(fine) - fine) ** 2 @ stats.norm.pdf(fine)
once = np.sqrt(once / (fine**2 @ stats.norm.pdf(fine)))  # rounding q itself
three_roundings = np.sqrt(3 / 2)  # of q, k and scaled q, to those of q and k

# RMSNorm adds ε to the mean of the squares, an L2 norm to their sum. Both times
# √d, for coordinates of size a, as a share of 1.
d, epsilon = 128, 1e-6


def left(a, added):
    """Return the size of a normalised coordinate."""
    return a / np.sqrt(a**2 + added)


rms = {a: left(a, epsilon) for a in (0.1, 0.001)}
l2 = {a: left(a, epsilon / d) for a in (0.1, 0.001)}
logit_rms, logit_l2 = rms[0.001] ** 2, l2[0.001] ** 2
same = epsilon / d

shortest, longest = 1e-5, 0.1
# Where a half is left, a²/(a² + ε) is a quarter.
half_rms, half_l2 = np.sqrt(epsilon / 3), np.sqrt(same / 3)

# Linear attention with a norm behind it: outputs of this size, and the same
# times 1/√d.
factor = 1 / np.sqrt(d)
small = 0.01
small_bare, small_scaled = left(small, epsilon), left(small * factor, epsilon)
usual_bare_and_scaled = left(1, epsilon), left(factor, epsilon)
# Between unit vectors in random directions, and times 1/√d.
cosine, cosine_scaled = d**-0.5, d**-0.5 * factor
forgotten = np.sqrt(d)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.2))
a = np.geomspace(shortest, longest, 300)
axes.semilogx(a, left(a, same), "C0")
axes.semilogx(a, left(a, epsilon), "C1")
axes.text(9e-5, 0.8, "L2 norm", color="C0", ha="right")
axes.text(1e-3, 0.5, "RMSNorm", color="C1")
axes.set(xlabel="size of a coordinate", ylabel="what is left of it")
axes.set(xticks=[1e-5, 1e-4, 1e-3, 0.01, 0.1], ylim=(0, 1.05))
axes.set(xticklabels=["0.00001", "0.0001", "0.001", "0.01", "0.1"])
axes.minorticks_off()
plt.show()

# %% says
assert np.allclose(left(np.array([half_rms, half_rms]), epsilon), 0.5), (
    "RMSNorm's is at a half where the coordinate is"
)
assert np.isclose(left(half_l2, same), 0.5), "the L2 norm's at"
assert np.isclose(half_rms / half_l2, np.sqrt(128)), (
    "with an ε of … and 128 dimensions"
)
assert np.isclose(half_rms / half_l2, forgotten), "further left by … times"
assert np.isclose(half_rms / half_l2, np.sqrt(d)), "curve lies the root of d"
grid = left(np.geomspace(shortest, longest, 99), epsilon)
assert grid[0] < 0.02 < 0.99 < grid[-1] < 1, "Both curves rise to 1"
assert np.all(np.diff(grid) > 0), "Both curves rise to 1"
assert rms[0.001] < l2[0.001], (
    "RMSNorm gives short vectors up before an L2 norm"
)
assert off[64] == off[256] == 0, "because there the factor is a power of two"
assert rounded[64] == rounded[256] == 0, "not at all for heads of 16, 64 or 256"
assert again(16) == 0, "not at all for heads of 16, 64 or 256"
assert rounded[128] > 0, "At 128 dimensions each … is rounded once more"
assert at_20 == 20 * rounded[128], "with a spread of 20 it is"
assert 0.95 < once / rounded[128] < 1.05, (
    "Rounding $q$ or $k$ to bf16 costs about the same"
)
assert three_roundings > 1.2, "so you have three such errors instead of two"
assert largest_off < 0.004, "so it is only a slightly different temperature"
assert off_128 < off_72, "is off by … and … by"
assert max(off_128, off_72) < rounded[128], "The factor itself matters less"
assert off_64_of_2 > 0 == off[64], "in it, it is off at 64 too"
assert abs(rms[0.1] - l2[0.1]) < 1e-4, "will not notice it with coordinates"
assert rms[0.001] < 0.8 < l2[0.001], "With coordinates of 0.001, RMSNorm leaves"
assert np.isclose(logit_rms, rms[0.001] ** 2), "has such a factor from each"
assert np.isclose(logit_l2, l2[0.001] ** 2), "A logit has such a factor from"
assert np.isclose(left(0.003, same), 0.003 / np.sqrt(9e-6 + 1e-6 / 128)), (
    r"equal, give RMSNorm $\varepsilon/d$"
)
assert min(usual_bare_and_scaled) > 0.999, "takes the factor out again"
assert small_scaled < 0.8 < 0.99 < small_bare, "unless outputs are as small"
assert np.isclose(cosine, 1 / np.sqrt(128)), "at 128 dimensions the products of"
assert np.isclose(cosine_scaled, 1 / 128), "and with the factor it is"
assert np.isclose(forgotten * factor, 1), (
    "If you forget the factor, outputs are"
)
