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

table, scales = read("moved.csv"), ["1/√d", "8/d"]
steps = [1, 10, 50, 200, 1000]
parts = ["lengths", "alignment", "shared", "pairing"]
fit, dims, start = {}, {}, {0: "random", 1: "0"}
for scale in scales:
    for zero in start:
        for step in steps:
            for pairs in ("attended", "by another head", "all"):
                where = {"scale": scale, "zero_query": zero, "step": step}
                where["pairs"] = pairs
                dims[step], size = over_widths(table, "size", **where)
                fit[scale, start[zero], step, pairs] = {
                    part: exponent(*over_widths(table, part, **where))
                    for part in ["size", *parts]
                }
n_seeds = len(size)

# The exponents over the widths that all steps have; by how much they change up
# to the last step, as the exponent of the quotient; and between each width and
# the next.
common, change, local, last = {}, {}, {}, steps[-1]
alike = table[np.isin(table["d"], dims[last]) & (table["pairs"] == "attended")]
for scale in scales:
    for zero, name in start.items():
        where = {"scale": scale, "zero_query": zero}
        _, late = over_widths(alike, "size", **where, step=last)
        for step in steps:
            at = scale, name, step
            d, size = over_widths(alike, "size", **where, step=step)
            common[at] = exponent(d, size)
            change[*at, last] = exponent(d, late / size)
            local[at] = [
                exponent(d[i : i + 2], size[:, i : i + 2])[0]
                for i in range(len(d) - 1)
            ]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5), sharex=True, sharey=True)
for axes, (scale, zero) in zip(
    panels.flat, [(a, b) for a in scales for b in ("random", "0")], strict=True
):
    found = [fit[scale, zero, step, "attended"] for step in steps]
    above, below = np.zeros((2, len(steps)))
    for place, part in enumerate(parts):
        value = np.array([each[part][0] for each in found])
        bottom = np.where(value > 0, above, below)
        look = {"color": f"C{place}", "hatch": ["", "//", "..", "xx"][place]}
        axes.bar(range(len(steps)), value, 0.7, bottom, **look, label=part)
        above, below = above + value.clip(0), below + value.clip(max=0)
    total, error = np.transpose([each["size"] for each in found])
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
