r"""Change the tokens behind the rule, and earlier outputs must not move. In
right code they stay the same to the last bit; with softmax over the queries, or
a mask of nearly 0, they move.

Three lines over 32 places, how far the output at each place moves when the
tokens from place {= changed } on are replaced. All three are large from there
on. Before it the line of right code lies at 0, while the two others lie between
{= least :.2f } and {= most :.1f }.
"""

# %%
import numpy as np
from scipy.special import softmax
from stored import by_seed, read

n, d, changed = 32, 16, 20
rng = np.random.default_rng(0)
W_Q, W_K, W_V = rng.standard_normal((3, d, d)) / np.sqrt(d)
later = np.triu(np.ones((n, n), bool), 1)


def attend(x, masked=-np.inf, axis=-1):
    """Return causal attention, (n, d), with what a later key's score becomes
    and the axis of softmax as they are in some codes."""
    scores = (x @ W_Q) @ (x @ W_K).T / np.sqrt(d)
    scores[later] = masked
    return softmax(scores, axis=axis) @ (x @ W_V)


codes = {
    "right": {},
    "softmax over queries": {"axis": 0},
    "a mask of 1e−9": {"masked": 1e-9},
}


def moved(attend, changed=changed):
    """Return how far each output moves when later tokens are replaced."""
    x = np.random.default_rng(1).standard_normal((n, d))
    other = x.copy()
    other[changed:] = np.random.default_rng(2).standard_normal((n - changed, d))
    return np.linalg.norm(attend(other) - attend(x), axis=1)


movement = {
    name: moved(lambda x, how=how: attend(x, **how))
    for name, how in codes.items()
}
before = {name: by[:changed] for name, by in movement.items()}
leaking = np.concatenate([before[name] for name in [*codes][1:]])
least, most = float(leaking.min()), float(leaking.max())
# The loss of trained decoders over all places of a text, and at its last place
# alone, where nothing comes later: means over seeds, after 400 steps.
runs, step = read("mistakes/runs.csv"), 400
lost, honest = (
    {
        code: float(by_seed(runs, what, trained=code, step=step).mean())
        for code in ("right", "queries", "1e−9")
    }
    for what in ("loss", "honest")
)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
places = np.arange(1, n + 1)
styles = [("C0", "o"), ("C1", "s"), ("C3", "^")]
for (name, by), (colour, mark) in zip(movement.items(), styles, strict=True):
    axes.plot(places, by, mark + "-", color=colour, label=name, lw=1)
axes.axvline(changed + 0.5, color="0.5", linestyle="--")
axes.text(changed, axes.get_ylim()[1], "changed from here →", ha="right")
axes.set(xlabel="place in the text", ylabel="output moves by")
axes.legend(loc="upper left", bbox_to_anchor=(0, 0.95))
plt.show()

# %% says
assert not before["right"].any(), "they stay the same to the last bit"
assert least > 0, "or a mask of nearly 0, they move"
assert min(by[changed:].min() for by in movement.values()) > most / 4, (
    "All three are large from there"
)
for code in ("queries", "1e−9"):
    assert lost[code] < lost["right"] - 0.1, (
        "After 400 steps they lose less than right code"
    )
    assert honest[code] > honest["right"] + 0.1, "the two lose"
