r"""One step adds terms of one sign: their sum climbs like $d$, while the terms
of $q\cdot k$ itself mostly cancel.

Two stacked panels. Above, sums of the first n terms, for one pair of 512
dimensions: the terms of q·k wander near 0; the terms that a step of SGD or of
Adam adds climb in nearly straight lines to about 100 and 80; those of a random
step of the same length stay near 0. Below, the root mean square of the whole
sums against d from 16 to 512, both axes logarithmic: q·k and the random step
rise with slope one half, SGD and Adam with slope 1.
"""

# %%
import numpy as np
from recall import exponent

rng = np.random.default_rng(0)
dims, groups, pairs, step = [16, 32, 64, 128, 256, 512], 8, 100, 0.1
names = ["SGD", "Adam", "q·k", "random step"]
size = {name: np.empty((groups, len(dims))) for name in names}
mean, error = {}, {}
for column, d in enumerate(dims):
    q, k, u, v = rng.standard_normal((4, groups, pairs, d))
    # What is added to q and to k where the score is to rise: `step` for each
    # coordinate, in the mean square.
    change = {
        "SGD": (step * k, step * q),
        "Adam": (step * np.sign(k), step * np.sign(q)),
        "random step": (step * u, step * v),
    }
    terms = {"q·k": q * k}
    for name, (dq, dk) in change.items():
        terms[name] = (q + dq) * (k + dk) - q * k
    for name in names:
        total = terms[name].sum(axis=-1)
        size[name][:, column] = np.sqrt(np.mean(total**2, axis=1))
    adam = terms["Adam"].sum(axis=-1)
    mean[d], error[d] = adam.mean(), adam.std() / np.sqrt(adam.size)
fit = {name: exponent(dims, size[name]) for name in names}
# Adam's step is η√(2/π) for each coordinate.
eta = step / np.sqrt(2 / np.pi)
adam_law = {d: 4 / np.pi * eta * d for d in dims}
path = {name: np.cumsum(terms[name][0, 0]) for name in names}

# %%
import matplotlib.pyplot as plt

fig, (sums, sizes) = plt.subplots(2, 1, figsize=(6.4, 6.8))
for place, name in enumerate(names):
    style = "--" if name == "random step" else "-"
    look = {"color": f"C{place}", "linestyle": style}
    sums.plot(path[name], **look, label=name)
    note = f"{name}: $d^{{{fit[name][0]:.1f}}}$"
    sizes.loglog(dims, size[name].mean(0), marker="o", **look, label=note)
sums.set(xlabel="terms added up, at d = 512", ylabel="their sum")
sums.set(yticks=[0, 50, 100])
sums.legend(loc="upper left")
sizes.set(xlabel="d", ylabel="sum of all d terms (rms)", ylim=(0.4, 900))
sizes.set(xticks=dims, xticklabels=dims)
sizes.minorticks_off()
sizes.legend(loc="upper left", ncols=2)
plt.show()
