r"""For any covariance the distribution is fixed by $2d$ numbers: the
eigenvalues of $A\Sigma$.

Two stacked panels for one covariance in 4 dimensions, drawn at random. Above,
the eight eigenvalues as vertical stems on an axis: four negative, four
positive. Below, the density of q·k that they give, over a simulated histogram:
a lopsided peak that fits it. A dashed bell curve with the published mean and
variance is clearly wider.
"""

# %%
import numpy as np
from moments import published, second_moment

rng = np.random.default_rng(2)
d, samples = 4, 40_000
# q = Bz, and k a turned q, mixed with q itself and with noise: w = L (z, z').
B, zero = rng.standard_normal((d, d)) / np.sqrt(d), np.zeros((d, d))
turns = np.kron(np.eye(d // 2), [[0, -1], [1, 0]])
L = np.block([[B, zero], [0.8 * turns @ B + 0.3 * B, 0.5 * np.eye(d)]])
cov = L @ L.T
blocks = cov[:d, :d], cov[d:, d:], cov[:d, d:]
A = np.kron([[0, 0.5], [0.5, 0]], np.eye(d))
# AΣ and the symmetric LᵀAL have the same eigenvalues.
eigenvalues = np.linalg.eigvalsh(L.T @ A @ L)

mean, variance = eigenvalues.sum(), 2 * np.sum(eigenvalues**2)
exact, printed = second_moment(*blocks), published(*blocks)
printed_variance = printed - mean**2

# E e^{itS} = Π (1 − 2iλt)^{−1/2}; back to the density by its integral.
t = np.linspace(0, 80, 4001)
transform = np.prod((1 - 2j * np.outer(eigenvalues, t)) ** -0.5, axis=0)
transform[0] /= 2  # the trapezoid rule
point, edges = np.linspace(-7, 7, 281), np.linspace(-7, 7, 57)
wave = np.exp(-1j * np.outer(point, t))
pdf = (wave @ transform).real * (t[1] - t[0]) / np.pi

w = rng.standard_normal((samples, 2 * d)) @ L.T
score = np.sum(w[:, :d] * w[:, d:], axis=1)
second, standard_error = np.mean(score**2), np.std(score**2) / samples**0.5
simulated = second, standard_error
histogram = np.histogram(score, edges)[0] / samples / np.diff(edges)

# %%
import matplotlib.pyplot as plt

fig, (top, bottom) = plt.subplots(
    2, 1, figsize=(6.4, 5.8), height_ratios=[0.35, 1]
)
for value in eigenvalues:
    top.plot([value, value], [0, 1], color="C0" if value > 0 else "C1")
    top.plot(value, 1, "o", color="C0" if value > 0 else "C1")
top.set(yticks=[], ylim=(0, 1.3), xlabel="eigenvalues of AΣ")
top.spines["left"].set_visible(False)
top.grid(visible=False)
bottom.stairs(histogram, edges, fill=True, color="C0", alpha=0.3)
bottom.plot(point, pdf)
bell = np.exp(-((point - mean) ** 2) / 2 / printed_variance)
bottom.plot(point, bell / np.sqrt(2 * np.pi * printed_variance), "C3--")
bottom.text(2.3, 0.16, "published mean\nand variance")
bottom.set(xlabel="q·k", ylabel="probability density", xlim=(-7, 7))
plt.show()

# %% says
assert len(eigenvalues) == 8, "Above, the eight eigenvalues"
assert eigenvalues[3] < 0 < eigenvalues[4], "four negative, four positive"
assert printed_variance > 2 * variance, "and variance is clearly wider"
assert abs(second - exact) < 2 * standard_error, "the simulated one"
