r"""Dividing by $d^a$ lowers both exponents alike: no $a$ brings the logits at
the start and their movement to 0 together. Error bars show two standard errors.

Two parallel falling lines over the exponent a of the divisor, from 0 to 1.25:
1/2 − a for the size of the logits at initialisation, and 1 − a, one half above
it, for what the first Adam step adds at the right key. Measured dots with error
bars lie on the lower line, and within 0.08 of the upper one. The lower line
crosses 0 at a = 1/2, the upper one at a = 1.
"""

# %%
import numpy as np
from recall import exponent, gradients, init, log_softmax, rms, scores, train

powers, dims, seeds = (
    [0, 0.25, 0.5, 0.75, 1, 1.25],
    [32, 64, 128, 256],
    range(4),
)
start, movement, eta = {}, {}, 0.1
for a in powers:
    before, added = np.empty((2, len(seeds), len(dims)))
    for at in np.ndindex(before.shape):
        seed, d = seeds[at[0]], dims[at[1]]
        # All of these divide by 8 at d = 64.
        s = 8 * (d / 64) ** a
        (X, old), (_, new) = train(d, seed, s, 1, eta)
        before[at] = rms(scores(X, old) / s)
        added[at] = rms(np.diag(scores(X, new) - scores(X, old)) / s)
    start[a] = exponent(dims, before)
    movement[a] = exponent(dims, added)

# What the step moves on average, as a share of what it would do to one pair.
d = dims[-1]
shares = []
for seed in seeds:
    (X, old), (_, new) = train(d, seed, d / 8, 1, eta)
    moved = np.diag(scores(X, new) - scores(X, old)).mean()
    shares.append(moved / (4 / np.pi * eta * d))
# One pair alone: the target differs from the attention there only.
alone = []
for seed in range(60):
    X, W = init(d, seed)
    target = np.exp(log_softmax(scores(X, W) / (d / 8)))
    target[0, 1] += 0.3
    step = [np.sign(g) for g in gradients(X, W, d / 8, target)]
    new = [w - eta / X.shape[1] * g for w, g in zip(W, step, strict=True)]
    alone.append((scores(X, new) - scores(X, W))[0, 1])
alone_mean, alone_error = np.mean(alone), np.std(alone, ddof=1) / 60**0.5
alone_law = 4 / np.pi * eta * d
share, share_error = np.mean(shares), np.std(shares, ddof=1) / len(seeds) ** 0.5

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.6))
a = np.array(powers)
axes.axhline(0, linestyle=":", color="C4")
for place, (name, points, top) in enumerate(
    [("movement of the logit", movement, 1), ("logits before", start, 0.5)]
):
    value, error = np.transpose([points[p] for p in powers])
    axes.plot(a, top - a, color=f"C{place}", label=f"{name}: {top:g} − a")
    axes.errorbar(a, value, 2 * error, fmt="o", color=f"C{place}")
axes.set(xlabel="power a of the divisor", ylabel="exponent in d", xticks=powers)
axes.legend()
plt.show()
