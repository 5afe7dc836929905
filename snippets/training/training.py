r"""Which line stays level? Dividing by $\sqrt d$ keeps the logits of the start,
dividing by $d$ keeps what the steps of training add, and with no divisor both
grow. From $W_Q = 0$ the logits begin at 0. Both axes are logarithmic.

Three panels over d from 16 to 512: no divisor, √d and d. In each a line of
circles for the logits before training, a line of squares for what ten steps add
at the right key from random queries, and a dashed line of diamonds for the same
from W_Q = 0. With no divisor all three rise. With √d the circles lie level at
1, and the others rise, from {= by_root[0][0] :.1f } to {= by_root[0][-1] :.1f }
and from {= by_root[1][0] :.1f } to {= by_root[1][-1] :.1f }. With d the circles
fall from {= whole[0] :.2f } to {= whole[-1] :.2f }, and the others lie level,
at {= by_whole[0][0] :.1f } and at {= by_whole[1][0] :.1f }.
"""

# %%
import numpy as np
from recall import rms, scores, train

dims, seeds, steps = [16, 32, 64, 128, 256, 512], [0, 1], 10
divisors = {"no divisor": lambda d: 1, "√d": np.sqrt, "d": lambda d: d}
starts = {"random": False, "W_Q = 0": True}
# The size of the logits at the start, and at each step by how much those at the
# right key have changed since.
shape = len(divisors), len(starts), len(seeds), len(dims)
begin, moved = np.empty(shape), np.empty((*shape, steps + 1))
for i, j, seed, column in np.ndindex(shape):
    d, zero = dims[column], [*starts.values()][j]
    s = [*divisors.values()][i](d)
    for step, (X, W) in enumerate(train(d, seed, s, steps, zero_query=zero)):
        S = scores(X, W) / s
        if step == 0:
            first, begin[i, j, seed, column] = S, rms(S)
        moved[i, j, seed, column, step] = rms(np.diag(S - first))
start, added = begin.mean(axis=2), moved.mean(axis=2)
# By divisor; what is added also by start.
none, root, whole = start[:, 0]
by_none, by_root, by_whole = added[..., -1]


def digits(a):
    """Return the numbers to three digits."""
    return np.vectorize(lambda x: float(f"{x:.3g}"))(a)


explore = {
    "dims": dims,
    "divisors": ["nothing", "√d", "d"],
    "starts": ["random", "<i>W<sub>Q</sub></i> = 0"],
    "sizes": [0.01, 100],
    "start": digits(start[:, 0]),
    "added": digits(added),
}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 4), sharex=True, sharey=True)
for axes, name, at, of in zip(panels, divisors, start, added, strict=True):
    axes.loglog(dims, at[0], "o-", color="C0", label="logits at the start")
    label = f"added in {steps} steps"
    axes.loglog(dims, of[0, :, -1], "s-", color="C1", label=label)
    label = "the same from $W_Q = 0$"
    axes.loglog(dims, of[1, :, -1], "D--", color="C2", label=label)
    axes.set(title=name if name == "no divisor" else f"divided by {name}")
    axes.set(xticks=[16, 512], xticklabels=[16, 512])
    axes.minorticks_off()
panels[0].set(yticks=[0.1, 1, 10, 100], yticklabels=[0.1, 1, 10, 100])
panels[0].set_ylabel("size of logits (rms)")
panels[1].set_xlabel("head dimension d")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=2)
plt.show()

# %% says
assert steps == 10, "squares for what ten steps add at the right key"
assert np.ptp(np.log(root)) < 0.12, (
    r"by $\sqrt d$ keeps the logits of the start"
)
assert np.all(np.ptp(np.log(by_whole), axis=1) < 0.12), (
    "dividing by $d$ keeps what the steps of training add"
)
assert np.all(np.diff([none, *by_none]) > 0), "with no divisor both grow"
assert np.all(start[:, 1] == 0), "From $W_Q = 0$ the logits begin at 0"
assert len([none, *by_none]) == 3, "With no divisor all three rise"
assert np.all(abs(root - 1) < 0.1), "the circles lie level at 1"
assert np.all(np.diff(by_root) > 0), "at 1, and the others rise"
assert np.all(np.diff(whole) < 0), "With d the circles fall"
assert np.all(np.ptp(by_whole, axis=1) < 0.03), "and the others lie level"

assert len(dims) == 6, "We trained such a layer at six head sizes"
assert np.all(np.diff([none, *by_none]) > 0), "both lines climb"
assert np.all(abs(root - 1) < 0.1), "keeps the start, and the steps grow"
assert np.all(np.diff(by_root[0]) > 0), "keeps the start, and the steps grow"
assert np.all(np.diff(whole) < 0), "keeps the steps, and the start fades"
