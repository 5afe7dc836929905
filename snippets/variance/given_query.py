r"""For Gaussian keys and a given query the scores follow an exact bell curve;
its width is set by the query's length.

Three histograms of the scores q·k/√d over many random keys, one below the
other, for a short, a middling and a long query of 64 dimensions. On each lies
the exact Gaussian density of variance |q|²/d: narrower than the standard bell
for the short query, wider for the long one, though not by much.
"""

# %%
import numpy as np
from scipy.stats import chi2, norm

rng = np.random.default_rng(0)
d, n_keys = 64, 5000
keys = rng.standard_normal((n_keys, d))
point = np.linspace(-4, 4, 200)

scores, variance, simulated, standard_error, pdf = {}, {}, {}, {}, {}
for name, share in [("short", 0.05), ("middling", 0.5), ("long", 0.95)]:
    query = rng.standard_normal(d)
    # |q|² has the distribution χ² with d degrees of freedom.
    query *= np.sqrt(chi2.ppf(share, d)) / np.linalg.norm(query)
    scores[name] = keys @ query / np.sqrt(d)
    variance[name] = np.sum(query**2) / d
    simulated[name] = np.var(scores[name])
    squares = (scores[name] - scores[name].mean()) ** 2
    standard_error[name] = np.std(squares) / np.sqrt(n_keys)
    pdf[name] = norm.pdf(point, scale=np.sqrt(variance[name]))
norm_spread = chi2.std(d) / d  # of |q|²/d, from query to query
length_spread = norm_spread / 2  # of |q|/√d, nearly

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 4.6), sharex=True, sharey=True)
for colour, (axes, name) in enumerate(zip(panels, scores, strict=True)):
    axes.hist(
        scores[name],
        bins=60,
        range=(-4, 4),
        density=True,
        color=f"C{colour}",
        alpha=0.4,
    )
    axes.plot(point, pdf[name], color=f"C{colour}")
    axes.text(-4, 0.4, f"{name} query\n|q|²/d = {variance[name]:.2f}", va="top")
panels[1].set(ylabel="probability density", yticks=[0, 0.25, 0.5])
panels[2].set_xlabel("q·k / √d, over random keys")
plt.show()

# %% says
assert variance["short"] < 1, "narrower than the standard bell for the short"
assert variance["long"] > 1, "wider for the long one"
assert np.ptp([*variance.values()]) < 1, "though not by much"

# Of the questions.
assert length_spread < 1 / 10, "At the start the choice hardly matters"
