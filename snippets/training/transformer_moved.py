r"""The fitted exponent of $d$ in the movement of $q\cdot k$ at attended pairs,
and its parts. From step 50 to step 1000 movement in random directions would
give about half a power; covariances that align give nearly all of the rest.
Pairing gives almost nothing, and no factor that has a bound could give more. A
slice below 0 is subtracted. Error bars show two standard errors; $d$ goes to
256, and after step 50 to 128.

Four panels of stacked bars, one for each scale and each start of W_Q, with a
bar after 1, 10, 50, 200 and 1000 steps. Each bar is the exponent in d of the
movement of q·k at attended pairs. The part of the lengths, at the bottom, is
about a half in most bars. Of the rest, shared means give most at step 10 from
random queries, and alignment is the largest part elsewhere. Pairing is a thin
slice.
"""

# %%
import numpy as np
from recall import exponent
from stored import over_widths, read

table, last = read("moved.csv"), 1000
steps = [1, 10, 50, 200, last]
parts = ["lengths", "alignment", "shared", "pairing"]
settings = [
    (scale, zero) for scale in ("8/d", "1/√d") for zero in ("0", "random")
]


def over(rows, what, scale, zero, step, pairs="attended"):
    """Return the widths, and for each seed a row of `what` at each width."""
    where = {"scale": scale, "zero_query": int(zero == "0"), "step": step}
    return over_widths(rows, what, **where, pairs=pairs)


# The exponents at attended pairs by part, and over all pairs.
fit, all_pairs, dims = {part: {} for part in [*parts, "size"]}, {}, {}
for at in [(*how, step) for how in settings for step in steps]:
    for part in fit:
        dims[at[-1]], sizes = over(table, part, *at)
        fit[part][at] = exponent(dims[at[-1]], sizes)
    all_pairs[at] = exponent(*over(table, "size", *at, "all"))
lengths, alignment, shared, pairing, size = fit.values()
n_seeds = len(sizes)

# How much of the movement is a shift that all keys share, at step 10.
shift = over(table, "shared", "8/d", "0", 10)[1].mean(axis=0)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5), sharex=True, sharey=True)
for axes, (scale, zero) in zip(panels.flat, reversed(settings), strict=True):
    above, below = np.zeros((2, len(steps)))
    for place, part in enumerate(parts):
        value = np.array([fit[part][scale, zero, step][0] for step in steps])
        bottom = np.where(value > 0, above, below)
        look = {"color": f"C{place}", "hatch": ["", "//", "..", "xx"][place]}
        axes.bar(range(len(steps)), value, 0.7, bottom, **look, label=part)
        above, below = above + value.clip(0), below + value.clip(max=0)
    total, error = np.transpose([size[scale, zero, step] for step in steps])
    ink = {"color": plt.rcParams["text.color"], "fmt": "o", "capsize": 4}
    axes.errorbar(range(len(steps)), total, 2 * error, **ink)
    axes.set(title=f"{scale}, $W_Q$ {'random' if zero == 'random' else '= 0'}")
    axes.set(xticks=range(len(steps)), xticklabels=steps, yticks=[0, 0.5, 1])
for axes in panels[1]:
    axes.set_xlabel("step")
for axes in panels[:, 0]:
    axes.set_ylabel("exponent in d")
handles, labels = panels[0, 0].get_legend_handles_labels()
tight = {"handlelength": 1.5, "columnspacing": 1.2}
fig.legend(handles, labels, loc="outside upper center", ncols=4, **tight)
plt.show()

# %% says
for at in size:
    along, aligned, mean, pair, all_parts = (fit[part][at][0] for part in fit)
    assert pair < 0.05, "Pairing is a thin slice"
    if at[-1] >= 50:
        assert abs(along - 1 / 2) < 0.12, "would give about half a power"
        assert aligned > 0.85 * (all_parts - along), "nearly all of the rest"
        assert pair < 0.05, "Pairing gives almost nothing"
    if at[1:] == ("random", 10):
        assert mean > 0.6 * (all_parts - along), "means give most at step 10"
    else:
        assert aligned > mean, "and alignment is the largest part elsewhere"
bars = np.array([value for value, _ in lengths.values()])
assert np.mean(abs(bars - 1 / 2) < 0.1) > 1 / 2, "about a half in most bars"
widest = dims[50][-1], dims[200][-1], dims[1000][-1]
assert widest == (256, 128, 128), "to 256, and after step 50 to 128"
assert n_seeds == 3, "short windows, three seeds and at most 1000 steps"
assert last == 1000, "three seeds and at most 1000 steps"
assert (dims[10][0], dims[10][-1]) == (16, 256), (
    "the factor of shared means is … at $d = 16$ and … at $d = 256$"
)
assert shift.min() > 10, "nearly all of that movement comes from means"


def more(part, zero):
    """Return how much larger a part is with 8/d, in the end."""
    return part["8/d", zero, last][0] - part["1/√d", zero, last][0]


for zero in ("0", "random"):
    assert more(lengths, zero) > 0.04, "lower with … is the part of the lengths"
    assert abs(more(alignment, zero)) < 0.03, "what is lower with … is the part"
assert last == 1000, "At step 1000 what is lower"
assert len(dims[50]) == len(dims[1000]) + 1, (
    "The widest model we trained for 50 steps, the others for 1000"
)
assert dims[50][-1] == 16 * dims[50][0], "differ by a factor of sixteen"
assert dims[200][-1] == 8 * dims[200][0], "and after step 50 of eight"
