r"""Coordinates of mean 0 and variance 1 do not fix $\mathrm{Var}(q\cdot k)$:
here it is 0, $d$, $2d$ (for $k = q$ with Gaussian numbers) or $d^2$.

Variance of q·k against the number of dimensions, both axes logarithmic, with
exact lines and simulated marks on them. In all five cases the coordinates have
mean 0 and variance 1. Steepest: all coordinates equal, d². Then q = k with
Gaussian coordinates, 2d. Independent coordinates give d, and so does a query of
random signs whose key has the products of neighbouring signs: the two cases
share a line. Pairs that cancel give 0 at each of these dimensions, which are
even: a line along the bottom.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
dims, samples = [2, 4, 8, 16, 32, 64], 4000
cases = [
    "equal coordinates",
    "q = k",
    "independent",
    "random signs",
    "cancelling pairs",
]
exact, simulated, standard_error = (
    {case: {} for case in cases} for _ in range(3)
)

for d in dims:
    # E[q_i q_j] and E[k_i k_j], where q and k are independent; else the terms'
    # own covariance.
    one, pairs = np.eye(d), np.kron(np.eye(d // 2), np.ones((2, 2)))
    half, flip = np.arange(d) // 2, np.tile([1, -1], d // 2)
    exact["equal coordinates"][d] = np.sum(np.ones((d, d)) * np.ones((d, d)))
    exact["independent"][d] = np.sum(one * one)
    exact["cancelling pairs"][d] = np.sum(
        pairs * (pairs * np.outer(flip, flip))
    )
    # Cov(z_i², z_j²) is 2 if i = j, else 0.
    exact["q = k"][d] = np.sum(2 * one)
    # The terms are the signs e_2 … e_{d+1}.
    exact["random signs"][d] = np.sum(one)

    z, w = rng.standard_normal((2, samples, d))
    e = rng.choice([-1.0, 1.0], (samples, d + 1))
    draws = {
        "equal coordinates": (z[:, [0] * d], w[:, [0] * d]),
        "q = k": (z, z),
        "independent": (z, w),
        "random signs": (e[:, :-1], e[:, :-1] * e[:, 1:]),
        "cancelling pairs": (z[:, half], w[:, half] * flip),
    }
    for case, (q, k) in draws.items():
        dot = np.sum(q * k, axis=1)
        simulated[case][d] = np.var(dot)
        standard_error[case][d] = np.std((dot - dot.mean()) ** 2) / np.sqrt(
            samples
        )

# %%
import matplotlib.pyplot as plt

law = dict(zip(cases, ["d²", "2d", "d", "d", "0"], strict=True))
mark = dict(zip(cases, "sDox^", strict=True))
fig, axes = plt.subplots(figsize=(6.4, 4))
for case in cases:
    lines = axes.plot(dims, exact[case].values(), alpha=0.6)
    dots = simulated[case].values()
    colour, size = lines[0].get_color(), 10 if mark[case] == "x" else 5
    axes.plot(
        dims,
        dots,
        mark[case],
        color=colour,
        markersize=size,
        label=f"{case}: {law[case]}",
    )
axes.set_xscale("log", base=2)
axes.set_yscale("symlog", linthresh=1)
axes.set(xticks=dims, xticklabels=dims, ylim=(-0.3, 1e4))
axes.set(xlabel="dimensions d", ylabel="variance of q·k")
fig.legend(loc="outside upper left", ncols=2)
plt.show()

# %% says
for d in dims:
    assert exact["equal coordinates"][d] == d**2, "all coordinates equal, d²"
    assert exact["q = k"][d] == 2 * d, (
        "Then q = k with Gaussian coordinates, 2d"
    )
    assert exact["independent"][d] == d, "Independent coordinates give d"
    assert exact["random signs"][d] == d, "the two cases share a line"
    assert exact["cancelling pairs"][d] == 0, "Pairs that cancel give 0 at each"
