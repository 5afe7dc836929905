r"""Undivided, the model learns if its weights start smaller or $W_Q$ at 0, and
begins to with large batches, or in ten times as many steps. If they start
larger, it does not learn with $\sqrt d$ either. A dot is one seed of two or
three, at the best rate; $d = 64$.

A row for each change, with dots at the loss in the end, on a logarithmic axis.
Undivided dots lie at 2 to 4, but those of a small start and of W_Q = 0, which
lie below 0.2, of batches of 1024, between {= begun[0] :.2f } and
{= begun[1] :.2f }, and of ten times as many steps, between
{= late[64][0] :.2f } and {= late[64][2] :.2f }. Dots of models divided by √d
lie below 0.1, but those of a large start, which lie at {= large_start :.1f }.
For a small start, warm-up, clipping, larger batches and more steps there are
undivided dots only.
"""

# %%
import numpy as np
from learning_table import learning
from stored import pivot, read

rows, d, long, large = learning(), 64, 5000, 1024
changes = ["plain", "small start", "W_Q = 0", "large start", "QK-norm", "SGD"]
changes += ["MLP", "16 pairs", "warm-up", "clipping"]
changes += [f"batches of {large}", f"{long} steps"]


def at_best(setting, divisor, d):
    """Return the last loss of each seed at the best rate, and at each rate."""
    here = rows[rows["setting"] == setting]
    here = here[(here["divisor"] == divisor) & (here["d"] == d)]
    here = here[here["step"] == here["step"].max()]
    _, loss = pivot(here, "rate", "loss")
    return loss[:, loss.mean(axis=0).argmin()], loss


final, every = {}, {}
tried = {(row["setting"], row["divisor"], int(row["d"])) for row in rows}
for at in sorted(tried):
    final[at], every[at] = at_best(*at)
n_rates = every["small start", "none", 256].shape[1]
late = {d: np.sort(final[f"{long} steps", "none", d]) for d in (16, 64, 256)}
later = {d: losses.mean() for d, losses in late.items()}
two, four = final["spread 2", "none", d], final["spread 4", "none", d]
between = {2: two.max(), 4: four.min()}
begun = np.sort(final[f"batches of {large}", "none", d])
large_start = final["large start", "√d", d].mean()
# The spread of undivided logits at the start, and with the first weights of the
# smallest GPT-2.
spread = {d: np.sqrt(d) for d in late}
gpt2 = np.sqrt(d) * 768 * 0.02**2
linear = np.sqrt(d) / 3  # nn.Linear gives q and k a third of the variance
# How much faster W_Q and W_K learn for their size with a small start.
faster = {size: size**0.25 for size in (64, 256)}

# The gradient of W_Q and W_K at the start: how long it is without the divisor,
# in lengths with √d.
batch, signal = 64, read("training/signal.csv")
signal = signal[(signal["layer"] == "both") & (signal["pairs"] == 8)]
signal = signal[signal["d"] == d]
bare, divided = (
    signal["length"][signal["divisor"] == by] for by in ("none", "√d")
)
longer = np.mean(bare / divided)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.8))
for place, change in enumerate(changes):
    for divisor, colour in {"none": "C1", "√d": "C0"}.items():
        losses = final.get((change, divisor, d), [])
        axes.semilogx(losses, [place] * len(losses), "o", color=colour)
names = {"plain": "as it is", "W_Q = 0": "$W_Q = 0$"}
names = [names.get(change, change) for change in changes]
axes.set(yticks=range(len(changes)), yticklabels=names, xlabel="loss")
axes.set(xticks=[0.001, 0.01, 0.1, 1], xticklabels=[0.001, 0.01, 0.1, 1])
axes.text(0.9, 0, "undivided", color="C1", ha="right", va="center")
axes.text(0.01, 0, "÷ √d", color="C0", va="center")
axes.invert_yaxis()
axes.minorticks_off()
plt.show()


# %% says
def worst(change, divisor):
    """Return the highest loss of a seed at the best rate."""
    return max(final[change, divisor, d])


noise = read("training/noise.csv")  # two other seeds, undivided
noise = noise[(noise["divisor"] == "none") & (noise["step"] == long)]
alike = ["QK-norm", "SGD", "MLP", "16 pairs", "plain"]
for change in ("small start", "W_Q = 0"):
    assert worst(change, "none") < 1, (
        "the model learns if its weights start smaller"
    )
    assert worst(change, "none") < worst("plain", "none"), (
        "at $d = 64$ the model learns without a divisor"
    )
    assert worst(change, "none") < 0.2, "of W_Q = 0, which lie below"
for change in alike:
    assert worst(change, "√d") < 0.1, "lie below … but those of a large start"
for change in (*alike, "warm-up", "clipping"):
    undivided = final[change, "none", d]
    assert np.all((undivided > 2) & (undivided < 4)), "Undivided dots lie at"
    assert np.all(undivided > 2), "and an MLP in each layer change nothing"
assert worst("batches of 1024", "none") < 1, "and begins to with large batches"
assert np.all(final["large start", "√d", d] > 2.5), (
    "If they start larger, it does not learn with"
)
assert worst("plain", "√d") < 1 < worst("large start", "√d"), (
    "it does not learn even with the divisor"
)
assert between[2] < 0.1 < 1 < between[4], "From spread 2 our model learns"
assert max(four) > 2.5, "from 4 one of two seeds has only begun to"
assert 2 < gpt2 < 4, "near the point from which our model no longer learns"
assert 2 < linear < 4, "and our model still learned from 2, and hardly from 4"
assert between[2] < 0.1 < 1 < between[4], "our model still learned from 2, and"
assert long == 10 * 500, "or in ten times as many steps"
assert late[64][0] > 0.02, (
    "but it takes them long: more than ten times as many steps with heads of 64"
)
assert late[64][0] > 0.02, (
    "With heads of 64, undivided, it takes more than ten times as many steps"
)
long_runs = np.array([*late[16], *late[64], *noise["loss"]])
assert 1 / 2 < np.mean(long_runs < 1) < 1, (
    "Most undivided models with heads of … do learn in the end"
)
assert every[f"{long} steps", "none", 64].shape == (3, 2), (
    "better of two small rates, the undivided losses of three seeds"
)
assert later[16] < later[64] < 0.5, "undivided models … learn too"
assert 2 < later[256] < 2.7, "At 256 it has hardly begun to fall"
learned = {at: np.all(losses < 1, axis=0) for at, losses in every.items()}
assert np.flatnonzero(learned["small start", "none", 256]).tolist() == [0, 1], (
    "the smaller start learned at the two smallest of"
)
assert np.flatnonzero(learned["W_Q = 0", "none", 256]).tolist() == [0], (
    "and $W_Q = 0$ at the smallest"
)
for start in ("small start", "W_Q = 0"):
    assert not learned[start, "none", 256][2:].any(), (
        "there such a start learns only at small rates"
    )

# Of the front page.
assert abs(faster[64] ** 2 - np.sqrt(64)) < 1e-9, (
    "each smaller by the fourth root of d, which is"
)
assert abs(faster[64] ** 4 - 64) < 1e-9, "alone by √d"
on_64 = np.array([*late[64], *noise["loss"]])
assert (len(on_64), sum(on_64 > 1)) == (5, 1), (
    "and one of five longer runs had not learned after"
)
