r"""With Muon as with Adam, $q\cdot k$ moves like $\sqrt d$ in the first step
and nearly like $d$ after 300. Muon gets there later.

Two panels, Adam and Muon, both axes logarithmic: how far q·k has moved since
the start, less the mean of its row, over the head dimension from
{= dims[1][0] } to {= dims[1][-1] }, with a line for each of six steps from 1 to
{= steps[-1] }. All rise. Adam’s line of step 1 rises from
{= size['Adam', 1][0] :.1f } to {= size['Adam', 1][-1] :.1f }, and that of step
300, which ends at d = 64, from {= size['Adam', 300][0] :.0f } to
{= size['Adam', 300][-1] :.0f }; Muon’s lie within a fifth of these. Those of
step 1000 run from {= dims[1000][0] } to {= dims[1000][-1] }, and Muon’s end
nearly twice as high.
"""

# %%
import numpy as np
from stored import mean_and_error, pivot, read

every = read("growth/factors.csv")
rows = every[every["rate"] == 1]
steps, eta = [1, 10, 30, 100, 300, 1000], {"Adam": 0.2, "Muon": 0.02}
dims = {step: [8, 16, 32, 64, 128] for step in steps[:4]}
dims |= {300: [8, 16, 32, 64], 1000: [16, 32, 64]}


def over_widths(what, remedy, optimizer, step):
    """Return `what` for each seed (row) and width, at a step."""
    where = {"optimizer": optimizer, "step": step}
    columns = []
    for d in dims[step] if remedy == "none" else dims[max(step, 300)]:
        same = "none" if d == 64 else remedy  # 64/8 is √64
        columns.append(pivot(rows, "step", what, **where, d=d, remedy=same)[1])
    return np.hstack(columns)


def exponent(sizes):
    """Return the slope of ln size over ln d, its mean and error over seeds."""
    of_d = np.log(2) * np.arange(sizes.shape[1])
    return mean_and_error(np.polyfit(of_d, np.log(sizes.T), 1)[0])


size, slope = {}, {}
for optimizer in eta:
    for step in steps:
        sizes = over_widths("moved", "none", optimizer, step)
        size[optimizer, step] = sizes.mean(axis=0)
        slope[optimizer, step] = exponent(sizes)
        for remedy, what in [("none", "attended"), ("1/d", "moved")]:
            sizes = over_widths(what, remedy, optimizer, step)
            slope[optimizer, remedy, what, step] = exponent(sizes)


def of_seeds(rows, widths, **where):
    """Return how far q·k moved, for each seed (row) and width."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    at = {(row["seed"], row["d"]): row["moved"] for row in rows}
    return np.array([[at[seed, d] for d in widths] for seed in (0, 1, 2)])


# At half the rate, of three head sizes.
half = {}
for optimizer in eta:
    where = {"remedy": "none", "rate": 0.5, "optimizer": optimizer}
    sizes = of_seeds(every, dims[1000], **where, step=1000)
    half[optimizer] = exponent(sizes)
# The first step, split: what moves q·k if only some of the weights have moved.
first, parts, apart = read("growth/first.csv"), {}, {}
for part in ("bytes and places", "W_Q and W_K"):
    for name, times in (("Adam", 1), ("Muon", 1), ("Muon", 10)):
        where = {"part": part, "optimizer": name, "times": times}
        sizes = of_seeds(first, dims[1], **where)
        parts[part, name, times] = exponent(sizes)
        apart[part, name, times] = sizes.mean(axis=0)
shown = [
    ("bytes and places alone", "bytes and places"),
    ("$W_Q$ and $W_K$ alone", "W_Q and W_K"),
]
# The slope between the two largest heads alone.
ends = {name: apart["W_Q and W_K", name, 1] for name in eta}
steepest = {
    name: np.log2(sizes[-1] / sizes[-2]) for name, sizes in ends.items()
}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 4), sharex=True, sharey=True)
for axes, optimizer in zip(panels, eta, strict=True):
    for place, step in enumerate(steps):
        look = {"color": f"C{place}", "label": f"step {step}"}
        sizes = size[optimizer, step]
        axes.loglog(dims[step], sizes, "os^DvP"[place] + "-", **look)
    axes.set(title=optimizer, xticks=dims[1], xticklabels=dims[1])
    axes.minorticks_off()
    axes.set_xlabel("head dimension d")
panels[0].set(yticks=[1, 10, 100], yticklabels=[1, 10, 100])
panels[0].set_ylabel("change of q·k (rms)")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=3)
plt.show()

# %% says
for name in eta:
    whole, final = slope[name, 1], slope[name, 300]
    assert slope[name, 300][0] > 0.9, "in the first step and nearly … after"
    assert abs(whole[0] - 0.56) < 0.02, (
        r"moves like $\sqrt d$ in the first step and"
    )
    assert abs(final[0] - 0.92) < 0.02, "in the first step and nearly like $d$"
    assert all(np.all(np.diff(size[name, step]) > 0) for step in steps), (
        "a line for each of six steps"
    )
    assert final[0] > 0.5 + 3 * final[1], "is left in the logits"
    tokens, weights = (parts[part, name, 1] for _, part in shown)
    assert abs(tokens[0] - 0.5) < 0.05, "it is the tokens that move like"
    assert weights[0] > tokens[0] + 4 * weights[1], "alone grows faster"
    assert abs(steepest[name] - 1) < 0.05, "nearly like $d$ between the two"
    further = apart["bytes and places", name, 1] / ends[name]
    assert np.all(further > 1.5), "and less far than the tokens do"
    late = slope[name, "1/d", "moved", 1000]
    assert late[0] < slope[name, "1/d", "moved", 300][0] - late[1], (
        "and less by step"
    )
    assert late[0] < 1 - late[1], "move a little less in wider models"
assert abs(parts["W_Q and W_K", "Muon", 10][0] - 0.77) < 0.02, (
    "at ten times its rate Muon has the same slope"
)
assert np.all(np.diff(size["Adam", 1]) > 0), "Adam’s line of step 1 rises"
assert dims[300][-1] == 64, "which ends at d = 64"
for step in (1, 300):
    ratio = size["Muon", step] / size["Adam", step]
    assert np.all(abs(ratio - 1) < 1 / 5), "Muon’s lie within a fifth of these"
assert abs(slope["Adam", 300][0] - slope["Muon", 300][0]) < 0.05, (
    "By step … the exponents are alike"
)
later = {name: slope[name, 1000] for name in eta}
assert later["Muon"][0] - later["Adam"][0] > 0.2, "is ahead at this rate"
assert half["Muon"][0] < half["Adam"][0], "and Adam at half of it"
tops = [size[name, 1000][-1] for name in ("Muon", "Adam")]
assert 1.7 < tops[0] / tops[1] < 2, "Muon’s end nearly twice as high"
assert slope["Adam", 30][0] - slope["Muon", 30][0] > 0.2, (
    "Muon gets there later"
)
