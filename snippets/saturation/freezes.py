r"""Our row with {= n_long } keys, as its scores are spread out. Each band is
the weight of one key, and the grey above is all others. At a spread of 1 there
are many, none of them wide. Beyond $\sqrt{2\ln n} = {= freezing_point :.1f }$
a few have nearly everything.

Bands piled up from 0 to 1 over the spread of the scores, from a quarter to
{= spreads[-1] :.0f }, on a logarithmic axis. Each band is the weight of a key,
the largest at the bottom, its colours in turn dark and light. On the left
there are so many that they run together in grey. From a spread of about 1 on
the lowest bands widen. At a spread of {= marks['undivided'] :.0f } the lowest,
orange, has most of the height and the second most of the rest. Three vertical
lines mark a spread of 1, the freezing point at {= freezing_point :.1f }, and a
spread of {= marks['undivided'] :.0f }.
"""

# %%
import numpy as np
from our_row import d, long_scores, n_long
from scipy.special import softmax

freezing_point = np.sqrt(2 * np.log(n_long))
g = np.sort(long_scores / long_scores.std())[::-1]
spreads = 2 ** np.linspace(-2, 5, 29)
weights = softmax(np.outer(spreads, g), axis=1)
# Further up none can be told from the next.
bands = np.cumsum(weights, axis=1)[:, :12]


def taking_part(spread):
    """Return one over the chance that two picks agree."""
    return 1 / np.sum(softmax(spread * g) ** 2)


marks = {"÷ √d": 1, "freezing": freezing_point, "undivided": np.sqrt(d)}
keys_at = {name: taking_part(spread) for name, spread in marks.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
below = np.zeros(len(spreads))
for key in range(bands.shape[1]):
    colour = "C1" if key == 0 else ("0.45", "0.7")[key % 2]
    axes.fill_between(spreads, below, bands[:, key], color=colour, linewidth=0)
    below = bands[:, key]
axes.fill_between(spreads, below, 1, color="0.58", linewidth=0)
look = {"÷ √d": ("C0", "center"), "freezing": ("C3", "right")}
look["undivided"] = ("C1", "left")
for name, spread in marks.items():
    colour, side = look[name]
    axes.axvline(spread, color=colour, linestyle="--")
    axes.text(spread, 1.02, name, color=colour, ha=side)
axes.set_xscale("log", base=2)
axes.set(xlim=(spreads[0], spreads[-1]), ylim=(0, 1), yticks=[0, 0.5, 1])
axes.set_xticks([0.25, 0.5, 1, 2, 4, 8, 16, 32])
axes.set_xticklabels(["¼", "½", "1", "2", "4", "8", "16", "32"])
axes.set(xlabel="spread of the scores", ylabel="share of the weight")
plt.show()

# %% says
at_1, at_8 = (softmax(spread * g) for spread in (1, 8))
assert at_1.max() < 1 / 20, "there are many, none of them wide"
assert at_8[0] > 1 / 2, "orange, has most of the height"
assert at_8[1] > (1 - at_8[0]) / 2, "and the second most of the rest"
assert softmax(4 * g)[:5].sum() > 0.75, "a few have nearly everything"
