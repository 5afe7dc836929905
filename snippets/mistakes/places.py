r"""Divided after softmax, our row is as sharp as undivided, and its weights add
up to {= total :.3f }. A bias that is divided with the scores hardly pulls the
row towards the newest keys any more.

Two lines of code, and below each our row as it should be, in blue, and as the
line has it, in orange. Above, a single orange bar is left, at key {= best },
and it has {= largest :.0%}, about as much as the blue one with {= most :.0%}.
Below, a bias falls by {= slope } with each step back from key {= n_keys }, the
query's own. The blue row then has {= near['right'] :.0%} of its weight on the
{= last } newest keys, the orange one {= near['wrong'] :.0%}, though its scores
are the same.
"""

# %%
import numpy as np
from our_row import d, n_keys, scores
from scipy.special import softmax

s = scores()
slope, last = 0.25, 8
bias = -slope * np.arange(n_keys)[::-1]  # as ALiBi has it
lines = {
    "after": "(q @ k.mT).softmax(-1) / d**0.5",
    "bias": "(q @ k.mT + bias) / d**0.5",
}
right = {"after": softmax(s / d**0.5), "bias": softmax(s / d**0.5 + bias)}
wrong = {"after": softmax(s) / d**0.5, "bias": softmax((s + bias) / d**0.5)}
total = float(wrong["after"].sum())
most, best = float(right["after"].max()), int(right["after"].argmax()) + 1
largest = float(wrong["after"].max())
near = {
    name: float(row["bias"][-last:].sum())
    for name, row in {"right": right, "wrong": wrong}.items()
}
plain = float(right["after"][-last:].sum())  # without any bias

# %%
import matplotlib.pyplot as plt
from beside import draw_beside

draw_beside({code: (right[at], wrong[at]) for at, code in lines.items()})
plt.show()

# %% says
assert np.allclose(wrong["after"] * d**0.5, softmax(s)), "as sharp as undivided"
assert np.sort(wrong["after"])[-2] < 0.02, "a single orange bar is left"
assert abs(largest - most) < 0.05, "about as much as the blue one"
assert near["wrong"] - plain < 0.25 * (near["right"] - plain), (
    "hardly pulls the row towards the newest keys any more"
)
assert np.all(np.diff(bias) == slope), "a bias falls by … with each step back"
