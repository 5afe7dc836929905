r"""Random features are best if query and key share the root equally.

The median estimate of a weight with 256 random features, as a share of the
truth, on a logarithmic axis, against how much of the root is on the query: none
at the left, all at the right. One curve like a hill, with its top in the
middle, at {= quarters :.2f }. At both ends it is down at about a millionth of
that, {= on_query :.0e }.
"""

# %%
import math

import numpy as np
from scipy import optimize

d, m = 64, 256
# Of a query and a key of length √d, at right angles: |q̃ + k̃|² if q̃ is
# q/d^a and k̃ is k/d^(½−a).
exponents = np.linspace(0, 1 / 2, 17)
length = {a: d ** (1 - 2 * a) + d ** (2 * a) for a in exponents}
balanced, lopsided = length[1 / 4], length[1 / 2]

# An estimate, divided by the truth, is the mean of m independent exp(σg − σ²/2)
# with σ = |q̃ + k̃|: of mean 1 and variance e^(σ²) − 1 each. Its distribution
# comes from its Laplace transform, by the method of Gaver and Stehfest.
g = np.linspace(-9, 9, 4001)
normal = np.exp(-(g**2) / 2) / np.exp(-(g**2) / 2).sum()
terms, half = np.arange(1, 13), 6


def weight(k):
    """Return Stehfest's weight of term k."""
    total = sum(
        j ** (half + 1)
        * math.comb(half, j)
        * math.comb(2 * j, j)
        * math.comb(j, k - j)
        for j in range((k + 1) // 2, min(k, half) + 1)
    )
    return (-1) ** (k + half) * total / math.factorial(half)


weights = np.array([weight(int(k)) for k in terms])


def below(x, squared, m=m):
    """Return how likely an estimate is at most x times the truth."""
    one = np.exp(np.sqrt(squared) * g - squared / 2) / m
    s = terms * np.log(2) / x
    laplace = np.array([(np.exp(-each * one) @ normal) ** m for each in s])
    return weights @ (laplace / terms)


def median(squared, m=m):
    """Return the median estimate, as a share of the truth."""
    x = optimize.brentq(lambda x: below(np.exp(x), squared, m) - 1 / 2, -30, 1)
    return np.exp(x)


typical = {a: median(length[a]) for a in exponents}
quarters, on_query = typical[1 / 4], typical[1 / 2]
# For a standard deviation as large as the value.
needed = {a: np.exp(length[a]) - 1 for a in (1 / 4, 1 / 2)}
millions = needed[1 / 4] / 1e6
of_head_16 = median(2 * np.sqrt(16))
with_1024 = median(balanced, 1024)
# With vectors of length 1 instead, |q̃ + k̃|² is 2 at right angles.
unit_error = np.sqrt((np.exp(2) - 1) / m)
unit_spread = 1 / np.sqrt(d)
# Errors that two keys share, at right angles to each other and to the query:
# their correlation.
shared = (np.exp(balanced / 2) - 1) / (np.exp(balanced) - 1)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.semilogy(exponents, list(typical.values()), "o-")
axes.axhline(1, color="C5", linestyle="--")
axes.text(0, 1.5, "truth", va="bottom")
axes.set(ylabel="median estimate / truth", ylim=(3e-8, 20))
axes.set(xticks=[0, 1 / 4, 1 / 2], xlim=(-0.05, 0.55))
axes.set_xticklabels(["k ÷ √d", "a quarter\non each side", "q ÷ √d"])
axes.set(yticks=[1e-6, 1e-4, 1e-2, 1])
axes.minorticks_off()
plt.show()

# %% says
values = np.array([*typical.values()])
rises = np.diff(values) > 0
assert np.array_equal(rises, np.arange(16) < 8), (
    "like a hill, with its top in the middle"
)
assert max(typical, key=typical.get) == 1 / 4, (
    "best if query and key share the root equally"
)
assert 0.8e-6 < on_query / quarters < 1.2e-6, "at about a millionth of that"
assert np.isclose(typical[0], on_query, rtol=1e-3), "At both ends it is down"
assert balanced == 8 + 8 == 16, r"a quarter on each side makes it $8 + 8 = 16$"
assert lopsided == 64 + 1 == 65, "and the whole root on the query"
assert quarters < 1 / 2, "median estimate is … of the truth with quarters"
assert 8e6 < needed[1 / 4] < 9e6, "Even the quarters need … million independent"
assert unit_error < 1 / 4, "bring both to length 1 first"
assert unit_spread < 1 / 4, "at the price of attention that is almost even"
assert shared < 0.001, "have a correlation of only"
assert of_head_16 > 2 * quarters, "shorter vectors help (a smaller head"
assert quarters < with_1024 < 2 * quarters, "and more features help slowly"
