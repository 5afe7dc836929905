r"""Dividing by $d^a$: with Adam no $a$ brings the exponents of the start and of
the step to 0 together. With SGD and a learning rate like $1/D$, $a = ½$ does.
Error bars show two standard errors.

Three falling lines over the exponent a of the divisor, from 0 to 1.25: 1/2 − a
for the size of the logits at initialisation; parallel to it, one half above,
1 − a for what the first Adam step adds at the right key; and steeper, 1 − 2a
for what a step of SGD adds. The first and the last cross 0 together at a = 1/2,
that of Adam at a = 1. Measured dots with error bars lie on the line of the
start, and within 0.08 of the other two.
"""

# %%
import numpy as np
from recall import exponent, gradients, init, log_softmax, rms, scores, train

powers, dims, seeds = (
    [0, 0.25, 0.5, 0.75, 1, 1.25],
    [32, 64, 128, 256],
    range(4),
)
start, movement, sgd, coordinate, eta = {}, {}, {}, {}, 0.1
for a in powers:
    before, added, by_sgd, of_q = np.empty((4, len(seeds), len(dims)))
    for at in np.ndindex(before.shape):
        seed, d = seeds[at[0]], dims[at[1]]
        # All of these divide by 8 at d = 64.
        s = 8 * (d / 64) ** a
        (X, old), (_, new) = train(d, seed, s, 1, eta)
        before[at] = rms(scores(X, old) / s)
        added[at] = rms(np.diag(scores(X, new) - scores(X, old)) / s)
        # A step of SGD instead.
        rate = 16 / X.shape[1]
        new = [
            w - rate * g for w, g in zip(old, gradients(X, old, s), strict=True)
        ]
        by_sgd[at] = rms(np.diag(scores(X, new) - scores(X, old)) / s)
        of_q[at] = rms(X @ (new[0] - old[0]).T)
    start[a] = exponent(dims, before)
    movement[a] = exponent(dims, added)
    sgd[a], coordinate[a] = exponent(dims, by_sgd), exponent(dims, of_q)

# With √d again, but the rate of W_Q and W_K has one more factor 1/√d.
of_slower = np.empty((len(seeds), len(dims)))
for at in np.ndindex(of_slower.shape):
    seed, d = seeds[at[0]], dims[at[1]]
    (X, old), (_, new) = train(d, seed, np.sqrt(d), 1, eta * (64 / d) ** 0.5)
    moved = np.diag(scores(X, new) - scores(X, old))
    of_slower[at] = rms(moved / np.sqrt(d))
slower = exponent(dims, of_slower)

# What the step moves on average, as a share of what it would do to one pair.
d, pairs = dims[-1], len(X)
shares = []
for seed in seeds:
    (X, old), (_, new) = train(d, seed, d / 8, 1, eta)
    moved = np.diag(scores(X, new) - scores(X, old)).mean()
    shares.append(moved / (4 / np.pi * eta * d))
# One pair alone: the target differs from the attention there only.
moves = []
for seed in range(60):
    X, W = init(d, seed)
    target = np.exp(log_softmax(scores(X, W) / (d / 8)))
    target[0, 1] += 0.3
    step = [np.sign(g) for g in gradients(X, W, d / 8, target)]
    new = [w - eta / X.shape[1] * g for w, g in zip(W, step, strict=True)]
    moves.append((scores(X, new) - scores(X, W))[0, 1])
alone = np.mean(moves), np.std(moves, ddof=1) / len(moves) ** 0.5
formula = 4 / np.pi * eta * d
share, share_error = np.mean(shares), np.std(shares, ddof=1) / len(seeds) ** 0.5

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.6))
a = np.array(powers)
axes.axhline(0, linestyle=":", color="C4")
lines = [
    ("Adam’s step: 1 − a", movement, 1 - a),
    ("logits before: ½ − a", start, 1 / 2 - a),
    ("SGD’s step, η like 1/D: 1 − 2a", sgd, 1 - 2 * a),
]
for place, (name, points, line) in enumerate(lines):
    value, error = np.transpose([points[p] for p in powers])
    axes.plot(a, line, color=f"C{place}", label=name)
    look = {"fmt": "osD"[place], "color": f"C{place}"}
    axes.errorbar(a, value, 2 * error, **look)
axes.set(xlabel="power a of the divisor", ylabel="exponent in d", xticks=powers)
axes.legend()
plt.show()

# %% says
before, adam, of_sgd = np.array(
    [[slope for slope, _ in each.values()] for each in (start, movement, sgd)]
)
a, half, whole = np.array(powers), powers.index(0.5), powers.index(1)
kept = abs(np.array([before[half], of_sgd[half]]))
assert np.all(adam - before > 0.4), (
    "with Adam no $a$ brings the exponents … to 0 together"
)
assert np.all(kept < 0.05), "With SGD and a learning rate like $1/D$, $a = ½$"
assert np.all(np.diff([before, adam, of_sgd]) < 0), "Three falling lines over"
assert np.all(abs(adam - before - 1 / 2) < 0.06), (
    "parallel to it, one half above"
)
assert np.all(np.diff(of_sgd) < np.diff(before)), "and steeper, 1 − 2a for what"
assert np.all(kept < 0.05), "The first and the last cross 0 together at a = 1/2"
assert abs(adam[whole]) < 0.05, "that of Adam at a = 1"
assert np.all(abs(before - 1 / 2 + a) < 0.02), "lie on the line of the start"
assert np.all(np.abs([adam - 1 + a, of_sgd - 1 + 2 * a]) < 0.08), (
    "and within … of the other two"
)

assert abs(alone[0] - formula) < 3 * alone[1], (
    "moves the score by … the formula gives"
)
assert np.all(adam - before > 0.4), (
    r"the step is $\sqrt d$ times the start up to a constant, whatever"
)
assert np.all(np.maximum(abs(before), abs(adam)) > 0.2), (
    "So no divisor keeps both"
)
assert abs(slower[0]) < 0.05 > abs(before[half]), (
    r"the divisor $\sqrt d$ the first step … while the start is kept"
)
assert np.all(kept < 0.05), "SGD does the same with"
assert np.all(kept < 0.05), "its step contains the divisor, too, and $\\sqrt d$"
assert coordinate[0.5][0] < 0, (
    "The price is one that μP does not pay: the queries themselves learn less"
)
assert share < 1, "In a batch of many pairs the constant is smaller"
