r"""Left: in a small transformer $q\cdot k$ of attended pairs moves nearly like
$d$ from step 50 on. Right: they move about as far as any query
and any key do, while in the layer the right key moves about three times as far
or more. Error bars show two standard errors, over three seeds.

Two panels. Left, the fitted exponent in d of the movement of q·k against the
step, from 1 to 1000, on a logarithmic axis, with a line for each scale and each
start of W_Q. From W_Q = 0 the lines begin at 0.9, from random queries between
0.6 and 0.7; from step 50 on all lie between 0.85 and 1.1. Two dashed lines, for
what softmax sees from W_Q = 0, dip at step 10, to 0.8 with 8/d and to 0.7 with
1/√d. Right, how many times as far the attended pairs move as any query and any
key, against d, on a logarithmic axis. Twenty thin lines, for each setting and
each step, lie at about 1. One thick line, for the right key in the layer, rises
from 2.9 at d = 16 to 3.8 at d = 256, below a dotted line at 4, its bound.
"""

# %%
import numpy as np
from recall import TYPES, exponent, rms, scores, train
from stored import over_widths, read

moved, runs = read("moved.csv"), read("runs.csv")
runs = runs[runs["rate"] == 0.2]
steps = [1, 10, 50, 200, 1000]
divisor = {"8/d": lambda d: d / 8, "1/√d": np.sqrt}
settings = [(scale, zero) for zero in ("0", "random") for scale in divisor]
# The exponent of the movement at attended pairs; less the mean of its row; and
# how many times as far they move as any query and any key.
size, seen, level, local = {}, {}, {}, {}
for at in [(*how, step) for how in settings for step in steps]:
    where = {"scale": at[0], "zero_query": int(at[1] == "0"), "step": at[2]}
    attended = {**where, "pairs": "attended"}
    dims, sizes = over_widths(moved, "size", **attended)
    size[at] = exponent(dims, sizes)
    local[at] = np.diff(np.log2(sizes), axis=1).mean(axis=0)
    level[at] = over_widths(moved, "pairing", **attended)[1].mean(axis=0)
    if at[1] == "0":
        # All logits begin at 0, so what they are now is how far they moved.
        dims, spread = over_widths(runs, "spread", **where)
        seen[at] = exponent(dims, spread * divisor[at[0]](dims))
n_seeds = len(sizes)
# How much of the mean square of the movement softmax sees at step 10: no more
# than this, as the mean over heads is the geometric one in the denominator.
where = {"scale": "8/d", "zero_query": 1, "step": 10}
dims, every = over_widths(moved, "size", **where, pairs="all")
spread = over_widths(runs, "spread", **where)[1]
share = np.mean((spread * divisor["8/d"](dims) / every) ** 2, axis=0)
least, most = min(map(min, level.values())), max(map(max, level.values()))

# The same in the layer of associative recall, where any of the 16 queries can
# meet any of the 16 keys.
dims, n_steps = [16, 32, 64, 128, 256], 10
in_layer = np.empty((n_seeds, len(dims)))
for seed, column in np.ndindex(in_layer.shape):
    d = dims[column]
    *_, (X, W) = train(d, seed, d / 8, n_steps, zero_query=True)
    S = scores(X, W)
    in_layer[seed, column] = rms(np.diag(S)) / rms(S)
layer, bound = in_layer.mean(axis=0), np.sqrt(TYPES)
layer_exponent = exponent(dims, in_layer)

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 4))
for place, how in enumerate(settings):
    value, error = np.transpose([size[*how, step] for step in steps])
    start = "$W_Q = 0$" if how[1] == "0" else "random"
    look = {"color": f"C{place}", "capsize": 3}
    label = f"{how[0]}, {start}"
    left.errorbar(steps, value, 2 * error, fmt="osD^"[place] + "-", **look)
    left.plot([], [], "osD^"[place] + "-", color=f"C{place}", label=label)
    for step in steps:
        widths = dims[: len(level[*how, step])]
        right.plot(widths, level[*how, step], color=f"C{place}", lw=0.8)
    if how[1] == "0":
        value = [seen[*how, step][0] for step in steps]
        name = "what softmax sees" if how[0] == "8/d" else None
        left.plot(steps, value, "--", color=f"C{place}", label=name)
