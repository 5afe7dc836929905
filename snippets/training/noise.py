r"""Divided and undivided models, in batches that agree about equally at the
start: dashed, {= at_start :.0%} and {= undivided_at_start :.0%}, and dotted,
less than 1%. Left: the loss over the steps; a line is one of two seeds. Right:
how much of the gradient's mean square batches have in common, the mean of both
seeds.

Two panels over the steps, on a logarithmic axis. Left, the losses of the
divided model in batches of {= usual } and {= middle } soon fall to nearly 0,
those in batches of {= small } only after thousands of steps. Undivided, in
batches of {= large } and of {= usual }, one of two seeds falls later than its
divided partner, and the other stays. Right, the agreement of the divided model
in batches of {= middle } falls once it has learned; that of the undivided one
in batches of {= large } falls at once.
"""

# %%
import numpy as np
from learning_table import learning
from stored import pivot, read

rows = read("training/noise.csv")
small, middle, usual, large = 2, 37, 64, 1024  # sequences in a batch
settings = [("√d", usual), ("√d", middle), ("none", large)]
settings += [("√d", small), ("none", usual)]
steps, loss, agree, of_seed, begin, rate = ({} for _ in range(6))
for setting in settings:
    divisor, batch = setting
    here = rows[(rows["divisor"] == divisor) & (rows["batch"] == batch)]
    steps[setting] = np.unique(here["step"])
    of_seeds, common, variance = (
        np.array([here[what][here["step"] == t] for t in steps[setting]])
        for what in ("loss", "common", "variance")
    )
    loss[setting] = of_seeds  # a row for each step, a column for each seed
    # What is in common, of the mean square in batches of this size; of each
    # seed, and over both.
    of_seed[setting] = common / (common + variance / batch)
    common, variance = common.mean(axis=1), variance.mean(axis=1)
    agree[setting] = common / (common + variance / batch)
    begin[setting], rate[setting] = variance[0] / common[0], here["rate"][0]
at_start, undivided_at_start = agree["√d", middle][0], agree["none", large][0]
short, long = 500, 5000
# The batch in which half would be in common, at the start.
scale = {divisor: begin[divisor, usual] for divisor in ("√d", "none")}


def printed(setting, step):
    """Return the losses of the seeds at a step."""
    losses = loss[setting][steps[setting] == step][0]
    return ", ".join(f"{x:.2g}" for x in np.sort(losses))


table = [
    (
        setting[0],
        setting[1],
        f"{rate[setting]:g}",
        f"{agree[setting][0]:.1%}",
        printed(setting, short),
        printed(setting, steps[setting][-1]),
    )
    for setting in settings
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
    for seed, line in enumerate(loss[setting].T):
        left.plot(x, line, **look, marker=".", label="" if seed else name)
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
    """Return the losses of the seeds, or the agreement, of a setting."""
    return what[divisor, batch][steps[divisor, batch] == step][0]


guess = np.log(16)
assert np.mean(at(loss, "√d", small, short)) > guess, (
    "the divided model still guesses"
)
assert np.all(at(loss, "√d", middle, 200) < 0.1), "is done within 200 steps"
plain = {"setting": "plain", "d": 64, "divisor": "√d", "rate": 0.00025}
at_steps, losses = pivot(learning(), "step", "loss", **plain)
assert plain["rate"] == rate["√d", small] < rate["√d", usual], (
    "These runs have a lower learning rate"
)
assert np.all(losses[:, at_steps == short] < 0.1), (
    "but at that rate, too, batches of … are done by then"
)
for setting in settings[3:]:
    assert np.all(at(loss, *setting, 1000) > 2), "it takes thousands of steps"
    assert agree[setting][0] < 0.01, "and dotted, less than 1%"
assert np.all(loss["√d", small][-1] < 0.1), "it takes thousands of steps"
assert np.all(at(loss, "√d", small, 1000) > 2), "Then it, too, needs thousands"
assert agree["√d", small][0] < 0.01, (
    "a *divided* model batches of … sequences, so small that they agree on"
)
learned, stuck = np.sort(loss["none", usual][-1])
assert learned < 0.1, "and so does the undivided model … with one seed"
assert stuck > 2.5, "with the other it has not learned after"
learned, stuck = np.sort(at(loss, "none", large, short))
assert learned < 0.1, "learns a little later with one of the two seeds"
assert stuck > 2.5, "and with the other it has hardly begun after"
assert min(at(loss, "none", large, 200)) > 2 * max(
    at(loss, "√d", middle, 200)
), "learns a little later with one of the two seeds"
assert undivided_at_start > at_start, (
    "agrees at the start on average no less than the divided one in batches of"
)
assert at(agree, "√d", middle, 100) > at_start / 2, (
    "The divided model keeps much of its agreement until it has learned"
)
assert at(agree, "none", large, 100) < agree["none", large][0] / 4, (
    "The undivided one loses most of it within the first 100 steps"
)
undivided = of_seed["none", large]
before, after = undivided[:2]
assert np.all(after < before / 4), "But both of its seeds do"
first = at(loss, "none", large, short).argmin()
assert before.argmin() == first, (
    "and one learns all the same, the one that agreed less at the start"
)
# Two more seeds, at the better of two rates.
where = {"setting": "batches of 1024", "divisor": "none", "step": short}
_, others = pivot(learning(), "rate", "loss", **where)
others = others[:, others.mean(axis=0).argmin()]
begun = np.array([*at(loss, "none", large, short), *others]) < 1
assert sorted(begun) == [False, True, True, True], (
    "three of four seeds begin to learn, later than a divided model, and one"
)
where = {"setting": "batches of 1024", "divisor": "none", "rate": 0.0005}
at_steps, spread = pivot(learning(), "step", "spread", **where)
assert np.all(spread[:, at_steps == 100] > 1.3 * spread[:, at_steps == 0]), (
    "in which its logits, too large as they are, become still larger"
)
