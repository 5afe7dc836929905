r"""Before training $q\cdot k$ has the size of $\sqrt d$. What training adds to
it grows like $d$; the same distance in a random direction does not.

Log-log plot over d from 16 to 512, mean of six seeds. Five nearly straight
lines. The line of q·k at initialisation has slope one half. The movement of q·k
at the right key after ten Adam steps begins a little above it and rises with
slope 1, to eight times as much at d = 512. The same from W_Q = 0 begins lower
and rises as steeply. Two dashed lines of random movement lie below: one of the
same length in q and k has slope one half, one of the same length in the weights
is flat. The legend, above, gives the fitted exponents.
"""

# %%
import numpy as np
from recall import at_random, ends, exponent, rms, scores, train

dims, seeds, steps = [16, 32, 64, 128, 256, 512], [0, 1, 2, 3, 4, 5], 10
names = ["right key", "from 0", "before", "random q, k", "random weights"]
size = {name: np.empty((len(seeds), len(dims))) for name in names}
length = np.empty((len(seeds), len(dims)))
for at in np.ndindex(len(seeds), len(dims)):
    seed, d = seeds[at[0]], dims[at[1]]
    (X, old), (_, new) = ends(train(d, seed, d / 8, steps))
    S = scores(X, old)
    rng = np.random.default_rng([seed, d, 1])

    change = [b - a for a, b in zip(old, new, strict=True)]
    q, k = (X @ w.T for w in old)
    dq, dk = (at_random(rng, X @ c.T, axis=1) for c in change)
    W = [w + at_random(rng, c) for w, c in zip(old, change, strict=True)]
    size["before"][at] = rms(S)
    size["right key"][at] = rms(np.diag(scores(X, new) - S))
    size["random q, k"][at] = rms((q + dq) @ (k + dk).T - S)
    size["random weights"][at] = rms(scores(X, W) - S)
    *_, (X, new) = train(d, seed, d / 8, steps, zero_query=True)
    size["from 0"][at] = rms(np.diag(scores(X, new)))
    length[at] = rms(dq)
fit = {name: exponent(dims, size[name]) for name in names}
fit["length"] = exponent(dims, length)
# The exponent between each width and the next.
local = {
    name: [
        exponent(dims[i : i + 2], size[name][:, i : i + 2])
        for i in range(len(dims) - 1)
    ]
    for name in ("right key", "from 0")
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5.6))
notes = {
    "right key": "movement by training",
    "from 0": "the same from $W_Q = 0$",
    "before": "q·k before training",
    "random q, k": "random movement of q, k",
    "random weights": "random movement of weights",
}
for place, (name, note) in enumerate(notes.items()):
    style = "o--" if "random" in name else "o-"
    label = f"{note}: $d^{{{abs(fit[name][0]):.1f}}}$"
    axes.loglog(
        dims, size[name].mean(axis=0), style, color=f"C{place}", label=label
    )
axes.set(xlabel="head dimension d", ylabel="q·k, or its movement (rms)")
axes.set(xticks=dims, xticklabels=dims)
axes.minorticks_off()
fig.legend(loc="outside upper center")
plt.show()

# %% says
before, right, zero = (
    size[name].mean(axis=0) for name in ("before", "right key", "from 0")
)
controls = np.maximum(size["random q, k"], size["random weights"]).mean(axis=0)
slope = {name: fit[name][0] for name in fit}
assert abs(slope["before"] - 1 / 2) < 0.03, r"has the size of $\sqrt d$"
assert abs(slope["right key"] - 1) < 0.05, "adds to it grows like $d$"
assert max(slope["random q, k"], slope["random weights"]) < 0.6, (
    "the same distance in a random direction does not"
)
assert abs(slope["before"] - 1 / 2) < 0.03, "initialisation has slope one half"
assert before[0] < right[0] < 1.5 * before[0], "begins a little above it"
assert abs(slope["right key"] - 1) < 0.05, "above it and rises with slope 1"
assert abs(right[-1] / before[-1] - 8) < 1, "eight times as much at d = 512"
assert zero[0] < right[0], "from W_Q = 0 begins lower"
assert abs(slope["from 0"] - 1) < 0.05, "begins lower and rises as steeply"
assert np.all(controls < np.minimum(before, zero)), (
    "dashed lines of random movement lie below"
)
assert abs(slope["random q, k"] - 1 / 2) < 0.03, "q and k has slope one half"
assert abs(slope["random weights"]) < 0.03, "length in the weights is flat"

assert steps == 10, "ten steps add a part with slope"
assert len(seeds) == 6, "one standard error, over six seeds"
assert abs(slope["right key"] - 1) < 0.05, r"at most, trained movement like $d$"
assert max(slope["random q, k"], slope["random weights"]) < 0.55, (
    r"Random movement grows like $\sqrt d$ at most"
)
assert slope["random q, k"] < slope["right key"] - 0.4, (
    "comes from the step's length, … and the other from its direction"
)
assert local["right key"][0][0] > local["right key"][-1][0], (
    "From random queries the slope falls with $d$, from"
)
assert np.all(np.diff(before / dims) < 0), "narrow models begin with larger"
assert np.ptp(local["from 0"][dims.index(64) :], axis=0)[0] < 0.03, (
    "there is no such bend beyond"
)
assert 0.45 < slope["random q, k"] < 1 / 2, "has a slope a little below ½"
assert slope["length"] < 0, "moves a little less in a wider model"

# Of the front page.
assert len(dims) == 6, "We measured it at six widths"
assert abs(slope["before"] - 1 / 2) < 0.05, (
    "Before training the scores grow like d to the power"
)
assert abs(slope["from 0"] - 1) < 0.05, (
    "What ten steps add to them, when queries begin at 0, grows like d to"
)
