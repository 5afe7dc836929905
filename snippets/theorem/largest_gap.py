r"""If $\Sigma_q = \Sigma_k = I$ and $\mathrm{tr}\,C = \rho d$, the published
size is too large by a factor that is bounded, and the bound falls towards 1 as
$d$ grows.

The largest possible ratio of the published to the true root mean square,
against the number of dimensions from {= dims[0] } to {= dims[-1] }, on
logarithmic axes, for three alignments ρ. At alignment 0.1 it falls from about
{= ratio[0.1][2] :.0f } to little above 1; at 0.3 from {= ratio[0.3][2] :.1f },
at 0.6 from {= ratio[0.6][2] :.1f }. Dots on the curves: both formulas,
evaluated at the matrix C that is worst.
"""

# %%
import numpy as np
from moments import published, second_moment

alignments = [0.1, 0.3, 0.6]
dims = 2 ** np.arange(1, 11)
# Of E[S²], relative, at tr C = ρd.
bound = {
    rho: {d: 2 * (1 - rho**2) / (rho**2 * (d + 2)) for d in dims.tolist()}
    for rho in alignments
}
ratio = {
    rho: {d: np.sqrt(1 + error) for d, error in bound[rho].items()}
    for rho in alignments
}

# The worst C: quarter turns in d/2 planes, and as much of I as is asked for.
reached = {rho: {} for rho in alignments}
for rho in alignments:
    for d in dims[:8].tolist():
        one, turns = np.eye(d), np.kron(np.eye(d // 2), [[0, -1], [1, 0]])
        C = rho * one + np.sqrt(1 - rho**2) * turns
        reached[rho][d] = np.sqrt(
            published(one, one, C) / second_moment(one, one, C)
        )

# With other covariances, at tr C = d/2: q = (z𝟙 + u)/√2 and k = (zb + u)/√2,
# where b = (1, −1, 1, −1, …). The mean squares' ratio:
elsewhere = {}
for d in [2, 64, 1024]:
    b, ones = (-1.0) ** np.arange(d), np.ones(d)
    cov_q, cov_k, C = (
        (np.outer(left, right) + np.eye(d)) / 2
        for left, right in [(ones, ones), (b, b), (ones, b)]
    )
    elsewhere[d] = published(cov_q, cov_k, C) / second_moment(cov_q, cov_k, C)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
for number, rho in enumerate(alignments):
    colour = f"C{number}"
    axes.loglog(dims, ratio[rho].values(), color=colour)
    axes.plot(reached[rho].keys(), reached[rho].values(), "o", color=colour)
    axes.text(2.2, ratio[rho][2] * 1.12, f"tr C = {rho} d", va="bottom")
axes.axhline(1, linestyle=":", color="C4")
ticks = [2, 8, 32, 128, 512]
axes.set(xticks=ticks, xticklabels=ticks, ylim=(0.93, 11))
axes.set(yticks=[1, 2, 4, 8], yticklabels=["1", "2", "4", "8"])
axes.set(xlabel="dimensions d", ylabel="published / true")
axes.minorticks_off()
plt.show()

# %% says
for rho in alignments:
    curve = np.array([*ratio[rho].values()])
    assert np.all(np.diff(curve) < 0), "the bound falls towards 1 as $d$ grows"
    beyond = np.array([*bound[rho].values()]) * (np.array(dims) + 2)
    assert np.allclose(beyond, 2 * (1 / rho**2 - 1)), (
        "For a fixed $\\rho$ it falls like $1/d$"
    )
    late = [error for d, error in bound[rho].items() if d > 2 / rho**2]
    assert max(late) < 1, "it is below 1 beyond $2/\\rho^2$ dimensions"
    assert 1 < ratio[rho][1024] < 1.1, "it falls from … to little above 1"
    worst = np.array([*reached[rho].values()])
    assert np.allclose(worst, curve[:8]), "The largest possible ratio of the"
assert ratio[0.1][64] > 1.9, "For other keys it can change a value much"
for d in (2, 64):
    one, turns = np.eye(d), np.kron(np.eye(d // 2), [[0, -1], [1, 0]])
    assert second_moment(one, one, turns) == 0, "Its score is always 0, and"
    assert published(one, one, turns) == 2 * d, "gives it a mean square of $2d$"
assert elsewhere[2] < elsewhere[64] < elsewhere[1024] < 2, "it rises towards 2"
assert elsewhere[1024] > 1.99, "it rises towards 2"
