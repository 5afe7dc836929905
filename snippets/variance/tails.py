r"""Large scores are rare for keys of random signs, and not for keys with a few
large coordinates, although both have variance $d$.

Four lines on a logarithmic axis: the probability of a score of at least t
standard deviations, either way, against t from 0 to {= t[-1] :.0f }, in 64
dimensions and for a query whose coordinates are all 1 or -1. A dashed bound
starts at {= bound[0] :.0f } and bends down ever more steeply. Below it lie the
bell curve of Gaussian keys and the steps of keys of random signs. The steps of
keys whose coordinates are 0 or, one in a hundred, 10 or -10 cross the bound
before t = 4, fall below it once more, and end far above it.
"""

# %%
import numpy as np
from scipy.stats import binom, norm

d, n = 64, 512
root = np.sqrt(d)
t = np.linspace(0, 6, 601)
bound = 2 * np.exp(-(t**2) / 2)
gaussian = 2 * norm.sf(t)


def distribution(step):
    """Return the sums of d steps of −1, 0 or 1, and their probabilities."""
    chance = np.ones(1)
    for _ in range(d):
        chance = np.convolve(chance, step)
    return np.arange(-d, d + 1), chance


def beyond(score, chance):
    """Return P(|S| ≥ t√d) for all t."""
    return chance @ (abs(score)[:, np.newaxis] > t * root - 1e-9)


def largest(score, chance):
    """Return the mean of the largest of n independent scores."""
    return score @ np.diff(np.cumsum(chance) ** n, prepend=0)


signs, sign_chance = distribution([0.5, 0, 0.5])
count, rare_chance = distribution([0.005, 0.99, 0.005])  # each worth 10
far = {"signs": beyond(signs, sign_chance)}
far["rare"] = beyond(10 * count, rare_chance)
mean_largest = {"signs": largest(signs, sign_chance)}
mean_largest["rare"] = largest(10 * count, rare_chance)
highest = root * np.sqrt(2 * np.log(n))  # what the bound allows on average
generating = 0.99 + 0.01 * np.cosh(10)  # E exp(k_i), for rare coordinates

# If query and key both have such coordinates, a product is not 0 with
# probability 1/10,000; then pairs of ±100 have to cancel.
products = binom.pmf(np.arange(0, d + 1, 2), d, 1e-4)
zero = products @ binom.pmf(np.arange(d // 2 + 1), np.arange(0, d + 1, 2), 0.5)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
axes.semilogy(t, bound, "--", color="C4")
axes.plot(t, far["rare"], color="C1")
axes.plot(t, gaussian, color="C2")
axes.plot(t, far["signs"], color="C0")
axes.text(4.1, 3e-3, "0 or ±10", color="C1")
axes.text(3.1, 4e-2, "bound", color="C4")
axes.text(2.1, 1.5e-4, "signs", color="C0", ha="right")
axes.text(3.3, 3e-6, "Gaussian", color="C2", ha="right")
axes.set(ylim=(1e-8, 3), yticks=[1, 1e-2, 1e-4, 1e-6, 1e-8])
axes.set(xlabel="t", ylabel="chance that |S| ≥ t√d")
axes.minorticks_off()
plt.show()

# %% says
for case in (gaussian, far["signs"]):
    assert np.all(case <= bound), "Below it lie the bell curve of Gaussian"
assert np.all(np.diff(np.log(bound), 2) < 0), "bends down ever more steeply"
above = far["rare"] > bound
up, down, again = t[1:][np.diff(above)]
assert 3 < up < down < 4, "cross the bound before t = 4, fall below it once"
assert down < again, "fall below it once more, and end far above it"
assert far["rare"][-1] > 100 * bound[-1], "and end far above it"
assert np.isclose(rare_chance @ (10.0 * count) ** 2, d), (
    "one in a hundred, 10 or -10"
)
assert mean_largest["signs"] < highest, "With signs that mean is … below it"
assert np.isclose(highest, np.sqrt(2 * d * np.log(n))), (
    "the bound on the mean of the largest score"
)
assert mean_largest["rare"] > highest, "with the rare coordinates … above it"
