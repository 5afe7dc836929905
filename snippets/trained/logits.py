r"""In a trained model the logits of most heads have a spread above 1. Fewer
keys take part than Gaussian logits of that spread would leave.

A dot for each head on logarithmic axes: the share of a row's keys that take
part, against the standard deviation of the logits in the row. The shares fall
as the spread rises, most of them below a curve for Gaussian logits. A dashed
line at 1 marks coordinates of variance 1, another the freezing point; a few
heads lie beyond it, one of them far to the right.
"""

# %%
import numpy as np
from medians import medians
from stored import read

heads = read("trained/heads.csv")
start = medians()[0]["size"]["start"] / 32**0.5  # of q·k, over √d
layer, spread = heads["layer"], heads["row_sd"]
taking_part, share = heads["taking_part"], heads["share_taking_part"]
median, lowest, highest = np.median(spread), spread.min(), spread.max()
variance = median**2
# The same without [CLS] and [SEP] among the keys.
content_median = np.median(heads["row_sd_content"])
# With the keys of other sentences, each of them as a row.
elsewhere = read("trained/rows.csv")["elsewhere"]
elsewhere_median = np.median(elsewhere)
changed = np.abs(elsewhere / spread - 1)
much_changed = int(np.sum(changed > 0.1))
above_one = int(np.sum(spread > 1))
content_above_one = int(np.sum(heads["row_sd_content"] > 1))
near_one = int(np.sum(np.abs(spread**2 - 1) < 0.1))
lower, upper = np.quantile(spread, [0.25, 0.75])
by_layer = [np.median(spread[layer == at]) for at in range(6)]
mostly_frozen = int(np.sum(heads["frozen"] > 0.5))
# The keys of a row, [CLS] and [SEP] among them.
keys = int(np.round(np.median(taking_part / share)))
freezing = np.sqrt(2 * np.log(keys))


def two_picks(n, sigma):
    """Return E Σp² of n Gaussian logits, by quadrature."""
    z, weight = np.polynomial.hermite_e.hermegauss(80)
    weight = weight / weight.sum()
    tau = np.arange(-20, np.log(n) + sigma**2 + 20, 0.05)[:, np.newaxis]
    u = np.minimum(sigma * z - tau, 40)
    all_but_one = np.exp(-np.exp(u)) @ weight
    both = np.exp(2 * u - np.exp(u)) @ weight
    return 0.05 * n * np.sum(both * all_but_one ** (n - 1))


sigma = np.geomspace(0.4, 4, 30)
gaussian = np.array([1 / (keys * two_picks(keys, s)) for s in sigma])
name = [f"{a:.0f}.{b:.0f}" for a, b in zip(layer, heads["head"], strict=True)]
top = np.argmax(spread)
sharpest = name[top]
below = int(np.sum(share < np.interp(spread, sigma, gaussian)))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 5))
axes.loglog(sigma, gaussian, color="C4", label="Gaussian logits")
for place, (first, second) in enumerate([(0, 1), (2, 3), (4, 5)]):
    rows = (layer == first) | (layer == second)
    label = f"layers {first} and {second}"
    axes.plot(
        spread[rows], share[rows], "os^"[place], color=f"C{place}", label=label
    )
axes.axvline(1, color="C3", linestyle="--", linewidth=1)
axes.axvline(freezing, color="C3", linestyle="--", linewidth=1)
axes.text(1.04, 0.9, "variance 1")
axes.text(freezing * 1.04, 0.9, "freezing point")
axes.annotate(
    sharpest,
    (spread[top], share[top]),
    (-4, 8),
    textcoords="offset points",
    ha="right",
)
axes.set(xlabel="spread of a row of logits", ylabel="share of keys taking part")
axes.set(xticks=[0.5, 1, 2, 4, 8], xticklabels=[0.5, 1, 2, 4, 8])
axes.set(yticks=[0.05, 0.1, 0.2, 0.5, 1], yticklabels=[0.05, 0.1, 0.2, 0.5, 1])
axes.minorticks_off()
axes.legend(loc="center right")
plt.show()

# %% says
furthest = np.sort(spread)[::-1]
away_from_one = np.sort(abs(spread**2 - 1))
assert lower > 1, "the logits of most heads have a spread above 1"
assert below > 0.9 * len(spread), (
    "Fewer keys take part than Gaussian logits of that spread"
)
assert np.median(share / np.interp(spread, sigma, gaussian)) < 0.8, (
    "heads fewer keys take part than Gaussian logits of the same spread"
)
assert np.corrcoef(np.log(spread), np.log(share))[0, 1] < -0.7, (
    "The shares fall as the spread rises"
)
assert 1 < np.sum(spread > freezing) < 10, "a few heads lie beyond it"
assert furthest[0] > 2 * furthest[1], "one of them far to the right"
assert away_from_one[near_one - 1] < 0.1 < away_from_one[near_one], (
    "and it is within … of 1 in only"
)
assert np.mean(spread > lower) - np.mean(spread > upper) == 1 / 2, (
    "is between … and … in half of the heads"
)
assert abs(elsewhere_median / median - 1) < 0.03, (
    "other sentences, and in the median head its rows spread as much"
)
assert abs(elsewhere_median / median - 1) < 0.03, (
    "spread of a row; anew, with the keys of another sentence"
)
assert much_changed <= 2, "spread of a row changes by more than a tenth in only"
assert 1 < content_median < median, (
    "since [CLS] and [SEP] often stand far above the rest"
)
assert lower > 1, "Most heads lie to the right of it"
assert highest > 4 * lower > 4, (
    "somewhat larger than the theory’s, and heads differ"
)
assert heads["previous"][top] > 0.99, "looks at the token before and at nothing"
assert lowest < 0.7, "it may be anything from about a half to more than ten"
assert highest > 10, "it may be anything from about a half to more than ten"
