r"""The spread of $q\cdot k$ grows with $d$; divided by $\sqrt{d}$ it is the
same for every $d$.

Two stacked panels of density curves for 4, 16, 64 and 256 dimensions. Above,
the density of the dot product: a tall narrow peak at 4 dimensions, ever lower
and wider up to 256. Below, the density of the dot product over √d: four curves
that nearly coincide in one bell, the one for 4 dimensions a little more
pointed.
"""

# %%
import numpy as np
from dot_product import density

dims = [4, 16, 64, 256]
# Up to ten standard deviations of the widest law.
score = np.linspace(-160, 160, 1601)
step = score[1] - score[0]
pdf = {d: density(score, d) for d in dims}

# Symmetric about 0: its variance is the mean square.
std = {d: np.sqrt(np.sum(pdf[d] * score**2) * step) for d in dims}
std_scaled = {d: std[d] / np.sqrt(d) for d in dims}
mean_size = {d: np.sum(pdf[d] * np.abs(score)) * step for d in dims}
growth = mean_size[64] / mean_size[4]

# %%
import matplotlib.pyplot as plt

fig, (raw, scaled) = plt.subplots(2, 1, figsize=(6.4, 5))
for d in dims:
    raw.plot(score, pdf[d], label=f"d = {d}")
    scaled.plot(score / np.sqrt(d), pdf[d] * np.sqrt(d), label=f"d = {d}")
raw.set(xlim=(-50, 50), xlabel="q·k", ylabel="density", ylim=(0, None))
scaled.set(
    xlim=(-5, 5),
    xlabel="q·k / √d",
    ylabel="density",
    ylim=(0, None),
)
raw.legend()
scaled.legend()
plt.show()

# %% says
assert np.all(np.diff([*std.values()]) > 0), "spread of … grows with d"
same = np.array([*std_scaled.values()])
assert np.all(abs(same - 1) < 1e-3), "it is the same for every d"
heights = [pdf[d].max() for d in dims]
assert np.all(np.diff(heights) < 0), "at 4 dimensions, ever lower and wider"
assert heights[0] * 2 > heights[1] * 4, "for 4 dimensions a little more pointed"
assert dims[2] / dims[0] == 16, "From 4 to 64 dimensions, sixteen times as many"
assert growth < 16 / 3, "themselves do not grow like d_k"

# Of the front page.
assert np.isclose(std[256], 2 * std[64], rtol=1e-3), (
    "and with four times as many products by twice as much"
)

# Of the questions.
assert dims[2] / dims[0] == 16, "as large for sixteen times as many dimensions"
assert abs(growth - 4) < 1 / 2, "about four times as large for sixteen"
