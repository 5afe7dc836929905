r"""The largest logit runs ahead of the spread for the first hundred steps, and
then the spread catches up.

Two panels, Adam and Muon, over the steps of training, both axes logarithmic:
the logit that exceeds the mean of its row most over the spread, and
the three factors whose product it is, all as multiples of their start. The
alignment of the two ends below its start.
"""

# %%
import numpy as np
from stored import mean_and_error, pivot, read

rows = read("growth/factors.csv")
parts = {
    "head": "its head’s spread",
    "long": "lengths of q and k",
    "direct": "alignment of the two",
}
over, ratio = {}, {}
for optimizer in ("Adam", "Muon"):
    where = {"d": 32, "remedy": "none", "rate": 1, "optimizer": optimizer}
    found = {name: pivot(rows, "step", name, **where)[1] for name in parts}
    steps = pivot(rows, "step", "head", **where)[0]
    times = np.prod([*found.values()], axis=0)
    ratio[optimizer] = {
        int(step): mean_and_error(size)
        for step, size in zip(steps, times.T, strict=True)
    }
    found = {"largest / spread": times} | found
    # Geometric means over the seeds, so that the product stays the product.
    over[optimizer] = {
        name: np.exp(np.log(size / size[:, :1]).mean(axis=0))
        for name, size in found.items()
    }

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 4), sharex=True, sharey=True)
for axes, (optimizer, sizes) in zip(panels, over.items(), strict=True):
    for place, (name, times) in enumerate(sizes.items()):
        look = {"color": f"C{place}", "label": parts.get(name, name)}
        look["linewidth"] = 1.5 if place else 3
        axes.loglog(steps[1:], times[1:], "os^D"[place] + "-", **look)
    axes.set(title=optimizer, xlabel="steps of training")
    axes.set(xticks=[1, 10, 100, 1000], xticklabels=[1, 10, 100, 1000])
    axes.minorticks_off()
panels[0].set(yticks=[0.5, 1, 2], yticklabels=[0.5, 1, 2])
panels[0].set_ylabel("times as large as at the start")
handles, labels = panels[0].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=2)
plt.show()

# %% says
for optimizer in ("Adam", "Muon"):
    sizes, factors = ratio[optimizer], over[optimizer]
    start, top, end = (sizes[step] for step in (0, 100, 1000))
    apart = 3 * np.hypot(start[1], top[1])
    assert top[0] - start[0] > apart, "runs ahead … for the first hundred steps"
    assert max(sizes, key=sizes.get) == 100, "Here around step 100"
    assert end[0] < start[0], "no more than at the start"
    at = [*steps].index(100)
    assert factors["head"][at] > 1.3, "some heads are ahead of the others"
    assert factors["long"][at] > 1.5, "some tokens have much longer"
    for part in ("head", "long"):
        assert 1 < factors[part][-1] < factors[part][[*steps].index(100)], (
            "After step 100 heads and lengths even out"
        )
    assert factors["direct"][-1] < 1, "ends below its start"
    assert factors["direct"][-1] < 0.8, "is less of an exception"
