r"""Divided and undivided models, in batches that agree about equally at the
start: dashed, about {= at_start :.0%} each, and dotted, less than 1%. Left: the
loss over the steps. Right: how much of the gradient's mean square batches have
in common. Means of two seeds.

Two panels over the steps, on a logarithmic axis.
"""

# %%
import numpy as np
from stored import learning, over, read

rows = read("noise.csv")
small, middle, usual, large = 2, 37, 64, 1024  # sequences in a batch
settings = [("√d", usual), ("√d", middle), ("none", large)]
settings += [("√d", small), ("none", usual)]
steps, loss, agree, seeds, begin, rate = ({} for _ in range(6))
for setting in settings:
    divisor, batch = setting
    here = rows[(rows["divisor"] == divisor) & (rows["batch"] == batch)]
    steps[setting] = np.unique(here["step"])
    of_seeds, common, variance = (
        np.array([here[what][here["step"] == t] for t in steps[setting]])
        for what in ("loss", "common", "variance")
    )
    seeds[setting] = of_seeds[-1]
    loss[setting] = of_seeds.mean(axis=1)
    # What is in common, of the mean square in batches of this size.
    common, variance = common.mean(axis=1), variance.mean(axis=1)
    agree[setting] = common / (common + variance / batch)
    begin[setting], rate[setting] = variance[0] / common[0], here["rate"][0]
at_start, short, long = agree["√d", middle][0], 500, 5000
# The batch in which half would be in common, at the start.
scale = {divisor: begin[divisor, usual] for divisor in ("√d", "none")}
table = [
    (
        divisor,
        batch,
        f"{rate[divisor, batch]:g}",
        f"{agree[divisor, batch][0]:.1%}",
        f"{loss[divisor, batch][steps[divisor, batch] == short].item():.2g}",
        f"{loss[divisor, batch][-1]:.2g}",
    )
    for divisor, batch in settings
]

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 4.2), sharex=True)
styles = dict(zip(settings, ("-", "--", "--", ":", ":"), strict=True))
for divisor, batch in settings:
    setting = divisor, batch
    undivided = divisor == "none"
    name = f"{'undivided' if undivided else '÷ √d'}, batches of {batch}"
    look = {"color": f"C{int(undivided)}", "linestyle": styles[setting]}
    x = np.maximum(steps[setting], 50)  # a logarithmic axis has no 0
    left.plot(x, loss[setting], **look, marker=".", label=name)
    right.plot(x, 100 * agree[setting], **look, marker=".")
left.set(xscale="log", xlabel="step", ylabel="loss", ylim=(0, None))
left.set(xticks=[50, 500, 5000], xticklabels=["0", 500, 5000])
right.set(xlabel="step", ylabel="in common (%)")
right.axhline(0, color="C4", linewidth=1)
right.minorticks_off()
handles, labels = left.get_legend_handles_labels()
fig.legend(handles, labels, loc="outside upper center", ncols=2)
plt.show()


# %% says
def at(what, divisor, batch, step):
    """Return the loss, or the agreement, of a setting at a step."""
    return what[divisor, batch][steps[divisor, batch] == step].item()


guess = np.log(16)
assert at(loss, "√d", small, short) > guess, "the divided model still guesses"
assert max(at(loss, "√d", batch, 200) for batch in (middle, usual)) < 0.1, (
    "the divided one is done within"
)
assert at(loss, "√d", usual, short) < 0.1, "when it is long done in batches of"
for divisor, batch in settings[3:]:
    assert at(loss, divisor, batch, 1000) > 2, "It takes thousands of steps"
    assert loss[divisor, batch][-1] < 1, (
        "steps to learn, as the undivided model"
    )
    assert agree[divisor, batch][0] < 0.01, "each, and dotted, less than 1%"
assert abs(agree["none", large][0] / at_start - 1) < 1, (
    "agrees at the start as well as the divided one in batches of"
)
assert seeds["none", large].min() > 1, (
    "and the undivided one is not nearly done"
)
assert at(agree, "√d", middle, 100) > at_start / 2, (
    "The divided model keeps its agreement until it has learned"
)
assert at(agree, "none", large, 100) < agree["none", large][0] / 4, (
    "The undivided one loses it within the first 100 steps"
)
where = {"setting": "batches of 1024", "divisor": "none", "rate": 0.0005}
at_steps, spread = over(learning(), "step", "spread", **where)
assert np.all(spread[:, at_steps == 100] > 1.3 * spread[:, at_steps == 0]), (
    "in which its logits, too large as they are, become still larger"
)
