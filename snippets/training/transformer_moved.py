r"""In a small transformer the fitted exponent of $d$ in the movement of
$q\cdot k$ at attended pairs lies between ½ and 1.1. From step 50 to step 1000
movement in random directions would give about half a power; covariances that
align give nearly all of the rest, and pairs that belong together almost
nothing. A slice below 0 is subtracted. Error bars show two standard errors; $d$
goes to 256, and after step 50 to 128.

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

# The exponents over the widths that all steps have; by how much they change up
# to the last step, as the exponent of the quotient; and between each width and
# the next.
common, change, local = {}, {}, {}
alike = table[np.isin(table["d"], dims[last])]
for at in size:
    d, early = over(alike, "size", *at)
    _, late = over(alike, "size", *at[:2], last)
    common[at] = exponent(d, early)
    change[*at, last] = exponent(d, late / early)
    local[at] = np.diff(np.log2(early), axis=1).mean(axis=0)

# What the tables on the page show.
lasting = {step: [common[*how, step] for how in settings] for step in steps}
for step in (50, 200):
    changes = [change[*how, step, last] for how in settings]
    lasting[f"{last} less {step}"] = changes
by_part = {
    step: [found["8/d", "0", step] for found in fit.values()] for step in steps
}

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
    assert 1 / 2 < all_parts < 1.1, "attended pairs lies between ½ and 1.1"
    assert pair < 0.05, "Pairing is a thin slice"
    if at[-1] >= 50:
        assert abs(along - 1 / 2) < 0.12, "would give about half a power"
        assert aligned > 0.85 * (all_parts - along), "nearly all of the rest"
        assert pair < 0.05, "pairs that belong together almost nothing"
    if at[1:] == ("random", 10):
        assert mean > 0.6 * (all_parts - along), "means give most at step 10"
    else:
        assert aligned > mean, "and alignment is the largest part elsewhere"
bars = np.array([value for value, _ in lengths.values()])
assert np.mean(abs(bars - 1 / 2) < 0.1) > 1 / 2, "about a half in most bars"
widest = dims[50][-1], dims[200][-1], dims[1000][-1]
assert widest == (256, 128, 128), "goes to 256, and after step 50 to 128"

late = np.array(
    [[size[*how, step][0] for step in steps[2:]] for how in settings]
)
assert np.all(abs(late[:, -1] - 1) < 0.15), (
    "moves nearly like $d$, and still does"
)
assert steps[2:] == [50, 200, 1000], "from step 50 to step 1000"
assert last == 1000, "and still does at step 1000"
assert np.all(abs(late[:2] - 1) < 0.1), (
    "with $8/d$, its exponent lies within 0.1"
)
assert np.all(late[2:] < late[:2]), r"with $1/\sqrt d$ it is a little lower"
assert np.all(abs(late[2:] - 0.9) < 0.05), "it is a little lower, about 0.9"
assert {*table["rate"]} == {0.2}, r"That is for the learning rate $\eta = 0.2$"
assert (dims[50][0], dims[50][-1]) == (16, 256), "with $d$ from 16 to 256, and"
assert len(dims[50]) == len(dims[1000]) + 1, (
    "The widest we trained for 50 steps, the others for 1000"
)
assert n_seeds == 3, "in this section are standard errors over three seeds"
value, error = size["8/d", "random", 1]
assert value + 5 * error < 1, "gives only … far from the 1 of a single pair"
gap = {at: abs(size[at][0] - all_pairs[at][0]) for at in size}
assert gap["8/d", "0", 50] < 0.05, "attended or not, it is … much the same"
assert alignment["8/d", "0", 50][0] > 0.4, (
    "Queries move more in the directions in which keys vary more"
)

assert (len(dims[1000]), dims[1000][-1]) == (4, 128), (
    "over the four widths up to $d = 128$, which all steps have"
)
since = {
    step: np.transpose([change[*how, step, last] for how in settings])
    for step in (50, 200)
}
value, error = since[50]
assert np.all(abs(value) < 2 * error), "is within twice the errors of that at"
assert (steps[2], last) == (50, 1000), "At step 1000 the … that at step 50"
found = np.array(
    [[common[*how, step][0] for step in steps] for how in settings]
)
assert np.all(found[:, 3] > np.maximum(found[:, 2], found[:, 4])), (
    "At step 200 it is a little higher"
)
value, error = since[200][:, :2]
assert np.all(value < -3 * error), (
    "falls from there … by more than three errors"
)
assert steps[3:] == [200, 1000], "At step 200 … from there to step 1000"
bend = {
    step: np.array([local[*how, step] for how in settings]) for step in steps
}
assert np.all(abs(bend[10][::2, 0] - 1 / 2) < 0.05), "At step 10 … is about ½"
assert np.all(abs(bend[10][::2, 1:] - 1) < 0.1), "½, and beyond that about 1"
assert [*d[:2]] == [16, 32], "the slope from $d = 16$ to 32"


def more(part, zero):
    """Return how much larger a part is with 8/d, in the end."""
    return part["8/d", zero, last][0] - part["1/√d", zero, last][0]


assert more(lengths, "0") > 0.1, "lower with … is the part of the lengths"
assert abs(more(alignment, "0")) < 0.02, "what is lower with … is the part of"
assert last == 1000, "At step 1000 what is lower"
assert 0 < more(lengths, "random") < more(lengths, "0"), (
    "From random queries the gap is smaller"
)
assert gap["1/√d", "random", 50] > gap["1/√d", "random", 1000] + 0.03, (
    "attended pairs and all pairs differ more at step 50"
)
assert [len(dims[step]) for step in (50, 200, 1000)] == [5, 4, 4], (
    "over five widths up to step 50 and then over four"
)
assert (n_seeds, last) == (3, 1000), "three seeds and at most 1000 steps"
assert dims[50][-1] == 16 * dims[50][0], "differ by a factor of sixteen"
assert dims[200][-1] == 8 * dims[200][0], (
    "after step 50 it is a factor of eight"
)
