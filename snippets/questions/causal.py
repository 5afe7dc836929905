r"""Under a causal mask every row has a different number of keys, and the
divisor suits them all.

The number of keys that take part, against the number that a position may see,
from {= keys[0] } to {= keys[-1] }, both axes logarithmic. Divided by the root
of d the line rises with the number of keys. It comes down to a dashed line at
n/e, which it meets at about a hundred keys. Undivided, at 64 dimensions, it
stays between 1 and 2 throughout.
"""

# %%
import numpy as np
from gaussian_row import taking_part

d = 64
keys = 2 ** np.arange(13)

divided = {n: taking_part(n, 1) for n in keys}
bare = {n: taking_part(n, np.sqrt(d)) for n in keys}
# By how much it exceeds n/e.
above = {n: divided[n] / (n / np.e) - 1 for n in keys}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
axes.loglog(keys, keys / np.e, "--", color="C5")
axes.loglog(keys, list(divided.values()))
axes.loglog(keys, list(bare.values()))
axes.text(300, 260, "÷ √d", ha="right")
axes.text(300, 40, "n/e")
axes.text(300, 2.1, "undivided, d = 64")
axes.set(xlabel="keys that the position may see", ylabel="keys that take part")
ticks = [1, 8, 64, 512, 4096]
axes.set(xticks=ticks, xticklabels=ticks, ylim=(0.7, 3000))
axes.set(yticks=[1, 10, 100, 1000], yticklabels=[1, 10, 100, 1000])
axes.minorticks_off()
plt.show()

# %% says
assert np.all(np.diff([*divided.values()]) > 0), "the line rises with"
assert np.all(np.diff([*above.values()]) < 0), "It comes down to a dashed line"
assert above[128] < 0.06 < 0.1 < above[32], "meets at about a hundred keys"
few = np.array([bare[n] for n in keys[1:]])
assert np.all((few >= 1) & (few < 2)), "it stays between 1 and 2 throughout"
assert above[8] > above[128] > above[4096] > 0, (
    "above $n/e$ at 8 keys, … at 128 and … at 4096"
)
