r"""Undivided, the scores of GPT-2 XL and of OPT-175B start above the freezing
variance, in the frozen phase; those of GPT-2 and T5 start below it. The divisor
moves the former below it, too, if weights are not drawn too large.

A plane with the number of keys from {= n[0] :.0f } to a million across and the
variance of the scores upwards; both axes are logarithmic. The freezing
variance, 2 ln n, rises from {= freezing[0] :.1f } to {= freezing[-1] :.0f }.
Above it lies the frozen phase, below it the shared one. Dots mark the variance
of an undivided score under the models' own initialisation. T5 at
{= bare['T5'] :.0f } and GPT-2 at {= bare['GPT-2'] :.0f } lie below it; GPT-2 XL
and OPT-175B lie above it, near {= bare['OPT-175B'] :.0f }; a weight's standard
deviation of {= drawn['GPT-3, if 0.02'][3] } at the width of GPT-3 gives
{= bare['GPT-3, if 0.02'] :.0f }. Arrows lead straight down to what the divisor
leaves: below 1 for all but the last, which is
{= divided['GPT-3, if 0.02'] :.0f }, still above. Dashed lines mark 64, which is
variance 1 at 64 dimensions, and {= first_transformer :.0f }, the self-attention
of the first Transformer. A dotted curve, which starts below the freezing
variance and crosses it near 26 keys, shows where the largest weight averages a
half.
"""

# %%
import numpy as np
from gaussian_logits import largest, participation
from scipy.optimize import brentq

n = 2.0 ** np.arange(1, 20.5, 0.5)
freezing = 2 * np.log(n)
critical = {int(m): 2 * np.log(m) for m in 2.0 ** np.arange(1, 21)}
keys_to_thaw_64 = np.exp(64 / 2)
# Keys, dimensions, width D, and the standard deviation of a weight.
drawn = {
    "GPT-2": (1024, 64, 768, 0.02),
    "GPT-2 XL": (1024, 64, 1600, 0.02),
    "OPT-175B": (2048, 128, 12288, 0.006),
    "GPT-3, if 0.02": (2048, 128, 12288, 0.02),
}
# Keys, dimensions, and Var q Var k, which is (D Var W)².
models = {
    name: (n, d, (D * sd**2) ** 2) for name, (n, d, D, sd) in drawn.items()
}
models["T5"] = 512, 64, 1 / 64  # W_Q has 1/(64 D); and there is no divisor
freezes_at = {name: critical[keys] for name, (keys, _, _) in models.items()}
bare = {name: d * each for name, (_, d, each) in models.items()}
divided = {name: each for name, (_, _, each) in models.items()}
taking_part = {
    name: {
        "bare": participation(keys, np.sqrt(bare[name])),
        "divided": participation(keys, np.sqrt(divided[name])),
    }
    for name, (keys, _, _) in models.items()
}
# A causal row with so many keys has its freezing variance there.
rows_above = np.floor(np.exp(bare["GPT-2"] / 2))
# One matrix for Q, K and V by Xavier's rule: 2/(D + 3D) each.
first_transformer = 64 * (512 * 2 / (512 + 3 * 512)) ** 2

half = {}
for m in [4, 16, 64, 512, 4096, 65536, 2**20]:
    root = brentq(lambda s, m=m: largest(m, s) - 0.5, 0.1, 12, xtol=1e-3)
    half[m] = root**2

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.8))
axes.fill_between(n, freezing, 20_000, color="C1", alpha=0.14)
axes.fill_between(n, 0.05, freezing, color="C0", alpha=0.14)
axes.plot(n, freezing, color="C3")
axes.plot([*half], [*half.values()], ":", color="C1")
for level in (64, first_transformer):
    axes.axhline(level, color="C4", linestyle="--", linewidth=1)
axes.text(2.3, 70, "d = 64, if all variances are 1", color="C4")
axes.text(9e5, 14, "first Transformer", color="C4", ha="right", va="top")
# Arrows that would cover each other stand a little to the side.
aside = {"GPT-2": 0.75, "OPT-175B": 2.5}
for name, (keys, _, _) in models.items():
    x, left = keys * aside.get(name, 1), keys < 2048
    axes.plot(x, bare[name], "o", color="C4", markersize=8)
    side = "right" if left else "left"
    x_name = x / 1.3 if left else x * 1.3
    height = 3 if name == "OPT-175B" else bare[name]
    axes.text(x_name, height, name, color="C4", ha=side, va="center")
    if name != "T5":
        arrow = {"arrowstyle": "->", "color": "C4", "lw": 1.5}
        ends = (x, divided[name]), (x, bare[name])
        axes.annotate("", *ends, arrowprops=arrow)
