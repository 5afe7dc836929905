r"""Without a divisor a norm's gains have to carry the $\sqrt d$. Begun at
$d^{-1/4}$ they do. Begun at 1, their root mean square hardly moves, and the
loss stays behind.

Two panels over the steps of training, on a logarithmic axis, for heads of
{= d }. On the left the gains, as their root mean square, on the right how far
the loss lies above that of QK-norm over √d. Four lines: QK-norm over √d, and
without a divisor gains that begin at d^(−1/4), at 1, and at 1 with ten times
the learning rate.
"""

# %%
import numpy as np
from stored import mean_and_error, pivot, read

rows, d, last, times = read("growth/gains.csv"), 32, 1000, 10
arms = {
    "÷ √d": ("QK-norm", 0.0, 1),
    "begun at 1": ("undivided norm", 0.0, 1),
    "at 1, ten times the rate": ("undivided norm", 0.0, times),
    "begun at half of the way": ("undivided norm", -0.125, 1),
    "begun at $d^{-1/4}$": ("undivided norm", -0.25, 1),
}
few = ["÷ √d", "begun at 1", "begun at $d^{-1/4}$"]
tried = {32: [*arms], 16: few}  # by head dimension


def of_seeds(what, size, label):
    """Return the steps, and `what` for each seed (row) and step."""
    remedy, exponent, rate = arms[label]
    where = {"remedy": remedy, "exponent": exponent, "times": rate, "d": size}
    return pivot(rows, "step", what, **where)


over, end = {}, {}
for size, labels in tried.items():
    for label in labels:
        steps, gains = of_seeds("gain", size, label)
        losses, plain = (
            of_seeds("loss", size, name)[1] for name in (label, "÷ √d")
        )
        found = {
            "gain": gains,
            "above": losses - plain,
            "spread": of_seeds("spread", size, label)[1],
            "largest": of_seeds("largest", size, label)[1],
        }
        over[size, label] = {name: x.mean(axis=0) for name, x in found.items()}
        end[size, label] = {
            name: mean_and_error(x[:, -1]) for name, x in found.items()
        }
        end[size, label]["start"] = gains[:, 0].mean()
seeds = len(gains)
table = {
    size: [
        [
            label.replace("$d^{-1/4}$", "d^(−1/4)"),
            f"{end[size, label]['start']:.2f}",
            f"{end[size, label]['gain'][0]:.3f}",
            f"{end[size, label]['spread'][0]:.1f}",
            f"{end[size, label]['above'][0]:.3f} ± "
            f"{end[size, label]['above'][1]:.3f}".replace("-", "−"),
        ]
        for label in labels
    ]
    for size, labels in tried.items()
}
gain_at_1 = end[d, "begun at 1"]["gain"][0]
behind = end[d, "begun at 1"]["above"]
# How far a gain could have moved, had its gradient kept its sign: the rate is
# that of Adam in a matrix of the width's size.
width = 4 * d
steps_to_half = 0.5 / (0.2 / width)
# The spread at which heads begin if gains are 1, two sizes of Gemma 4 among
# them, and the gain that makes it 1. A step of Adam moves a gain by about the
# rate, at most.
spreads = {size: np.sqrt(size) for size in (16, 256, 512)}
needed = {size: size**-0.25 for size in spreads}
rate = 3e-4
fewest = (1 - needed[256]) / rate

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 2, figsize=(6.4, 3.6), sharex=True)
shown = [label for label in arms if "half" not in label]
for place, label in enumerate(shown):
    look = {"color": f"C{place}", "marker": "os^D"[place]}
    for axes, what in zip(panels, ("gain", "above"), strict=True):
        sizes = over[d, label][what]
        axes.plot(steps[1:], sizes[1:], label=label, **look)
panels[0].set(xscale="log", ylim=(0, 1.3), ylabel="gains of q and k")
panels[1].set(ylabel="loss, above that of ÷ √d")
for axes in panels:
    axes.set(xticks=[10, 100, 1000], xticklabels=[10, 100, 1000])
    axes.set(xlabel="steps of training")
    axes.minorticks_off()
handles, names = panels[0].get_legend_handles_labels()
fig.legend(handles, names, loc="outside upper center", ncols=2)
plt.show()

# %% says
value, error = end[16, "begun at 1"]["above"]
assert abs(value) < error < 0.03, "our error is too large to tell"
assert behind[0] < 3 * error, "our error is too large to tell"
assert abs(value) < error, "what that costs is less than its error"
assert abs(end[16, "begun at 1"]["gain"][0] - gain_at_1) < 0.02, (
    "gains that begin at 1 move as little"
)
assert abs(gain_at_1 - 1) < 0.06, "Their root mean square hardly does"
assert abs(gain_at_1 - 1) < 0.06, "their root mean square hardly moves"
assert abs(steps_to_half / last - 1 / 3) < 0.03, "to a half in a third of that"
value, error = behind
assert value > 4 * error, "hardly moves, and the loss stays behind"
assert value > 4 * error, "Meanwhile the loss stays behind"
fast = end[d, "at 1, ten times the rate"]
assert fast["gain"][0] < gain_at_1 - 0.1, "moves the gains further"
assert fast["above"][0] > value, "and the loss is no better for it"
as_well = end[d, "begun at $d^{-1/4}$"]["above"]
assert -0.03 < as_well[0] < 2 * as_well[1], "as well as the one that divides"
half = end[d, "begun at half of the way"]["above"]
assert half[0] < -3 * half[1], "where logits are larger, it does better still"

# Of the questions.
assert abs(gain_at_1 - 1) < 0.06, "square of gains begun at 1 hardly moved"
assert value > 0, "hardly moved in … steps, and the loss stayed behind"
assert as_well[0] < 2 * as_well[1], "they let the model do as well as one"
