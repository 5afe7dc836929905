r"""Right weights, all logits multiplied by a factor. Near 1 little is lost;
towards ¼ all curves climb, and towards 4 that of the real model, SmolLM2,
climbs most. Bars: ± two standard errors.

Four curves over the factor from ¼ to 4, on a logarithmic axis, of how much the
loss grows: a small decoder after 400 steps, after 1600, and after 1600 slower
ones, and SmolLM2. At ¼ they lie at {= cost['400 steps'][0] :.2f },
{= cost['1600 steps'][0] :.2f }, {= cost['1600 slow steps'][0] :.2f } and
{= cost['SmolLM2'][0] :.2f }, at 4 at {= cost['400 steps'][-1] :.2f },
{= cost['1600 steps'][-1] :.2f }, {= cost['1600 slow steps'][-1] :.2f } and
{= cost['SmolLM2'][-1] :.2f }. The axis of the loss is linear up to 0.1 and
logarithmic beyond.
"""

# %%
import numpy as np
from factors import FACTORS
from our_row import d, scores
from stored import by_seed, mean_and_error, read

table = read("mistakes/factors.csv")
factor = np.unique(table["factor"])
settings = {
    "400 steps": ("right", 400),
    "1600 steps": ("right", 1600),
    "1600 slow steps": ("right slowly", 1600),
}


def at_each(trained, step):
    """Return the loss of each seed (columns) at each factor (rows)."""
    where = {"trained": trained, "step": step}
    return np.array([by_seed(table, "loss", factor=f, **where) for f in factor])


one, most = int(abs(factor - 1).argmin()), 4
# The axis of the loss is linear up to here, which is as long on it as so many
# of its decades beyond.
linear, decades = 0.1, 0.8 / (1 - 1 / 10)
losses, ticks = (-0.03, 4), [0, 0.05, 0.1, 0.3, 1, 3]
cost, error, best = {}, {}, {}
for name, setting in settings.items():
    found = at_each(*setting)
    cost[name], error[name] = mean_and_error((found - found[one]).T)
    best[name] = float(factor[cost[name].argmin()])
smollm = read("trained/smollm_factors.csv")
smollm.sort(order="factor")
cost["SmolLM2"], error["SmolLM2"] = smollm["cost"], smollm["cost_error"]
best["SmolLM2"] = float(smollm["factor"][smollm["cost"].argmin()])
# The most that it costs to be off by a seventh on either side, or by half.
near = {name: float(max(by[one - 1 : one + 2])) for name, by in cost.items()}
half = {name: float(by[one - 4]) for name, by in cost.items()}
double = {name: float(by[one + 4]) for name, by in cost.items()}
# What the factor costs that 1/8 is in heads of twice the size that it is for.
typed_for, larger = 64, 128
by_typing = FACTORS["1/8, typed"](larger, 1)
typed = float(cost["SmolLM2"][abs(factor - by_typing).argmin()])

# For the page: the curves, and the scores of our row as they should be.
row = (scores() / d**0.5).round(4)
n_keys = len(row)
label = {name: f"decoder, {name}" for name in settings}
label["SmolLM2"] = "SmolLM2"
bar = {name: 2 * each for name, each in error.items()}  # on either side
explore = {
    "kinds": [*FACTORS],
    "row": row,
    "factor": factor.round(6),
    "cost": {label[name]: by.round(5) for name, by in reversed(cost.items())},
    "error": {label[name]: bar[name].round(5) for name in reversed(cost)},
    "linear": linear,
    "decades": decades,
    "losses": losses,
    "ticks": ticks,
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.6))
for (name, by), mark in zip(cost.items(), "os^D", strict=True):
    axes.errorbar(
        factor, by, bar[name], fmt=mark + "-", capsize=2, label=label[name]
    )
axes.set(xscale="log", xticks=[1 / 4, 1 / 2, 1, 2, 4])
axes.set_xticklabels(["¼", "½", "1", "2", "4"])
axes.minorticks_off()
axes.set_yscale("symlog", linthresh=linear, linscale=decades * (1 - 1 / 10))
axes.set(yticks=ticks, ylim=losses)
axes.set_yticklabels([f"{loss:g}" for loss in ticks])
axes.set(xlabel="all logits times …", ylabel="loss grows by (nats)")
fig.legend(ncols=2, loc="outside upper center")
plt.show()

# %% says
assert max(near.values()) < 0.05, "off by a sixth cost SmolLM2 … at most"
assert near["SmolLM2"] == max(near.values()), "at most, and the decoder less"
assert all(by[0] > 0.05 for by in cost.values()), "towards ¼ all curves climb"
ends = {name: by[-1] for name, by in cost.items()}
assert max(ends, key=ends.get) == "SmolLM2", (
    "towards 4 that of the real model, SmolLM2, climbs most"
)
assert ends["1600 steps"] < 0.5 * cost["1600 steps"][0], (
    "so it can hardly get sharper"
)
assert abs(np.log(half["SmolLM2"] / double["SmolLM2"])) < 0.3, (
    "at a factor of two it pays for sharpness as much as for flatness"
)
assert 0.4 < ends["SmolLM2"] / cost["SmolLM2"][0] < 0.6, "at four half as much"
assert abs(np.log(half["1600 steps"] / double["1600 steps"])) < 0.3, (
    "Near the right scale the two sides cost about the same"
)
assert min(half["SmolLM2"], double["SmolLM2"]) > 1 / 3, (
    "a factor of two cost the one real model that we tried more than a third"
)
assert 1 < ends["SmolLM2"] < cost["SmolLM2"][0] < 2.5, (
    "a factor of four one nat or two"
)
