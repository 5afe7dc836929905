r"""With correlation 0.3 the score over $d$ closes in on 0.3, inside the bound.
The score $d\,z_1z_2$, whose variance is $d^2$, never settles.

The score divided by d against the number of dimensions, from {= dims[0] } to
{= dims[-1] }, on a logarithmic axis. A filled band holds 98% of the scores of
queries and keys with correlation 0.3 in each coordinate: wide at {= dims[0] }
dimensions, from {= band[0, 0] :.1f } to {= band[0, 1] :.1f }, it narrows around
0.3 to less than a tenth on either side. Two dashed lines around it, the bound,
close in as well. Two dotted lines, which hold 98% of the scores d z₁z₂, stay
level at about {= never[1] :.0f } on either side of 0.
"""

# %%
import numpy as np
from mixture import cdf

rho, within = 0.3, 0.98
dims = [4, 8, 16, 32, 64, 128, 256, 512, 1024]
z = np.linspace(-8, 12, 2001)


def middle(d, rho):
    """Return the two scores between which 98% of all lie."""
    sd = np.sqrt(d * (1 + rho**2))
    s = rho * d + z * sd
    return np.interp([(1 - within) / 2, (1 + within) / 2], cdf(s, d, rho), s)


band = np.array([middle(d, rho) / d for d in dims])
level = np.log(2 / (1 - within))  # ℓ, so that 2 exp(−ℓ) is the rest
# The eigenvalues are (ρ + 1)/2 and (ρ − 1)/2, each d times.
largest = (1 + rho) / 2
bound = np.array(
    [
        (np.sqrt(2 * level * d * (1 + rho**2)) + 2 * level * largest) / d
        for d in dims
    ]
)
never = middle(1, 0.0)  # z₁z₂, and d z₁z₂ over d at every d

# With q₁ = d^¼ z₁ an eigenvalue of Σ grows like √d, and Var S = o(d²) still:
# the standard deviation of S/d.
grows = {d: np.sqrt((1 + rho**2) * (d - 1 + np.sqrt(d))) / d for d in dims}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.fill_between(dims, *band.T, color="C0", alpha=0.35)
axes.semilogx(dims, rho + bound, "--", color="C1")
axes.plot(dims, rho - bound, "--", color="C1")
for value in never:
    axes.axhline(value, linestyle=":", color="C4", linewidth=2)
axes.text(5, 0.3, "98% of scores", va="center")
axes.text(22, 1.6, "bound", color="C1")
axes.text(1000, 2.9, "98% of d z₁z₂", color="C4", ha="right", va="top")
ticks = [4, 16, 64, 256, 1024]
axes.set(xticks=ticks, xticklabels=ticks, ylim=(-3.2, 3.8))
axes.set(xlabel="dimensions d", ylabel="q·k / d")
axes.minorticks_off()
plt.show()

# %% says
assert np.all(np.diff(band[:, 1] - band[:, 0]) < 0), (
    "closes in on 0.3, inside the bound"
)
assert np.all(abs(band[-1] - 0.3) < 0.1), "to less than a tenth on either side"
assert np.all(abs(band - 0.3) < bound[:, np.newaxis]), "around it, the bound"
assert np.all(np.diff(bound) < 0), "the bound, close in as well"
assert np.all(np.diff([*grows.values()]) < 0), "and still $S/d$ settles"
assert grows[1024] < 1.1 * np.sqrt(1 + rho**2) / 32, "and still $S/d$ settles"
assert np.isclose(never[0], -never[1]), "level at about … on either side of 0"
