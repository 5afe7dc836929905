r"""The more keys there are, the larger a sink's logit has to be to take half of
the weight.

Three S-shaped curves of the mean weight of a sink against its logit, from −4 to
20, for 128, 4096 and 131,072 keys with Gaussian logits of spread 1. They rise
from 0 to 1 and pass one half at {= half[128] :.1f }, {= half[4096] :.1f } and
{= half[131072] :.1f }.
"""

# %%
import numpy as np

tau = np.arange(-12, 34, 0.1)  # −ln of the variable of integration
g = np.arange(-8, 8.05, 0.1)
bell = np.exp(-(g**2) / 2) / np.exp(-(g**2) / 2).sum()
# E exp(−e^{z−τ}) of one key's logit z.
one = np.exp(-np.exp(g - tau[:, np.newaxis])) @ bell


def mean_weight(b, n):
    """Return the mean weight of a sink of logit b among n Gaussian logits.

    e^b/(e^b + Z) is the integral of e^{b−τ} exp(−e^{b−τ}) exp(−Z e^{−τ}).
    """
    u = np.minimum(b - tau, 40)
    return 0.1 * np.sum(np.exp(u - np.exp(u)) * one**n)


logits = np.arange(-4, 20.1, 0.25)
keys = [128, 4096, 131072]
weight = {n: [mean_weight(b, n) for b in logits] for n in keys}
half = {n: np.interp(0.5, weight[n], logits) for n in keys}
# A logit at which a token takes nearly all from so many others.
most = 0.99
nearly_all = {n: np.interp(most, weight[n], logits) for n in keys}
at_0 = {n: mean_weight(0, n) for n in keys}
b = 8
worth = np.exp(b - 1 / 2)  # in keys of spread 1, each of mean e^{1/2}
left = 1 - mean_weight(b, 4096)  # what all other weights are multiplied by

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
for colour, n in enumerate(keys):
    axes.plot(logits, weight[n], color=f"C{colour}", label=f"{n:,} keys")
axes.set(xlabel="logit of the sink", ylabel="weight of the sink")
axes.set(ylim=(0, 1.02), xlim=(-4, 20))
axes.legend(loc="upper left")
plt.show()

# %% says
for weights in weight.values():
    assert weights[0] < 0.01 < 0.99 < weights[-1], (
        "They rise from 0 to 1 and pass one half at"
    )
assert half[128] < half[4096] < half[131072], (
    "the larger a sink's logit has to be to take half"
)
assert (logits.min(), logits.max()) == (-4, 20), "against its logit, from"
