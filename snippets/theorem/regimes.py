r"""With $C = \rho I$ the size of $q\cdot k$ turns from $\sqrt{d}$ to $d$ around
$d^* = 1 + 1/\rho^2$.

Two stacked panels against the number of dimensions from {= dims[0] } to
{= dims[-1] }. Above, on
logarithmic axes, the root mean square of q·k: a straight line of slope one half
for C = 0, a steeper line for k = q, straight but for the first few dimensions,
and between them curves for correlations 0.1 and 0.03 that leave the first line
and become parallel to the second. Simulated dots lie on all of them. Below, the
local slope: one half for C = 0; for k = q two thirds at 1 dimension, and near 1
from ten on; and S-shaped curves in between, each with a dot at three quarters,
at its crossover.
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

# %%
import matplotlib.pyplot as plt

fig, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 6), sharex=True)
names = ["C = 0", "ρ = 0.03", "ρ = 0.1", "k = q"]
for number, (rho, name) in enumerate(zip(correlations, names, strict=True)):
    colour = f"C{number}"
    top.loglog(dims, rms[rho].values(), color=colour)
    top.plot(simulated[rho].keys(), simulated[rho].values(), "o", color=colour)
    top.text(2e4, rms[rho][16384], name, va="center")
    bottom.semilogx(dims, slope[rho].values(), color=colour)
for rho, colour in [(0.03, "C1"), (0.1, "C2")]:
    bottom.plot(crossover[rho], 0.75, "o", color=colour, markersize=7)
    note = f"$d^*$ = {crossover[rho]:.0f}"
    bottom.text(crossover[rho] * 1.3, 0.73, note, va="center")
bottom.text(1.2, 0.52, "C = 0")
bottom.text(40, 0.95, "k = q", va="top")
top.set_ylabel("root mean square of q·k")
bottom.set(xlabel="dimensions d", ylabel="local slope", ylim=(0.46, 1.02))
bottom.set(xticks=[1, 10, 100, 1000, 10000], yticks=[0.5, 0.75, 1])
bottom.set_xticklabels(["1", "10", "100", "1000", "10 000"])
plt.show()

# %% says
assert set(slope[0].values()) == {1 / 2}, "straight line of slope one half for"
assert set(slope[0].values()) == {1 / 2}, "the local slope: one half for C = 0"
assert min(slope[1].values()) > 1 / 2, "a steeper line for k = q, straight but"
assert abs(slope[1][1] - 2 / 3) < 0.01, "for k = q two thirds at 1 dimension"
late = [steep for d, steep in slope[1].items() if d >= 10]
assert min(late) > 0.9, "near 1 from ten on"
assert slope[1][16384] > 0.99, "two thirds at 1 dimension, and near 1 from"
for rho in crossover:
    curve = [*slope[rho].values()]
    assert np.all(np.diff(curve) > 0), "the exponent rises steadily"
    middle = np.interp(crossover[rho], dims, curve)
    assert abs(middle - 3 / 4) < 0.01, (
        "a dot at three quarters, at its crossover"
    )
assert crossover[0.03] > 10 * crossover[0.1], "correlation needs a large $d$"
assert aligned[0.1][64] < other[0.1][64], (
    "the aligned term is still the smaller"
)
assert aligned[0.1][64] < 64, "and 64 dimensions it is still smaller than"
assert rms[1][64] > 64, "The score of a copy is slightly larger than"
assert 0 < 64 + 1 - rms[1][64] < 1 / (2 * 64), "with an error below $1/(2d)$"

# Of the questions and the front page.
first = min(d for d in dims if aligned[0.1][d] > other[0.1][d])
last = dims[dims.index(first) - 1]
assert last < crossover[0.1] < first, "dimensions the mean outweighs"
assert last < crossover[0.1] < first, "growth like d takes over at"
