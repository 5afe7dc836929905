r"""Undivided scores of 64 dimensions leave a few keys in play, here up to
65,536. Divided by $\sqrt{d}$, more than a third of all keys take part.

Three stacked panels against the number of keys, from {= counts[0] } to
{= counts[-1] :, }. Each has one curve for divided scores and three for
undivided scores of 16, 64 and 256 dimensions. Above, the mean largest weight:
the divided curve falls to almost 0; the undivided ones fall slowly and stay far
above it. Middle, the entropy as a share of its maximum: near 1 for divided
scores, a twentieth to two fifths for undivided ones. Below, on logarithmic
axes, the number of keys that take part: a straight rising line for divided
scores. Undivided scores of 64 and of 256 dimensions stay below 3; those of 16
rise slowly, to nearly 10.
"""

# %%
import numpy as np
from gaussian_logits import entropy, largest, participation

counts, dims = 2 ** np.arange(1, 17), [16, 64, 256]
spread = {"÷ √d": 1.0} | {f"d = {d}": d**0.5 for d in dims}
largest_weight, mean_entropy, share, taking_part = {}, {}, {}, {}
for name, s in spread.items():
    largest_weight[name] = {int(n): largest(n, s) for n in counts}
    mean_entropy[name] = {int(n): entropy(int(n), s) for n in counts}
    share[name] = {n: h / np.log(n) for n, h in mean_entropy[name].items()}
    taking_part[name] = {int(n): participation(n, s) for n in counts}
output_sd = taking_part["÷ √d"][512] ** -0.5  # of an average of values
by_entropy = {
    name: {n: np.exp(h) for n, h in mean.items()}
    for name, mean in mean_entropy.items()
}
entropy_share_512 = by_entropy["÷ √d"][512] / 512
key_share = {n: part / n for n, part in taking_part["÷ √d"].items()}
ln_512 = np.log(512)  # the entropy of even weights
# The article's small dimension, d = 4; and 3 keys, for the table.
four_dimensions = participation(512, 2.0)
# Heads of 128 whose scores are divided by 8 still.
old = np.sqrt(128) / 8
old_divisor = {"largest": largest(512, old), "keys": participation(512, old)}
scaled_3, bare_3 = (
    {
        "largest": largest(3, s),
        "keys": participation(3, s),
        "by_entropy": np.exp(entropy(3, s)),
    }
    for s in (1, 8)
)

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 5.8), sharex=True)
results = [largest_weight, share, taking_part]
labels = ["largest weight", "entropy / ln n", "keys taking part"]
for axes, result, label in zip(panels, results, labels, strict=True):
    for name, line in zip(spread, ["-", ":", "--", "-."], strict=True):
        axes.plot(counts, result[name].values(), line, label=name)
    axes.set(ylabel=label)
panels[0].set_ylim(0, 1)
panels[1].set_ylim(0, 1.05)
panels[2].set(xscale="log", yscale="log", xlabel="number of keys n")
panels[2].set_xscale("log", base=2)
panels[2].set(xticks=[2, 16, 64, 512, 4096, 65536])
panels[2].set_xticklabels(["2", "16", "64", "512", "4096", "65,536"])
panels[1].legend(loc=(0.3, 0.4), ncols=2)
panels[2].minorticks_off()
plt.show()

# %% says
weight = largest_weight
assert taking_part["d = 64"][65536] < 5, "of 64 dimensions leave a few keys in"
assert counts[-1] == 65536, "leave a few keys in play, here up to"
for name in spread:
    for n in by_entropy[name]:
        assert taking_part[name][n] < by_entropy[name][n], (
            "It never counts more of them than the entropy does"
        )
assert round(key_share[512], 2) == round(key_share[65536], 2), (
    "of 16 keys take part, and … of 512 or more"
)
assert taking_part["d = 64"][65536] < 3, (
    "Undivided scores of 64 dimensions leave a few keys in play, here up to"
)
assert min(key_share.values()) > 1 / 3, (
    r"Divided by $\sqrt{d}$, more than a third of all keys take part"
)
curves = {name: np.array([*weight[name].values()]) for name in spread}
divided = curves.pop("÷ √d")
assert np.all(np.diff(divided) < 0), "the divided curve falls"
assert divided[-1] < 0.001, "falls to almost 0"
for curve in curves.values():
    assert np.all(np.diff(curve) < 0), "the undivided ones fall slowly"
    assert curve[-1] > 300 * divided[-1], (
        "ones fall slowly and stay far above it"
    )
shares = [share[name][n] for name in curves for n in share[name]]
assert min(share["÷ √d"].values()) > 3 / 4, "near 1 for divided scores"
assert abs(min(shares) - 1 / 20) < 0.005, "a twentieth to two fifths"
assert abs(max(shares) - 2 / 5) < 0.01, "a twentieth to two fifths for"
assert np.all(np.diff([*taking_part["÷ √d"].values()]) > 0), (
    "a straight rising line for divided scores"
)
for name in ("d = 64", "d = 256"):
    assert max(taking_part[name].values()) < 3, (
        "Undivided scores of 64 and of 256 dimensions stay below 3"
    )
assert np.all(np.diff([*taking_part["d = 16"].values()]) > 0), (
    "those of 16 rise"
)
assert 9.5 < taking_part["d = 16"][65536] < 10, "rise slowly, to nearly 10"

assert weight["d = 64"][16] > 1 / 2 > weight["÷ √d"][16], (
    "or more) with the scores as they are, and … with divided ones"
)
assert np.isclose(old, np.sqrt(2)), "if you double $d$ and leave the 8 where"
assert key_share[512] > 1 / 3, "With the divisor more than a third of them"
assert taking_part["d = 64"][512] < 2, "and without it fewer than two"

# Of the questions.
top = [weight["d = 64"][n] for n in (16, 512, 65536)]
assert bare_3["largest"] > top[0] > top[1] > top[2], (
    "and the less so the more keys there are"
)
assert taking_part["d = 64"][512] < 2, (
    "At the start fewer than two of 512 keys take part"
)
assert four_dimensions == participation(512, 4 ** (1 / 2)), (
    "At 4 dimensions the divisor is only 2, yet of 512 keys"
)
assert taking_part["d = 64"][512] < four_dimensions, (
    "At 64 dimensions only … do"
)
assert abs(output_sd / np.sqrt(np.e / 512) - 1) < 0.01, (
    "With 512 keys and logits of spread 1 that gives"
)
assert output_sd < 1, "No, it is smaller"
assert spread["d = 64"] == 8 * spread["÷ √d"], (
    "every logit is 8 times as large: a row with a spread of 1 goes from"
)
