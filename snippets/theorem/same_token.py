r"""At initialisation, for a token and itself, the published formula expects up
to twice the true mean square.

The mean square of the score of a token with itself, divided by d = 32, against
the width D of the model from 32 to 1024 on a logarithmic axis. The exact line,
1 + 2/D, is nearly flat and just above 1; simulated dots with error bars lie on
it. The published formula gives 1 + d/D + 1/D: a dashed line that falls from 2
at D = 32 towards 1; crosses on it show the formula for random weights.
"""

# %%
import numpy as np
from moments import published, second_moment

rng = np.random.default_rng(0)
d, models, tokens = 32, 200, 20
widths = [32, 64, 128, 256, 512, 1024]
exact = {D: d + 2 * d / D for D in widths}
expected_published = {D: d + d**2 / D + d / D for D in widths}

given_weights, given_weights_published = {}, {}
weights_error, published_error = {}, {}
simulated, standard_error = {}, {}
for D in widths:
    second, wrong, drawn = [], [], []
    for _ in range(models):
        W_q, W_k = rng.standard_normal((2, d, D)) / np.sqrt(D)
        covariances = W_q @ W_q.T, W_k @ W_k.T, W_q @ W_k.T
        second.append(second_moment(*covariances))
        wrong.append(published(*covariances))
        x = rng.standard_normal((D, tokens))
        drawn.append(np.mean(np.sum((W_q @ x) * (W_k @ x), axis=0) ** 2))
    given_weights[D] = np.mean(second)
    given_weights_published[D] = np.mean(wrong)
    weights_error[D] = np.std(second) / np.sqrt(models)
    published_error[D] = np.std(wrong) / np.sqrt(models)
    simulated[D] = np.mean(drawn)
    standard_error[D] = np.std(drawn) / np.sqrt(models)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
D = np.geomspace(32, 1024, 100)
axes.semilogx(D, 1 + 2 / D, color="C0")
axes.plot(D, 1 + d / D + 1 / D, "--", color="C3")
errors = 2 * np.array([*standard_error.values()]) / d
dots = np.array([*simulated.values()]) / d
axes.errorbar(widths, dots, errors, fmt="o", color="C0")
crosses = np.array([*given_weights_published.values()]) / d
axes.plot(widths, crosses, "x", color="C3", markersize=9)
axes.text(80, 1.5, "published: 1 + d/D + 1/D")
axes.text(60, 0.86, "exact: 1 + 2/D, and simulated scores", va="top")
axes.set(xticks=widths, xticklabels=widths, ylim=(0.65, 2.15))
axes.set(xlabel="width of the model, D", ylabel="mean of (q·k)² / d")
axes.minorticks_off()
plt.show()

# %% says
excess = np.array([expected_published[D] / exact[D] for D in widths])
assert 1.9 < excess.max() < 2, "expects up to twice the true mean square"
assert np.all(np.diff(excess) < 0), "and the excess shrinks, to about one part"
assert exact[64] == d * (1 + 2 / 64), "The exact line, 1 + 2/D"
assert max(exact.values()) < 1.1 * d, "is nearly flat and just above 1"
assert max(exact.values()) < 1.1 * d, "hardly more than $d$"
published_line = np.array([*expected_published.values()]) / d
assert np.all(np.diff(published_line) < 0), "a dashed line that falls"
assert abs(published_line[0] - 2) < 0.05, "falls from 2 at D = 32"
