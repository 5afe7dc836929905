r"""Up to which rate a run learns. With $1/\sqrt d$ the border is lower in large
heads. With $1/d$ it is not, nor with $1/\sqrt d$ if $W_Q$ and $W_K$ get a lower
rate there; if all other weights get it instead, the border is lower again. A
dot is one seed; dotted is what the argument says. Both axes are logarithmic.

Three panels: divided by √d; the same, with a lower rate in larger heads for W_Q
and W_K or, as a control, for all other weights; divided by d. In each, dots for
the border of each seed over d, for d = 16, 64 and 256, and a line through their
means. In the first it falls, less steeply than a dotted line like one over the
root of d. In the second it does not fall for W_Q and W_K, and for the others it
falls as in the first. In the third it is level.
"""

# %%
import numpy as np
from learning_table import learning
from recall import exponent
from stored import pivot, read

rows = read("training/rates.csv")
# At d = 16 the first three arms are the same runs.
arms = {
    "√d": [("√d", 16), ("√d", 64), ("√d", 256)],
    "own rate": [("√d", 16), ("√d own rate", 64), ("√d own rate", 256)],
    "others": [("√d", 16), ("√d others", 64), ("√d others", 256)],
    "d": [("d", 16), ("d", 64), ("d", 256)],
}
step = np.sqrt(2)  # from one rate to the next


def borders(arm, d):
    """Return for each seed the rate between the last at which it learned, and
    the first at which it did not.
    """
    here = rows[(rows["arm"] == arm) & (rows["d"] == d)]
    failed = [
        here["rate"][(here["seed"] == seed) & (here["loss"] > 1)].min()
        for seed in np.unique(here["seed"])
    ]
    return np.array(failed) / np.sqrt(step)


border, log_error, seeds = {}, {}, {}
for setting in sorted({at for points in arms.values() for at in points}):
    each = np.log(borders(*setting))
    # The seeds scatter, and rates are a step apart, which no seed can tell.
    apart = np.log(step) ** 2 / 12
    log_error[setting] = np.sqrt(each.var(ddof=1) / len(each) + apart)
    border[setting] = np.exp(each.mean())
    seeds[setting] = len(each)


def power_between(points):
    """Return the power of d in the border, by least squares, and its error."""
    x = np.log([d for _, d in points])
    weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    y, error = np.log([[border[at], np.exp(log_error[at])] for at in points]).T
    return weights @ y, np.sqrt(np.sum((weights * error) ** 2))


[n_seeds] = set(seeds.values())
power = {arm: power_between(points) for arm, points in arms.items()}
power["16 to 64"] = power_between(arms["√d"][:2])
power["64 to 256"] = power_between(arms["√d"][1:])

# The argument lets steps of q·k grow like d. These are those of this
# transformer with 1/√d, and what they say of the border.
steps_grow, predicted = {}, {}
for count in (1, 10):
    at = {"setting": "plain", "divisor": "√d", "rate": 0.001, "step": count}
    dims, moved = pivot(learning(), "d", "moved", **at)
    steps_grow[count] = exponent(dims, moved)
    predicted[count] = 1 / 2 - steps_grow[count][0]

sizes = [16, 64, 256]
table = [
    (d, *(f"{border[points[row]]:.2g}" for points in arms.values()))
    for row, d in enumerate(sizes)
]

highest = border["d", 256]

# At one rate that is neither too high nor too low: how many seeds learn, and
# how many steps the median seed takes.
rate = 0.002828
of_one_rate = {}
for arm, d in [*arms["own rate"], *arms["√d"][1:]]:
    here = rows[
        (rows["arm"] == arm) & (rows["d"] == d) & (rows["rate"] == rate)
    ]
    needed = np.where(here["loss"] < 1, here["steps"], np.inf)
    of_one_rate[arm, d] = (int(np.sum(needed < np.inf)), np.median(needed))
