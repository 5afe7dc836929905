r"""One step of training, by SGD or Adam, adds terms of one sign: their sum
climbs like $d$, while the terms of $q\cdot k$ itself mostly cancel.

Sums of the first n terms, for one pair of 512 dimensions. The terms of q·k
wander near 0; the terms that a step of SGD or of Adam adds climb in nearly
straight lines to about {= path['SGD'][-1] :.0f } and
{= path['Adam'][-1] :.0f }; those of a random step of the same length stay near
0.
"""

# %%
import numpy as np
from recall import exponent

rng = np.random.default_rng(0)
dims, groups, pairs, step = [16, 32, 64, 128, 256, 512], 8, 100, 0.1
names = ["SGD", "Adam", "q·k", "random step"]
size = {name: np.empty((groups, len(dims))) for name in names}
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
fit = {name: exponent(dims, size[name]) for name in names}
path = {name: np.cumsum(terms[name][0, 0]) for name in names}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
notes = {"SGD": "what SGD adds", "Adam": "what Adam adds"}
notes |= {"random step": "what a random step adds"}
for place, name in enumerate(names):
    style = "--" if name == "random step" else "-"
    look = {"color": f"C{place}", "linestyle": style}
    axes.plot(path[name], **look, label=notes.get(name, name))
axes.set(xlabel="n, of 512 terms", ylabel="sum of the first n terms")
axes.set(yticks=[0, 50, 100])
axes.legend(loc="upper left")
plt.show()

# %% says
n = np.arange(1, 513) / 512
added = np.array([fit["SGD"], fit["Adam"]])[:, 0]
assert np.all(abs(added - 1) < 0.03), "their sum climbs like $d$"
assert abs(fit["q·k"][0] - 1 / 2) < 0.03, "while the terms … mostly cancel"
assert np.all(abs(path["q·k"]) < 30), "terms of q·k wander near 0"
for name in ("SGD", "Adam"):
    end = path[name][-1]
    assert np.all(abs(path[name] - end * n) < end / 8), (
        "climb in nearly straight lines"
    )
assert np.all(abs(path["random step"]) < 10), "the same length stay near 0"

assert abs(fit["q·k"][0] - 1 / 2) < 0.03, (
    r"have random signs, … and their sum grows like $\sqrt d$"
)
assert np.all(abs(added - 1) < 0.03), (
    "To this pair it adds products of one sign, … it adds grows like $d$"
)

# Of the questions.
assert abs(fit["Adam"][0] - 1) < 0.03, (
    "with Adam, the first step moves the score by an amount that grows like"
)
