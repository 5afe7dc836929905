r"""At low rank $q\cdot k$ stays near $\sqrt d$; at high rank it grows if query
and key agree in direction, $U = V$, and not if their directions are random.

The root mean square of q·k in 1024 dimensions against the rank r of the
cross-covariance, from {= ranks[0] } to {= ranks[-1] }, on logarithmic axes, at
correlation 0.3. If U = V, or U = -V, the curve is flat at
{= aligned[1] :.0f } until r is near {= overtakes :.0f }, then rises to
{= aligned[1024] :.0f }. If they are two random subspaces, it stays flat at
{= unaligned[1] :.0f } for every rank; dots, each the mean of 60 pairs of random
subspaces, lie on it.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
d, rho = 1024, 0.3
ranks = np.unique(np.geomspace(1, 1024, 41).round()).astype(int).tolist()
# C = ρ U Uᵀ: tr C = ρr and tr(C²) = ρ²r.
aligned = {r: (d + rho**2 * (r + r**2)) ** 0.5 for r in ranks}
# C = −ρ U Uᵀ: tr C = −ρr, and the same squares.
opposed = {r: (d + (-rho) ** 2 * r + (-rho * r) ** 2) ** 0.5 for r in ranks}
# C = ρ U Vᵀ, U and V independent: E (tr C)² = E tr(C²) = ρ²r/d.
unaligned = {r: (d + 2 * rho**2 * r / d) ** 0.5 for r in ranks}
overtakes = np.sqrt(d) / rho  # the rank at which tr C = √d

pairs, measured, excess, excess_error = 60, {}, {}, {}
for r in [1, 4, 16, 64]:
    second = []
    for _ in range(pairs):
        # Orthonormal bases of two random subspaces, with random signs.
        U, V = (np.linalg.qr(rng.standard_normal((d, r)))[0] for _ in "UV")
        W = V.T @ (U * rng.choice([-1, 1], r))
        second.append(rho**2 * (np.trace(W @ W) + np.trace(W) ** 2))
    excess[r], scatter = np.mean(second), np.std(second)
    excess_error[r] = scatter / np.sqrt(pairs)
    measured[r] = np.sqrt(d + excess[r])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
axes.loglog(ranks, aligned.values())
axes.plot(ranks, unaligned.values(), color="C1")
axes.plot(measured.keys(), measured.values(), "o", color="C1")
axes.text(60, 110, "U = V or −V", ha="right")
axes.text(60, 26, "U and V random", ha="center", va="top")
ticks = [1, 4, 16, 64, 256, 1024]
axes.set(xticks=ticks, xticklabels=ticks, ylim=(15, 500))
axes.set(yticks=[20, 50, 100, 300], yticklabels=[20, 50, 100, 300])
axes.set(xlabel="rank r of C", ylabel="root mean square of q·k")
axes.minorticks_off()
plt.show()

# %% says
assert aligned[54] < 1.2 * np.sqrt(d), "At low rank … stays near"
assert aligned[1024] > 9 * unaligned[1024], "at high rank it grows if query"
assert max(unaligned.values()) < 1.01 * 32, "not if their directions are random"
same = np.allclose([*opposed.values()], [*aligned.values()])
assert same, "If U = V, or U = -V, the curve is flat"
assert aligned[1024] > aligned[1], "flat … then rises to"
assert max(unaligned.values()) < 1.01 * 32, "stays flat at … for every rank"