same = [of_one_rate[at][1] for at in arms["own rate"]]
of_narrow = same[0]
tried_at_256 = np.sum(
    (rows["arm"] == "√d") & (rows["rate"] == rate) & (rows["d"] == 256)
)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 3.6), sharex=True, sharey=True)
panels[0].set_title("÷ √d")
panels[1].set_title("÷ √d, lower rate")
panels[2].set_title("÷ d")
expected = border["√d", 16] * (16 / np.array([16, 256])) ** 0.5
panels[0].loglog([16, 256], expected, ":", color="C4")
drawn = {"√d": (0, 0.9), "own rate": (1, 0.8), "others": (1, 1), "d": (2, 0.9)}
words = {"own rate": "of W_Q, W_K", "others": "of all others"}
for colour, (arm, points) in enumerate(arms.items()):
    place, beside = drawn[arm]
    axes, color = panels[place], f"C{colour}"
    dims = [d for _, d in points]
    means = [border[at] for at in points]
    axes.loglog(dims, means, color=color, label=words.get(arm))
    for at in points:
        each = borders(*at)
        # Seeds that agree stand side by side.
        across = at[1] * beside * np.geomspace(0.9, 1.3, len(each))
        axes.plot(across, each, "o", color=color, markersize=3)
for axes in panels:
    axes.set(ylim=(0.001, 0.022))
    axes.set(xticks=[16, 64, 256], xticklabels=[16, 64, 256])
    axes.set(yticks=[0.002, 0.004, 0.008], yticklabels=[0.002, 0.004, 0.008])
    axes.minorticks_off()
panels[1].legend(loc="upper left")
panels[0].set_ylabel("up to which rate it learns")
panels[1].set_xlabel("head dimension d")
plt.show()

# %% says
fall = border["√d", 16] / border["√d", 256]
assert 1.7 < fall < 2.5, "to about half, where the argument says a quarter"
assert power["√d"][0] < -3 * power["√d"][1], "is lower in large heads"
assert power["√d"][0] - 2 * power["√d"][1] > -1 / 2, (
    "the border does fall, though by less than predicted"
)
for arm in ("own rate", "d"):
    assert power[arm][0] > -power[arm][1], "With $1/d$ it is not, nor with"
assert power["own rate"][0] > 0, (
    "With shorter steps of these two it does not fall"
)
assert power["own rate"][0] > 0, "is even more than it takes, and what stops"
assert power["own rate"][0] > 0, "it does not fall for W_Q and W_K"
plain, control = power["√d"], power["others"]
assert abs(control[0] - plain[0]) < np.hypot(control[1], plain[1]) / 2, (
    "if all other weights get it instead, the border is lower again"
)
assert abs(control[0] - plain[0]) < np.hypot(control[1], plain[1]) / 2, (
    "and for the others it falls as in the first"
)
for d in (64, 256):
    apart = np.log(border["√d others", d] / border["√d", d])
    assert abs(apart) < log_error["√d", d], "it falls as if nothing had been"
    wide = border["√d own rate", d]
    assert wide > border["√d", 16], (
        "in our runs large heads could learn at the rates of small ones"
    )
    assert wide > border["√d", 16], (
        "only $W_Q$ and $W_K$ have to take shorter steps in large heads"
    )
    assert wide > border["√d", 16], (
        "everything else may learn at the rate that suits a small head"
    )
assert border["d", 16] == border["d", 64] == border["d", 256], (
    "With $1/d$ the border is the same at"
)
assert border["d", 16] > border["√d", 16], "with $1/d$ they are higher at"
for said in predicted.values():
    assert abs(power["√d"][0] - said) < 2 * power["√d"][1], (
        "For the border this predicts … which is near what we found"
    )
    assert said + 1 / 2 > (power["√d"][0] + 1 / 2) / 2, (
        "which accounts for much of the difference"
    )
assert abs(power["64 to 256"][0] + 1 / 2) < 2 * power["64 to 256"][1], (
    "so it may well be −½ where heads are large"
)
assert power["16 to 64"][0] - 2 * power["16 to 64"][1] > -1 / 2, (
    "do not bear that out from 16 to"
)
assert np.ptp(same) < 0.1 * same[0], (
    "the median over seeds is about the same number of steps in heads of 16, "
    "64 and 256"
)
assert of_one_rate["√d", 64][1] > 1.1 * same[0], "takes longer at 64"
assert of_one_rate["√d", 256][0] == 0 < tried_at_256, "no seed learns at 256"
