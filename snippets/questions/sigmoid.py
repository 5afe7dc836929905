r"""A sigmoid saturates without a divisor, too, whatever the number of keys.

The mean slope of the sigmoid at a random logit, against the dimension from
{= dims[0] } to {= dims[-1] }, both axes logarithmic. Divided by the root of d
it is level at {= divided :.2f }. Undivided it starts there and falls like one
over the root of d: {= bare[64] :.3f } at 64 dimensions, {= bare[1024] :.3f } at
1024.
"""

# %%
import numpy as np
from scipy import special, stats

dims = 2 ** np.arange(11)
n, d = 512, 64


def mean(function, sigma):
    """Return E f(σ g) for a standard normal g, by a fine sum."""
    z = np.linspace(-9 * sigma, 9 * sigma, 40_001)
    weight = stats.norm.pdf(z, scale=sigma)
    return np.sum(function(z) * weight) / weight.sum()


def slope(z):
    """Return the derivative of the sigmoid."""
    return special.expit(z) * special.expit(-z)


bare = {dim: mean(slope, np.sqrt(dim)) for dim in dims}
divided = mean(slope, 1)


def total(sigma, minus):
    """Return the mean sum of n sigmoid weights; `minus` is the bias."""
    return n * mean(lambda z: special.expit(z - minus), sigma)


sum_of_weights = {
    "bare": total(np.sqrt(d), np.log(n)),
    "divided": total(1, np.log(n)),
    "no bias": total(1, 0),
}

# Linear attention: given q, the weights of n keys go like φ(q)·φ(k). For φ =
# elu + 1 they vary by this share of their mean, so that so many take part.


def feature(x):
    """Return elu(x) + 1, which is positive."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


first, second = mean(feature, 1), mean(lambda x: feature(x) ** 2, 1)
uneven = (second - first**2) / first**2 * second / (d * first**2)
linear = n / (1 + uneven)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
axes.loglog(dims, list(bare.values()), "C1")
axes.loglog(dims, np.full(len(dims), divided), "C0")
axes.text(110, 0.024, "undivided", color="C1", ha="right", va="top")
axes.text(300, 0.23, "÷ √d", color="C0", ha="right", va="bottom")
axes.set(xlabel="dimension d of a head", ylabel="mean slope of the sigmoid")
axes.set(xticks=[1, 4, 16, 64, 256, 1024], ylim=(0.008, 0.4))
axes.set(xticklabels=[1, 4, 16, 64, 256, 1024])
axes.set(yticks=[0.01, 0.03, 0.1, 0.3], yticklabels=[0.01, 0.03, 0.1, 0.3])
axes.minorticks_off()
plt.show()

# %% says
assert np.isclose(bare[1], divided), "Undivided it starts there"
assert np.all(np.diff([*bare.values()]) < 0), "starts there and falls"
assert 1.98 < bare[256] / bare[1024] < 2, "falls like one over the root of d"
assert bare[64] < divided / 2, "a sigmoid saturates at large scores, too"
assert sum_of_weights["divided"] > 1.1, "weights also no longer add up to 1"
assert linear > 0.9 * n, "Its weights are rather too even"
