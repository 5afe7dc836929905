r"""Without a factor that fits, a loss over a batch begins far from that of
equal chances: undivided at {= bare[768] :.0f } nats for {= d } dimensions.

The loss at the start of one match among {= n } in a batch, against the
dimension from {= dims[0] } to {= dims[-1] }, both axes logarithmic. Divided by
the root of d it is level at {= divided :.1f }, just above a dashed line for
equal chances at {= even :.2f }. Undivided it rises, from {= bare[1] :.1f } to
{= bare[1024] :.0f }.
"""

# %%
import numpy as np
from scipy import stats

n, d, step = 128, 768, 0.2
dims = [1, 4, 16, 64, 256, 768, 1024]


def loss(sigma):
    """Return E ln Σ e^z for n independent Gaussian logits of spread sigma.

    That is the loss where the match is no better than the rest: its own logit
    has mean 0. With Z = Σ e^z, ln Z = ∫ (e^{−t} − e^{−tZ}) dt/t, and
    independent logits factor.
    """
    g = np.arange(-9, 9, step / max(1, sigma))
    weight = stats.norm.pdf(g)
    weight /= weight.sum()
    log_t = np.arange(-9 * sigma - np.log(n) - 40, 9 * sigma + 40, step)
    total = 0
    for part in np.array_split(log_t, len(log_t) // 200 + 1):
        u = np.minimum(part[:, np.newaxis] + sigma * g, 40)
        left = np.exp(-np.exp(u)) @ weight
        total += np.sum(np.exp(-np.exp(np.minimum(part, 40))) - left**n)
    return step * total


bare = {dim: loss(np.sqrt(dim)) for dim in dims}
divided, even = loss(1), np.log(n)

# Cosines of random directions, and what sentence encoders multiply them by.
encoder, times = 384, 20
cosine = 1 / np.sqrt(encoder)
scaled = times * cosine
scaled_768 = times / np.sqrt(d)
# The loss of a batch in which the match has cosine 1 and all others 0.
best = {factor: np.log1p((n - 1) * np.exp(-factor)) for factor in (1, times)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
axes.loglog(dims, [*bare.values()], "C1")
axes.loglog(dims, np.full(len(dims), divided), "C0")
axes.axhline(even, color="C5", linestyle="--")
axes.text(200, 42, "undivided", color="C1", ha="right")
axes.text(900, 5.9, "÷ √d", color="C0", ha="right")
axes.text(900, 3.6, "equal chances, ln 128", ha="right")
ticks = [1, 4, 16, 64, 256, 1024]
axes.set(xlabel="dimension d of the vectors", ylabel="loss at the start, nats")
axes.set(xticks=ticks, xticklabels=ticks, ylim=(3, 120))
axes.set(yticks=[3, 10, 30, 100], yticklabels=[3, 10, 30, 100])
axes.minorticks_off()
plt.show()

# %% says
assert np.all(np.diff([*bare.values()]) > 0), "Undivided it rises"
assert even < divided < even + 0.6, "level at … just above a dashed line"
assert even < divided < even + 0.6, "begins at … just above the"
assert bare[768] > 10 * divided, "begins far from that of equal chances"
assert (n, d) == (128, 768), "In a batch of 128 … of 768 coordinates"
assert (encoder, times, d) == (384, 20, 768), (
    "in 384 dimensions cosines … multiplied by 20 it is … in 768 dimensions"
)
assert abs(scaled - 1) < 0.05, "At the start the 20 is about a root"
assert best[1] > 3 > 1e-6 > best[20], "it is still … with a factor of 20"
assert n == 128, "In a batch of 128, with a cosine of 1 for the match"