right.plot(dims, layer, "v-", color="C5", label="the layer’s right key")
right.axhline(bound, linestyle=":", color="C4")
left.set(xscale="log", xlabel="step", ylabel="exponent in d")
left.set(xticks=[1, 10, 100, 1000], xticklabels=[1, 10, 100, 1000])
left.set(yticks=[0.5, 0.75, 1], ylim=(0.45, 1.16))
right.set(xscale="log", xlabel="head dimension d", ylim=(0, 4.3))
right.set(xticks=[16, 64, 256], xticklabels=[16, 64, 256])
right.set(ylabel="times any pair’s", yticks=range(5))
right.minorticks_off()
fig.legend(loc="outside upper center", ncols=2)
plt.show()

# %% says
late = {at: size[at][0] for at in size if at[2] >= 50}
early = {at: size[at][0] for at in size if at[2] < 50}
assert all(abs(slope - 1) < 0.15 for slope in late.values()), (
    "attended pairs moves nearly like $d$ from step 50 on"
)
assert least > 0.9, "They move about as far as any query"
assert most < 1.25, "They move about as far as any query"
assert layer.min() > 2.7, "the right key moves about three times as far or more"
assert n_seeds == 3, "two standard errors, over three seeds"
for scale in divisor:
    assert abs(size[scale, "0", 1][0] - 0.9) < 0.02, "lines begin at 0.9"
    assert 0.6 < size[scale, "random", 1][0] < 0.7, "random queries between 0.6"
assert all(0.85 < slope < 1.1 for slope in late.values()), (
    "from step 50 on all lie between 0.85 and 1.1"
)
assert abs(seen["8/d", "0", 10][0] - 0.8) < 0.03, "at step 10, to 0.8 with"
assert abs(seen["1/√d", "0", 10][0] - 0.7) < 0.04, "8/d and to 0.7 with"
assert len(level) == 20, "Twenty thin lines"
assert abs(layer[0] - 2.9) < 0.06, "rises from 2.9 at d = 16"
assert abs(layer[-1] - 3.8) < 0.06, "to 3.8 at d = 256"
assert [dims[0], dims[-1]] == [16, 256], "at d = 16 to … at d = 256"
assert layer.max() < bound == 4, "below a dotted line at 4, its bound"

assert all(abs(late[at] - 1) < 0.1 for at in late if at[0] == "8/d"), (
    "to step 1000 the exponent is within 0.1 of 1"
)
assert all(abs(late[at] - 0.9) < 0.05 for at in late if at[0] == "1/√d"), (
    r"With $1/\sqrt d$ it is a little lower, about 0.9"
)
assert steps[2:] == [50, 200, 1000], "From step 50 to step 1000 the exponent"
bend = local["1/√d", "0", 50]
assert bend[0] < 0.75, "At step 50 … only the first doubling of $d$ makes"
assert dims[1] == 32, "doubling of $d$ makes it so; beyond $d = 32$ it is"
assert steps[2] == 50, "At step 50 from $W_Q = 0$ only the first"
assert np.all(abs(bend[1:] - 1) < 0.07), "beyond $d = 32$ it is nearly 1"
for step in (1, 10):
    value, error = size["8/d", "random", step]
    assert value + 5 * error < 0.95, "At first it is lower: from random queries"
    assert value < 1, "they add to the logits is smaller in larger heads"
value, error = seen["8/d", "0", 10]
assert value + 3 * error < size["8/d", "0", 10][0], (
    "what it sees has the exponent … instead of"
)
assert share.max() < 1 / 2, "most of the movement is one shift"
assert where["step"] == 10, "At step 10 from $W_Q = 0$ most of the movement"
assert (where["step"], dims[0], dims[-1]) == (10, 16, 256), (
    "sees no more than … of the mean square at $d = 16$ and … at 256"
)
assert np.all(np.diff(share) < 0), "no more than … of the mean square at"
assert least > 0.9, "times as far: training does not single them out"
assert layer_exponent[0] < 0.1, "and still the factor above adds only"
assert (TYPES, bound) == (16, 4), "and 4 is the most that 16 keys allow"
for how in settings:
    assert local[*how, 50][1:].min() > 0.85, (
        "the first doubling lie between 0.85"
    )
    assert local[*how, 50][1:].max() < 1.15, "lie between 0.85 and 1.15"
    if how[1] == "0":
        first, *rest = local[*how, 10]
        assert abs(first - 1 / 2) < 0.05, "from $d = 16$ to 32 is about ½"
        assert (steps[1], dims[0], dims[1]) == (10, 16, 32), (
            "At step 10 from $W_Q = 0$ the slope from $d = 16$ to 32"
        )
        assert min(rest) > 0.95, "beyond that about 1 or a little more"
        assert max(rest) < 1.25, "beyond that about 1 or a little more"
