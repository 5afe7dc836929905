r"""The mean decays like $1/\sqrt{d}$, because near-ties get rarer no faster.
The median decays exponentially.

The squared norm of the Jacobian for 16 keys and undivided scores, on
logarithmic axes, against the number of dimensions from 1 to {= dims[-1] :.0f }.
The mean square falls slowly and joins a dashed straight line of slope minus a
half. The median starts at the same height, bends down at about thirty
dimensions and leaves the picture, five powers of ten lower, near five hundred.
"""

# %%
import numpy as np
from gaussian_logits import jacobian_square, largest, mean_maximum, trace
from largest_keys import draw_evenly, jacobian_norm

n, dims = 16, 2.0 ** np.arange(0, 12.5, 0.5)
mean_square = np.array([jacobian_square(n, np.sqrt(d)) for d in dims])
limit = mean_maximum(n) / (3 * np.sqrt(dims))

top = draw_evenly(n)
square = np.array([jacobian_norm(top, n, np.sqrt(d)) ** 2 for d in dims])
median = np.median(square, axis=1)

# How the mean at d = 64 comes about: the draws with the closest two keys.
at_64 = np.sort(square[dims == 64][0])[::-1]
tenth_at_64 = at_64[: len(at_64) // 10].sum() / at_64.sum()
at_4096 = np.sort(square[dims == 4096][0])[::-1]
tenth_at_4096 = at_4096[: len(at_4096) // 10].sum() / at_4096.sum()

# σ/m_n times these means tends to 1, 1/3 and ln 2: the ratios to that.
to_limit = {}
for s in (8, 64):
    scale = s / mean_maximum(n)
    to_limit[s] = {
        "trace": scale * trace(n, s),
        "square": 3 * scale * jacobian_square(n, s),
        "rest": scale * (1 - largest(n, s)) / np.log(2),
    }

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
axes.loglog(dims, mean_square)
axes.plot(dims[8:], limit[8:], "--", color="C3")
axes.plot(dims, median, color="C1")
axes.text(1500, 0.004, "mean", color="C0", ha="center")
axes.text(70, 0.13, "m₁₆/(3√d)", color="C3")
axes.text(160, 3e-5, "median", color="C1", ha="right")
axes.set(xlabel="dimensions d, undivided scores", ylabel="‖J‖² for 16 keys")
axes.set(ylim=(1e-6, 0.5))
axes.set_xticks(
    [1, 16, 64, 256, 1024, 4096], ["1", "16", "64", "256", "1024", "4096"]
)
axes.minorticks_off()
plt.show()

# %% says
rate = np.diff(np.log(median[-9::4])) / np.diff(np.sqrt(dims[-9::4]))
assert np.all(abs(rate / rate[0] - 1) < 0.05), (
    "median gradient falls exponentially"
)
assert np.all(abs(mean_square[-5:] / limit[-5:] - 1) < 0.05), (
    "So the mean falls like … and no faster"
)
slope = np.diff(np.log(mean_square)) / np.diff(np.log(dims))
assert min(slope) > -0.51, "because near-ties get rarer no faster"
assert np.all(slope[8:] < 0), "The mean square falls slowly and joins"
assert abs(slope[-1] + 1 / 2) < 0.02, "straight line of slope minus a half"
assert abs(median[0] - mean_square[0]) < 0.002, (
    "median starts at the same height"
)
leaves = dims[median < 1e-6][0]
assert 400 < leaves < 600, "five powers of ten lower, near five hundred"
