r"""A weak correlation changes little in small heads and nearly everything in
large ones: around $1 + 1/\rho^2$ dimensions the size of a score turns from
growth like $\sqrt{d}$ to growth like $d$.

The root mean square of q·k against the number of dimensions from {= dims[0] }
to {= dims[-1] }, on logarithmic axes. A straight line of slope one half for
independent vectors; a steeper line for k = q, straight but for the first few
dimensions; and between them curves for correlations 0.1 and 0.03 that leave the
first line and become parallel to the second. A ring on each of the two marks
where the mean is as large as the spread. Simulated dots lie on all of them.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
dims = np.unique((2 ** np.arange(0, 14.1, 0.25)).round()).astype(int).tolist()
correlations, samples = [0, 0.03, 0.1, 1], 2000

aligned, other, rms, slope = ({r: {} for r in correlations} for _ in range(4))
simulated, standard_error = ({r: {} for r in correlations} for _ in range(2))
for rho in correlations:
    for d in dims:
        # (tr C)² against tr(Σ_q Σ_k) + tr(C²), for C = ρI.
        aligned[rho][d], other[rho][d] = (rho * d) ** 2, d + rho**2 * d
        x = aligned[rho][d] / other[rho][d]  # d/d*
        rms[rho][d] = np.sqrt(aligned[rho][d] + other[rho][d])
        slope[rho][d] = (1 + x / (1 + x)) / 2
    for d in dims[::8]:
        X, Y = rng.chisquare(d, (2, samples))
        square = ((1 + rho) * X - (1 - rho) * Y) ** 2 / 4
        root = simulated[rho][d] = np.sqrt(square.mean())
        standard_error[rho][d] = square.std() / np.sqrt(samples) / (2 * root)
crossover = {rho: 1 + 1 / rho**2 for rho in [0.03, 0.1]}
small = {64: 1 / np.sqrt(64 - 1)}  # the correlation whose crossover it is

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
names = ["ρ = 0", "ρ = 0.03", "ρ = 0.1", "k = q"]
for number, (rho, name) in enumerate(zip(correlations, names, strict=True)):
    colour = f"C{number}"
    axes.loglog(dims, rms[rho].values(), color=colour)
    axes.plot(simulated[rho].keys(), simulated[rho].values(), ".", color=colour)
    axes.text(2e4, rms[rho][16384], name, va="center")
for rho, colour in [(0.03, "C1"), (0.1, "C2")]:
    size = np.sqrt(2) * rho * crossover[rho]
    axes.plot(crossover[rho], size, "o", color=colour, fillstyle="none", ms=11)
    note = f"d = {crossover[rho]:,.0f}"
    axes.text(crossover[rho] / 1.25, size * 1.3, note, ha="right")
axes.set(xlabel="dimensions d", ylabel="root mean square of q·k")
axes.set_xticks([1, 10, 100, 1000, 10000], ["1", "10", "100", "1000", "10 000"])
axes.set_yticks([1, 10, 100, 1000, 10000], ["1", "10", "100", "1000", "10 000"])
plt.show()

# %% says
assert set(slope[0].values()) == {1 / 2}, "straight line of slope one half for"
assert min(slope[1].values()) > 1 / 2, "a steeper line for k = q, straight but"
late = [steep for d, steep in slope[1].items() if d >= 10]
assert min(late) > 0.9, "straight but for the first few dimensions"
for rho in crossover:
    curve = [*slope[rho].values()]
    assert np.all(np.diff(curve) > 0), "the exponent rises steadily"
    middle = np.interp(crossover[rho], dims, curve)
    assert abs(middle - 3 / 4) < 0.01, "from $\\frac12$ to 1, and exactly"
    near = rms[rho][4] / rms[0][4], rms[rho][16384] / rms[0][16384]
    assert near[0] < 1.03, "A weak correlation changes little in small heads"
    assert near[1] > 3, "and nearly everything in large ones"
    mean, variance = rho * crossover[rho], crossover[rho] * (1 + rho**2)
    assert np.isclose(mean**2, variance), "the mean is as large as the spread"
assert crossover[0.03] > 1000, r"with $\rho = 0.03$ more than a thousand"
assert np.isclose(1 + 1 / small[64] ** 2, 64), "more than about an eighth"
assert abs(8 * small[64] - 1) < 0.01, "more than about an eighth"
assert 99 < crossover[0.1] < 102, "it takes a hundred dimensions, and with"
assert aligned[0.1][64] < other[0.1][64], (
    "the aligned term is still the smaller"
)
assert rms[1][64] > 64, "The score of a copy is slightly larger than"
assert 0 < 64 + 1 - rms[1][64] < 1 / (2 * 64), "with an error below $1/(2d)$"

# Of the questions and the front page.
first = min(d for d in dims if aligned[0.1][d] > other[0.1][d])
last = dims[dims.index(first) - 1]
assert last < crossover[0.1] < first, "dimensions the mean outweighs"
assert last < crossover[0.1] < first, "growth like d takes over at"
