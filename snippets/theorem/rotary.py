r"""Rotary embeddings turn $C$: mean and variance of the score change with the
distance. The published variance does not.

Two stacked panels against the distance between two tokens, from 0 to
{= distance[-1] :.0f }, for 64 dimensions and a key that equals the query before
both are turned. Above, the mean score divided by d: it falls from 1 and then
oscillates around a half. Below, its variance divided by d: from 2 it falls and
oscillates around 1.45; simulated dots lie on both curves. The published formula
gives a dashed horizontal line at 2.
"""

# %%
import numpy as np

rng = np.random.default_rng(0)
d, rho, base, samples = 64, 1.0, 10_000, 4000
theta = base ** (-2 * np.arange(d // 2) / d)
distance = np.linspace(0, 60, 601)


def law(m, rho):
    """Return mean, variance and published variance at the distances m."""
    turn = np.multiply.outer(m, theta)
    mean = 2 * rho * np.cos(turn).sum(axis=-1)
    variance = d + 2 * rho**2 * np.cos(2 * turn).sum(axis=-1)
    return mean, variance, d + rho**2 * d


mean, variance, published = law(distance, rho)
simulated, standard_error = {}, {}
for m in range(0, 61, 6):
    q = rng.standard_normal((samples, d // 2, 2))
    plane = q[..., 0] + 1j * q[..., 1]
    # Turned to two places that lie m apart, each pair of coordinates in its
    # own plane; here k = q before the turns.
    first, second = (plane * np.exp(1j * p * theta) for p in (5, 5 + m))
    score = np.sum((first * second.conj()).real, axis=1)
    square = (score - score.mean()) ** 2
    simulated[m] = score.mean(), square.mean()
    standard_error[m] = np.array([score.std(), square.std()]) / samples**0.5

# Over all distances of a context, how far off is E[S²]?
ratio = {}
distances = 4096
for r in [0.3, 1.0]:
    m, v, p = law(np.arange(distances), r)
    ratio[r] = (p + m**2) / (v + m**2)
worst = {r: ratio[r].max() for r in ratio}
where = {r: int(ratio[r].argmax()) for r in ratio}
median = {r: np.median(ratio[r]) for r in ratio}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 1, figsize=(6.4, 6), sharex=True)
for panel, curve, part in zip(panels, [mean, variance], [0, 1], strict=True):
    dots = [simulated[m][part] / d for m in simulated]
    errors = [2 * standard_error[m][part] / d for m in simulated]
    panel.plot(distance, curve / d)
    panel.errorbar(simulated.keys(), dots, errors, fmt="o", color="C0")
panels[1].axhline(published / d, color="C3", linestyle="--")
panels[1].text(60, published / d + 0.03, "published", ha="right", va="bottom")
panels[0].set(ylabel="mean of q·k / d", ylim=(0, 1.1))
panels[1].set(ylabel="variance of q·k / d", ylim=(0.9, 2.25))
panels[1].set(xlabel="distance between the tokens")
plt.show()

# %% says
far = distance > 30
assert mean[0] == d, "divided by d: it falls from 1"
assert mean[far].max() < mean[0], "it falls from 1 and then oscillates"
assert abs(mean[far].mean() / d - 1 / 2) < 0.1, "oscillates around a half"
assert variance[far].max() < variance[0] == 2 * d, "from 2 it falls and"
assert abs(variance[far].mean() / d - 1.45) < 0.03, "oscillates around 1.45"
assert published / d == 2, "a dashed horizontal line at 2"
assert np.ptp(variance) > 10, "variance of the score change with the distance"
