r"""The lead of the best key bounds the gradient, whatever the scores are.
Among many keys random scores seldom lead by enough.

A cloud of dots for each of three kinds of rows with 512 scores, on a
logarithmic vertical axis: the norm of the Jacobian against the lead of the
largest score over the second, from 0 to
{= lead['all equal but one'][-1] :.0f }. A straight falling line, the bound,
lies above all dots. The dots of Gaussian scores of spread 8 lie at the left:
most have a lead below 5. Those of scores with a Cauchy distribution, whose
leads are often above 10, fall with the line, far below it. A curve of rows that
are equal but for one score follows it closely, to less than a billionth.
"""

# %%
import numpy as np
from scipy.special import logsumexp

rng = np.random.default_rng(0)
n, rows, sigma = 512, 300, 8
kinds = {
    "Gaussian, σ = 8": sigma * rng.standard_normal((rows, n)),
    "Cauchy": rng.standard_cauchy((rows, n)) / 10,
    "all equal but one": np.zeros((rows, n)),
}
kinds["all equal but one"][:, 0] = np.linspace(0.1, 30, rows)

lead, norm, trace, rest, top = {}, {}, {}, {}, {}
for name, scores in kinds.items():
    z = -np.sort(-scores, axis=1)
    lead[name] = z[:, 0] - z[:, 1]
    p = np.exp(z - logsumexp(z, axis=1, keepdims=True))
    rest[name] = p[:, 1:].sum(axis=1)  # 1 − max p, without cancelling
    other = np.column_stack([rest[name], 1 - p[:, 1:]])  # 1 − p_i
    trace[name] = np.sum(p * other, axis=1)
    square = p**2
    pairs = 2 * square[:, 0] * square[:, 1:].sum(axis=1)
    small = square[:, 1:].sum(axis=1) ** 2 - np.sum(square[:, 1:] ** 2, axis=1)
    diagonal = np.sum((p * other) ** 2, axis=1)
    norm[name] = np.sqrt(diagonal + pairs + np.maximum(small, 0))
    J = np.apply_along_axis(np.diag, 1, p[:9]) - p[:9, :, None] * p[:9, None]
    top[name] = np.linalg.eigvalsh(J)[:, [0, -1]]
bound = {name: 2 * (n - 1) * np.exp(-each) for name, each in lead.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
marks = zip(kinds, ["C1", "C0", "C2"], ["o", "s", "-"], strict=True)
for name, colour, mark in marks:
    shown = lead[name][::5], norm[name][::5]
    axes.semilogy(*shown, mark, color=colour, markersize=4, label=name)
line = np.array([0, 30])
axes.plot(line, 2 * (n - 1) * np.exp(-line), "--", color="C3")
axes.text(15, 2e-2, "2 (n − 1) exp(−lead)", color="C3")
axes.set(xlim=(0, 30), ylim=(1e-11, 3), ylabel="norm of the Jacobian ‖J‖")
axes.set(xlabel="lead of the largest of 512 scores")
axes.set_yticks([1e-9, 1e-6, 1e-3, 1])
axes.legend(loc="lower left")
plt.show()

# %% says
rounding = 1 + 1e-12
for name in kinds:
    assert np.all(norm[name] <= trace[name] * rounding), (
        "or not: the lead of the best key bounds the gradient"
    )
    assert np.all(trace[name] <= 2 * rest[name] * rounding), (
        "lead of the best key bounds the gradient, whatever"
    )
    assert np.all(2 * rest[name] <= bound[name] * rounding), (
        "A straight falling line, the bound, lies above all dots"
    )
    assert np.min(top[name]) > -1e-12, "so it has no negative eigenvalue"
    assert np.max(top[name]) < 1 / 2 + 1e-12, "No eigenvalue exceeds"
gaussian, cauchy, equal = lead.values()
assert np.mean(gaussian < 5) > 0.8, "most have a lead below 5"
assert np.median(cauchy) > 10, "whose leads are often above 10"
assert norm["all equal but one"][-1] < 1e-9, "to less than a billionth"
assert np.median(gaussian) < np.log(n) / 3, "keys random scores seldom lead by"
