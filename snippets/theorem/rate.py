r"""A bell curve fits $q\cdot k$ with an error of order $1/d$ if $\rho = 0$, and
of order $1/\sqrt{d}$ otherwise.

The largest distance between the exact distribution function and that of the
Gaussian with the same mean and variance, against the number of dimensions from
{= dims[0] } to {= dims[-1] }, on logarithmic axes. Without correlation it falls
along the dashed guide {= fourth :.3f }/d; with correlation 0.5 along the dashed
guide {= third :.3f }/√d, far above.
"""

# %%
import numpy as np
from mixture import cdf
from scipy.special import ndtr

dims = (4 ** np.arange(1, 6)).tolist()
z = np.linspace(-4, 4, 801)
distance = {}
for rho in [0, 0.5]:
    distance[rho] = {}
    for d in dims:
        s = rho * d + z * np.sqrt(d * (1 + rho**2))
        distance[rho][d] = np.max(np.abs(cdf(s, d, rho) - ndtr(z)))


def bell(z):
    """Return the standard Gaussian density."""
    return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


# Edgeworth's first terms: the fourth cumulant if ρ = 0, else the third.
at = np.sqrt(3 - np.sqrt(6))
fourth = abs(at**3 - 3 * at) * bell(at) / 4
skewness = {rho: (6 * rho + 2 * rho**3) / (1 + rho**2) ** 1.5 for rho in [0.5]}
third = skewness[0.5] / 6 * bell(0)
at_64 = {0: distance[0][64] * 64, 0.5: distance[0.5][64] * np.sqrt(64)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
n = np.array(dims)
for number, rho in enumerate(distance):
    axes.loglog(n, distance[rho].values(), "o", color=f"C{number}")
axes.plot(n, fourth / n, "--", color="C0")
axes.plot(n, third / np.sqrt(n), "--", color="C1")
axes.text(64, 0.028, f"ρ = 0.5: {third:.3f}/√d")
axes.text(64, 0.0034, f"ρ = 0: {fourth:.3f}/d")
axes.set(xticks=n, xticklabels=n, yticks=[1e-4, 1e-3, 1e-2, 1e-1])
axes.set(xlabel="dimensions d", ylabel="distance from the Gaussian")
axes.minorticks_off()
plt.show()

# %% says
assert abs(distance[0][1024] * 1024 / fourth - 1) < 0.05, (
    "Without correlation it falls along the dashed guide"
)
assert abs(distance[0.5][1024] * 32 / third - 1) < 0.05, (
    "with correlation 0.5 along the dashed guide"
)
for d in dims[1:]:
    assert distance[0.5][d] > 2 * distance[0][d], "the dashed guide … far above"
