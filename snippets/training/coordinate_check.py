r"""With $8/d$ and $W_Q = 0$ all widths learn almost alike; with $8/d$ alone
they begin apart; with $1/\sqrt d$ wider models learn faster.

Six panels over 20 Adam steps, with a line for each width from 64 to 512; from
left to right the scale 1/√d, 8/d, and 8/d with W_Q = 0. Above, the loss on a
logarithmic axis: left the four lines fan out, the widest falling fastest; in
the middle they run close together but begin apart, d = 64 highest throughout;
right they lie on each other, nearly to the end. Below, the size of the logits:
left the lines start together at 1 and fan out upwards; in the middle they start
apart, smaller for wider models, and run together; right they start at 0 and
stay together.
"""

# %%
import numpy as np
from recall import log_softmax, logits, rms, train

dims, seeds, steps = [64, 128, 256, 512], range(2), 20
scales = {
    "1/√d": (np.sqrt, False),
    "8/d": (lambda d: d / 8, False),
    "8/d, W_Q = 0": (lambda d: d / 8, True),
}


def loss_and_size(X, W, s):
    """Return the loss, and the size of the logits."""
    seen = logits(X, W, s)
    return -np.mean(np.diag(log_softmax(seen))), rms(seen)


losses, sizes, apart = {}, {}, {}
for name, (divisor, zero) in scales.items():
    losses[name], sizes[name] = {}, {}
    for d in dims:
        s = divisor(d)
        runs = [
            [loss_and_size(X, W, s) for X, W in run]
            for run in (train(d, i, s, steps, zero_query=zero) for i in seeds)
        ]
        losses[name][d], sizes[name][d] = np.mean(runs, axis=0).T
    table = np.array([*losses[name].values()])
    # By how much the largest loss exceeds the smallest, at each step.
    apart[name] = table.max(axis=0) / table.min(axis=0) - 1
# By how much the logits of the widest model are larger, after the last step.
larger = {name: size[512][-1] / size[64][-1] for name, size in sizes.items()}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(2, 3, figsize=(6.4, 6.2), sharex=True, sharey="row")
styles = ["-", "--", "-.", ":"]
for column, name in enumerate(scales):
    for place, d in enumerate(dims):
        look = {"linestyle": styles[place], "color": f"C{place}"}
        label = f"d = {d}"
        panels[0, column].semilogy(losses[name][d], **look, label=label)
        panels[1, column].plot(sizes[name][d], **look)
    panels[0, column].set_title(name.replace("W_Q = 0", "$W_Q = 0$"))
    panels[1, column].set(xlabel="step", xticks=[0, 10, 20])
panels[0, 0].set_ylabel("loss")
panels[1, 0].set(ylabel="logits (rms)", ylim=(0, None))
panels[0, 2].legend(loc="lower left")
plt.show()

# %% says
plain, mup, zero = (np.array([*each.values()]) for each in losses.values())
size, drawn, none = (np.array([*each.values()]) for each in sizes.values())
equal = apart["8/d, W_Q = 0"]
assert np.all(equal < 0.15), "all widths learn almost alike"
assert apart["8/d"][0] > 0.1, "with $8/d$ alone they begin apart"
assert np.all(np.diff(plain[:, 10]) < 0), "wider models learn faster"
assert np.all(plain[3, 1:] < plain[:3, 1:]), (
    "fan out, the widest falling fastest"
)
assert np.all(mup[0] > mup[1:]), "begin apart, d = 64 highest throughout"
assert np.all(equal[:11] < 0.03), "they lie on each other, nearly to the end"
assert np.all(abs(size[:, 0] - 1) < 0.1), "the lines start together at 1"
assert np.all(np.diff(size[:, -1]) > 0), "together at 1 and fan out upwards"
assert np.all(np.diff(drawn[:, 0]) < 0), "start apart, smaller for wider models"
assert np.ptp(drawn[:, -1]) < np.ptp(drawn[:, 0]) / 2, (
    "models, and run together"
)
assert np.all(none[:, 0] == 0), "right they start at 0"
assert np.ptp(none[:, -1]) < 0.1, "start at 0 and stay together"

assert 0 < equal[10] < equal[20], (
    "the largest of the four losses exceeds the smallest by … after ten steps"
    ", and by … after twenty"
)
assert apart["8/d"][20] > 0.5, "different starts, and do not become one"
assert np.all(np.diff(plain[:, 10]) < 0), "do not learn *worse* here"
assert len(seeds) == 2, "After ten steps the losses … means of two seeds"
assert larger["1/√d"] > 1.5, (
    "After twenty steps … the widest model are … times as large"
)

# Of the questions.
assert sizes["1/√d"][64][20] > sizes["1/√d"][64][0], "Training can raise it"
