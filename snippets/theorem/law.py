r"""Correlation moves the whole distribution of $q\cdot k$ to the right, and
makes it wider and lopsided.

Two stacked panels. Above, exact densities of q·k in 16 dimensions for
correlations 0, 0.3, 0.6 and 0.9, with simulated dots on them: the first is
symmetric about 0, the others have their peaks further right, are lower and
wider, and lean to the left with a longer tail on the right. Below, on
logarithmic axes, the probability that the score is negative, against the number
of dimensions, for correlations 0.03, 0.1 and 0.3: one half or a little less at
first, it falls to nothing, and the sooner the larger the correlation. A dashed
bound for each starts near 1, stays above its curve and bends down with it.
"""

# %%
import numpy as np
from mixture import density
from scipy.special import betainc

rng = np.random.default_rng(0)
d, samples = 16, 40_000
point, edges = np.linspace(-16, 40, 400), np.linspace(-16, 40, 57)


def draw(d, rho, samples):
    """Draw q·k for C = ρI from two χ² numbers each."""
    X, Y = rng.chisquare(d, (2, samples))
    return ((1 + rho) * X - (1 - rho) * Y) / 2


pdf, histogram = {}, {}
for rho in [0, 0.3, 0.6, 0.9]:
    pdf[rho] = density(point, d, rho)
    counts = np.histogram(draw(d, rho, samples), edges)[0]
    histogram[rho] = counts / samples / np.diff(edges)

dims = [4, 16, 64, 256, 1024, 4096]
negative, negative_simulated = {}, {}
for rho in [0.03, 0.1, 0.3]:
    negative[rho], negative_simulated[rho] = {}, {}
    for n in dims:
        negative[rho][n] = betainc(n / 2, n / 2, (1 - rho) / 2)
        negative_simulated[rho][n] = np.mean(draw(n, rho, samples) < 0)
weak = 0.1
mean_at_64, spread_at_64 = weak * 64, np.sqrt(64 * (1 + weak**2))
# The least of E exp(tS) over t < 0.
chernoff = {rho: {n: (1 - rho**2) ** (n / 2) for n in dims} for rho in negative}

# %%
import matplotlib.pyplot as plt

fig, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 6.6))
centres = (edges[1:] + edges[:-1]) / 2
for number, rho in enumerate(pdf):
    colour = f"C{number}"
    top.plot(point, pdf[rho], color=colour)
    top.plot(centres, histogram[rho], ".", markersize=4, color=colour)
top.text(-1.7, 0.1, "ρ = 0", ha="right")
for rho, place in [(0.3, (5.2, 0.1)), (0.6, (9, 0.09)), (0.9, (14.5, 0.077))]:
    top.text(*place, f"ρ = {rho}")
top.set(xlabel="q·k in 16 dimensions", ylabel="probability density")
top.set(ylim=(0, 0.125), yticks=[0, 0.05, 0.1])

n = np.unique(np.geomspace(4, 4096, 200).round())
for rho, colour in [(0.03, "C5"), (0.1, "C4"), (0.3, "C1")]:
    chance = betainc(n / 2, n / 2, (1 - rho) / 2)
    bottom.loglog(n, chance, color=colour)
    bottom.plot(n, (1 - rho**2) ** (n / 2), "--", color=colour, linewidth=1)
    dots = {m: p for m, p in negative_simulated[rho].items() if p > 0}
    bottom.plot(dots.keys(), dots.values(), "o", color=colour)
for rho, place in [(0.03, (4000, 0.01)), (0.1, (600, 6e-4)), (0.3, (55, 2e-3))]:
    bottom.text(*place, f"ρ = {rho}", ha="right")
bottom.set(xticks=dims, xticklabels=dims, ylim=(2e-4, 1))
bottom.set(xlabel="dimensions d", ylabel="chance that q·k < 0")
bottom.minorticks_off()
plt.show()

# %% says
peaks = [point[pdf[rho].argmax()] for rho in pdf]
assert np.all(np.diff(peaks) > 0), "the others have their peaks further right"
heights = [pdf[rho].max() for rho in pdf]
assert np.all(np.diff(heights) < 0), "are lower and wider"
for rho in [0.3, 0.6, 0.9]:
    mean = np.average(point, weights=pdf[rho])
    third = np.average((point - mean) ** 3, weights=pdf[rho])
    assert third > 0, "makes it wider and lopsided"
    assert third > 0, "with a longer tail on the right"
for rho in negative:
    chance = [*negative[rho].values()]
    assert np.all(np.diff(chance) < 0), "at first, it falls to nothing"
    low = np.array([*chernoff[rho].values()])
    assert np.all(low > chance), "bound for each … stays above its curve"
    far = np.log(low[-3:]) / np.log(chance[-3:])
    assert np.all(np.diff(far) > 0), "the quotient of the two logarithms tends"
assert 0.4 < negative[0.03][4] < 1 / 2, "one half or a little less at first"
at_64 = [negative[rho][64] for rho in (0.03, 0.1, 0.3)]
assert np.all(np.diff(at_64) < 0), "the sooner the larger the correlation"
assert negative[0.1][64] > 1 / 5, "of the scores, more than one in five, still"
assert mean_at_64 < spread_at_64, "So 0 lies less than one standard deviation"
