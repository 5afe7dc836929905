r"""Without a root, one key of our row has {= largest['none'] :.0%} of the
weight; scaled twice, no key stands out. The other three are too sharp, and
log₂e only a little.

Five lines of code, and below each our row as it should be, in blue: all keys
have a share, and key {= best } the largest, {= most :.0%}. In orange is what
the line makes of it. Without a scale, and with the scale on the wrong side, a
single bar leaves the panel. With one fourth root the largest has
{= largest['fourth root'] :.0%}. With the scale twice all bars are about as
high, {= flattest :.0%} to {= largest['twice'] :.0%}. With log₂e too much the
row has its shape, but key {= best } has {= largest['log2e'] :.0%}.
"""

# %%
import numpy as np
from our_row import d, keys, query, scores
from scipy.special import softmax

lines = {
    "none": "q @ k.mT",
    "twice": "sdpa(q / d**0.5, k, v)",
    "reversed": "q @ k.mT / scale",
    "fourth root": "(q * d**-0.25) @ k.mT",
    "log2e": "(q @ k.mT * scale * LOG2E).softmax(-1)",
}
q, k = query[:d], keys[:, :d]
logits = {
    "none": k @ q,
    "twice": k @ (q / d**0.5) / d**0.5,
    "reversed": k @ q / d**-0.5,
    "fourth root": k @ (q * d**-0.25),
    "log2e": k @ q * d**-0.5 * np.log2(np.e),
}
right = softmax(scores() / d**0.5)
wrong = {name: softmax(row) for name, row in logits.items()}
most, best = float(right.max()), int(right.argmax()) + 1
largest = {name: float(row.max()) for name, row in wrong.items()}
flattest = float(wrong["twice"].min())

# %%
import matplotlib.pyplot as plt
from beside import draw_beside

draw_beside({lines[name]: (right, row) for name, row in wrong.items()})
plt.show()

# %% says
assert largest["none"] > 0.5, "one key of our row has"
assert largest["twice"] < 1.5 / len(k), "scaled twice, no key stands out"
for name in ("reversed", "fourth root", "log2e"):
    assert largest[name] > most, "The other three are too sharp"
assert largest["log2e"] < 2 * most, "and log₂e only a little"
assert largest["reversed"] > 0.999, "a single bar leaves the panel"
assert np.corrcoef(right, wrong["log2e"])[0, 1] > 0.95, "the row has its shape"
assert largest["twice"] < 2 * flattest, (
    "With the scale twice all bars are about as high"
)
