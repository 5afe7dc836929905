r"""With a divisor alone the largest logit grows as long as we train. A clip and
a cap hold it near 20, at this rate decay too; with QK-norm it rises slowly.

Two columns, Adam and Muon, and two rows, all over the steps of training on a
logarithmic axis: the largest logit, on a logarithmic axis too, and the entropy
of attention over that of even weights. A line for each of six measures. With
1/√d alone and with 8/d the largest logit rises throughout. Those of the clip,
the cap and weight decay level off at about 20, and that of QK-norm rises slowly
from {= over['Adam', 'QK-norm']['largest'][0] :.0f } to about
{= over['Adam', 'QK-norm']['largest'][-1] :.0f } with Adam and
{= over['Muon', 'QK-norm']['largest'][-1] :.0f } with Muon. All entropies fall
from about {= over['Adam', 'none']['entropy'][0] :.1f }, or
{= over['Adam', '1/d']['entropy'][0] :.1f } with 8/d; that of QK-norm to above
0.5, with Muon those of 1/√d and 8/d to less than 0.1.
"""

# %%
import numpy as np
from labels import REMEDIES
from scipy.special import stdtrit
from stored import mean_and_error, pivot, read

rows, d, optimizers = read("growth/growth.csv"), 32, ["Adam", "Muon"]
control = "decay of W_Q W_K"
labels = REMEDIES | {control: "decay of q and k alone"}
compared = [name for name in labels if name != "none"]
over, end = {}, {}
for how in [(name, remedy) for name in optimizers for remedy in labels]:
    where = {"d": d, "rate": 1, "optimizer": how[0]}
    over[how], end[how] = {}, {}
    for what in ("loss", "largest", "uncapped", "spread", "entropy", "bound"):
        steps, found = pivot(rows, "step", what, **where, remedy=how[1])
        over[how][what] = found.mean(axis=0)
        end[how][what] = mean_and_error(found[:, -1])
    # Above the loss without a remedy, seed by seed, as a seed's text and first
    # weights are the same.
    lost, plain = (
        pivot(rows, "step", "loss", **where, remedy=remedy)[1][:, -1]
        for remedy in (how[1], "none")
    )
    end[how]["above"] = mean_and_error(lost - plain)
seeds = len(found)
begin, divisor, decay, window, width = d**0.5, d / 8, 0.003, 64, 4 * d
threshold = 20  # of the clip and of the cap
bounds = ["QK-clip", "soft cap", "QK-norm"]
less = {
    remedy: (-end["Muon", remedy]["above"][0], end["Muon", remedy]["above"][1])
    for remedy in bounds
}
last_step = int(steps[-1])
same = max(abs(end["Adam", remedy]["above"][0]) for remedy in bounds)
# The largest cost that three runs with Adam do not exclude, at 95 per cent.
times = stdtrit(seeds - 1, 0.975)
unseen = max(
    value + times * error
    for value, error in (end["Adam", remedy]["above"] for remedy in bounds)
)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 2, figsize=(6.4, 5.6), sharex=True, sharey="row")
for column, optimizer in enumerate(optimizers):
    for axes, what in zip(
        panels[:, column], ["largest", "entropy"], strict=True
    ):
        for place, remedy in enumerate(REMEDIES):
            sizes = over[optimizer, remedy][what]
            look = {"color": f"C{place}", "label": labels[remedy]}
            axes.plot(steps[1:], sizes[1:], "os^Dvp"[place] + "-", **look)
    panels[0, column].set(title=optimizer, xscale="log", yscale="log")
    panels[1, column].set(xlabel="steps of training", ylim=0)
    panels[1, column].set(xticks=[1, 10, 100, 1000])
    panels[1, column].set(xticklabels=[1, 10, 100, 1000])
    panels[1, column].minorticks_off()
panels[0, 0].set(yticks=[5, 10, 20, 50, 100], yticklabels=[5, 10, 20, 50, 100])
panels[0, 0].minorticks_off()
panels[0, 0].set_ylabel("largest logit")
panels[1, 0].set_ylabel("entropy over ln n")
handles, names = panels[0, 0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside upper center", ncols=3)
plt.show()

# %% says
last = {how: sizes["largest"][-1] for how, sizes in over.items()}
for name in optimizers:
    for remedy in ("none", "1/d"):
        rising = over[name, remedy]["largest"][2:]
        least = min(rising[1:] / rising[:-1])
        assert least > 1.1, "With a divisor alone the largest logit grows"
        assert least > 1.1, "8/d the largest logit rises throughout"
        assert least > 1.1, "by then, and rose"
    for remedy in ("QK-clip", "soft cap", "decay"):
        before, held = over[name, remedy]["largest"][-2:]
        assert abs(held - threshold) < 3, (
            "hold it near … at this rate decay too"
        )
        assert abs(held / before - 1) < 0.15, "level off at about"
    first, final = over[name, "QK-norm"]["largest"][[0, -1]]
    assert first < final < 3 * first, "with QK-norm it rises slowly"
    assert first < final < threshold / 2, "that of QK-norm rises slowly"
    entropy = {r: over[name, r]["entropy"] for r in REMEDIES}
    assert all(e[-1] < e[0] for e in entropy.values()), (
        "All entropies fall from"
    )
    assert entropy["QK-norm"][-1] > 0.5, "that of QK-norm to above"
    costs = {r: end[name, r]["above"] for r in labels}
    second, most = sorted(costs.values())[-2:]
    if name == "Adam":
        assert most[0] == costs["decay"][0] > second[0] + 3 * most[1], (
            "With Adam a strong weight decay costs most"
        )
    assert over[name, "none"]["loss"][-1] < over[name, "none"]["loss"][-2], (
        "alone the loss fell from step"
    )
    sharpest = max(over["Muon", r]["entropy"][-1] for r in ("none", "1/d"))
    assert sharpest < 0.1, "with Muon those of 1/√d and 8/d to less than"
assert threshold < end["Muon", "QK-clip"]["largest"][0] < 1.25 * threshold, (
    "can lie a little above: … for a threshold of"
)
uncapped, free = (
    end["Muon", remedy]["uncapped"] for remedy in ("soft cap", "none")
)
assert 0.9 < uncapped[0] / free[0] < 1, "nearly as far as with no cap"
for name in optimizers:
    ahead = last[name, "1/d"] / last[name, "none"]
    assert abs(ahead / (begin / divisor) - 1) < 0.2, "stay ahead by about that"
in_front = over["Adam", "soft cap"]["uncapped"]
assert in_front[-1] < in_front[-2] == max(in_front), "and fall to"
for remedy in bounds:
    value, error = end["Adam", remedy]["above"]
    assert abs(value) < 2 * error, "no more than two standard errors"
    assert abs(value) < times * error, "With Adam we see no cost of"
    value, error = less[remedy]
    assert value > 4 * error, "with Muon all three lower the loss"
assert max(less, key=less.get) == "QK-norm", "and QK-norm most"
for name in optimizers:
    alone, clipped = (
        end[name, remedy]["above"] for remedy in (control, "QK-clip")
    )
    apart = np.hypot(alone[1], clipped[1])
    assert abs(alone[0] - clipped[0]) < 3 * apart, (
        "its loss is near that of the clip"
    )
    low = last[name, control] / last[name, "decay"]
    assert low < 1, "holds them no worse"