axes.text(2.3, 8000, "frozen: the top keys take the weight", color="C1")
axes.text(2.3, 0.07, "shared: a share of all keys", color="C0")
axes.text(30, 5.5, "2 ln n", color="C3", va="top")
axes.text(9e5, 75, "largest weight ½", color="C1", ha="right")
axes.set(xscale="log", yscale="log", ylim=(0.05, 20_000), xlim=(2, 2**20))
axes.set(xlabel="number of keys n", ylabel="variance of the scores")
axes.set_xticks(
    [2, 16, 512, 8192, 2**20], ["2", "16", "512", "8192", "1,048,576"]
)
axes.set_yticks(
    [0.1, 1, 16, 64, 1000, 10_000], ["0.1", "1", "16", "64", "1000", "10,000"]
)
axes.minorticks_off()
plt.show()

# %% says
large = ["GPT-2 XL", "OPT-175B", "GPT-3, if 0.02"]
for name in large[:2]:
    assert bare[name] > freezes_at[name], (
        "of GPT-2 XL and of OPT-175B start above the freezing"
    )
for name in ("GPT-2", "T5"):
    assert bare[name] < freezes_at[name], "of GPT-2 and T5 start below it"
for name in large[:2]:
    assert divided[name] < freezes_at[name], "moves the former below it"
assert np.allclose(freezing, 2 * np.log(n)), "The freezing variance, 2 ln n"
assert freezing[0] < freezing[-1], "2 ln n, rises from"
for name in ("GPT-2", "T5"):
    assert bare[name] < freezes_at[name], "T5 at … lie below it; GPT-2 XL"
for name in ("GPT-2 XL", "OPT-175B"):
    assert freezes_at[name] < bare[name] < 1.1 * bare["OPT-175B"], (
        "GPT-2 XL and OPT-175B lie above it, near"
    )
*most, last = large
assert max(divided[name] for name in ("GPT-2", *most)) < 1, (
    "what the divisor leaves: below 1 for all but the last"
)
assert divided[last] > freezes_at[last], "the last, which is …, still above"
for keys, variance in half.items():
    assert (variance > critical[keys]) == (keys >= 26), (
        "starts below the freezing variance and crosses it near 26 keys"
    )
at_point = {m: largest(m, np.sqrt(2 * np.log(m))) for m in (24, 28)}
assert at_point[24] > 1 / 2 > at_point[28], (
    "crosses it near 26 keys, shows where the largest weight averages a half"
)

assert critical[65536] < 64, (
    "a longer context does not rescue attention without the divisor"
)
assert critical[512] < 64 / 4, "and a head of 64 is far beyond"
assert np.all(np.diff([*critical.values()]) > 0), "and for any larger number"
assert np.sqrt(critical[2]) > 1, (
    "for two keys and for any larger number … stay below it once they"
)
assert 2 * np.log(rows_above) < bare["GPT-2"] < 2 * np.log(rows_above + 1), (
    "and the rows up to the … would start above it"
)
assert taking_part["GPT-2"]["bare"] < 1024 / 50, (
    "So a row of all 1024 keys would start shared even without"
)
assert 64 * (768 * 0.02**2) ** 2 == bare["GPT-2"] < critical[1024], (
    "deviation of 0.02, has an undivided variance of …, below"
)
assert 1.9 < drawn["GPT-2 XL"][2] / drawn["GPT-2"][2] < 2.2, (
    "about twice as wide"
)
assert min(bare["GPT-2 XL"], bare["OPT-175B"]) > critical[2048], (
    "without the divisor both would start frozen"
)
assert first_transformer == 64 / 4, "makes the undivided variance … at"
assert first_transformer < 64, "Dashed lines mark 64 … and … self-attention"
assert divided["GPT-3, if 0.02"] > critical[2048], (
    "With GPT-2's 0.02, … would start frozen in spite of the divisor"
)
for n in (256, 512, 1024, 4096):
    twice_the_point = 2 * np.sqrt(critical[n])
    assert 0.7 < twice_the_point / 8 < 1.1, (
        "with hundreds or thousands of keys, sigma = 8 is not far from twice"
    )
