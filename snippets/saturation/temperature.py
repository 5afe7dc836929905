r"""A temperature of $\sqrt{64} = 8$ keeps the order of the weights and brings
them together.

The softmax weights of the three scores {= scores[0] }, {= scores[1] } and
{= scores[2] } against the temperature by which they are divided, from a half to
{= temperature[-1] :.0f } on a logarithmic axis. At a half the first weight is
nearly 1. The three curves approach each other without crossing and all tend to
one third. Vertical lines mark the temperatures 1, 8 and 64, which are no
divisor, √d and d.
"""

# %%
import numpy as np
from scipy.special import softmax

scores = np.array([14, 12, 10])
temperature = np.geomspace(0.5, 128, 200)
weights = softmax(scores / temperature[:, np.newaxis], axis=1)
divisors = [1, 8, 64]  # none, √d and d
at = {t: softmax(scores / t) for t in divisors}
ratio = {t: at[t][0] / at[t][1] for t in at}
far_up = softmax([100, 101])
taking_part = {t: 1 / np.sum(at[t] ** 2) for t in at}

pair = [1000, 1001]
mantissa, power = np.frexp(pair)  # bfloat16 keeps 8 binary digits
rounded = softmax(np.ldexp(np.round(mantissa * 2**8) / 2**8, power))
largest_half = float(np.finfo(np.float16).max)

# Three scores one spread of 64 dimensions apart: the winner's weight p, how far
# it moves if its logit moves a little, p (1 − p), and if its score does.
p = {t: softmax(np.array([8, 0, -8]) / t)[0] for t in divisors}
names = ["undivided", "÷ √d = 8", "÷ d = 64"]
winner = [
    (name, p[t], p[t] * (1 - p[t]), p[t] * (1 - p[t]) / t)
    for name, t in zip(names, divisors, strict=True)
]

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
for score, weight in zip(scores, weights.T, strict=True):
    axes.semilogx(temperature, weight, base=2, label=f"score {score}")
for t, name in [(1, "none"), (8, "√d"), (64, "d")]:
    axes.axvline(t, color="C3", linestyle=":")
    axes.text(t * 1.06, 0.97, name, color="C3", va="top")
axes.axhline(1 / 3, color="C4", linestyle="--", linewidth=1)
axes.text(0.5, 0.345, "1/3", color="C4")
axes.legend(loc=(0.53, 0.58))
axes.set(xlabel="temperature: what the scores are divided by", ylabel="weight")
axes.set(ylim=(0, 1), xticks=[0.5, 1, 8, 64], xticklabels=["½", 1, 8, 64])
plt.show()

# %% says
first, second, _ = scores / divisors[1]
assert first - second == 1 / 4 == (14 - 12) / 8, (
    "The gap between 14 and 12 is then a quarter"
)
assert sorted(scores) == [10, 12, 14], "With our 14, 10 and 12 it counts"
largest, ranges = weights.max(axis=1), np.ptp(weights, axis=1)
assert np.all(np.diff(largest) < 0), "higher … makes the largest weight smaller"
assert np.all(np.diff(weights, axis=1) < 0), "it never changes the order"
assert largest[temperature == 1 / 2] > 0.95, (
    "At a half the first weight is nearly 1"
)
assert divisors[1] == np.sqrt(64) == 8, "keeps the order of the weights and"
assert np.all(np.diff(ranges) < 0), "three curves approach each other without"
assert np.all(abs(weights[-1] - 1 / 3) < 0.02), "all tend to one third"
assert np.ptp(at[64]) < 0.03 < np.ptp(at[8]), (
    "64 instead of 8, … : hardly any choice is left"
)

by_logit, by_score = ([row[i] for row in winner] for i in (2, 3))
assert by_logit[0] < 0.001, "Undivided, it does not budge"
assert abs(by_logit[2] / by_logit[1] - 1) < 0.1, (
    "Divided by d it moves easily with its logit"
)
assert by_score[0] < by_score[2] < by_score[1] / 7, (
    "but a score hardly moves its logit: it takes 64 units of score for one"
)

assert np.allclose(softmax([100, 101]), softmax([0, 1])), (
    "The scores 100 and 101 give the weights … and so do 0 and 1"
)
assert np.ptp(rounded) == 0 < np.ptp(softmax([1000, 1001])), (
    "bfloat16, … cannot tell 1000 from 1001"
)
assert np.finfo(f"float{16}").max == largest_half, "A 16-bit float ends at"
assert np.diff(np.array(pair, f"float{32}")) == 1, (
    "Scores that are kept in 32 bits have neither trouble"
)
assert np.finfo(f"float{32}").max > 300 * 300 > largest_half, (
    "Scores that are kept in 32 bits have neither trouble"
)
with np.errstate(over="ignore"):
    assert np.isinf(np.float16(largest_half) * np.float16(2)), (
        "a score beyond that is infinite before anything is subtracted"
    )
early = np.float16(300 / 8) * np.float16(300)
assert early < largest_half < 300 * 300, (
    "To divide the query before the product helps against the overflow"
)
assert np.exp(101) > np.finfo(f"float{32}").max, (
    "is more than a 32-bit float can hold"
)

assert np.isclose(ratio[1], np.exp(14 - 12)), (
    "The weights of the keys with 14 and 12 have the ratio e^{14-12} = e^2"
)
assert np.isclose(ratio[8], np.exp(2 / 8)), "Divide by 8, and the gap is 2/8"
assert np.isclose(ratio[8] ** 8, ratio[1]), "is the eighth root of what it was"

assert np.isclose(taking_part[1] * np.sum(softmax([14, 10, 12]) ** 2), 1), (
    "With our 14, 10 and 12 it counts"
)

# Of the questions.
assert scores[0] - scores[1] == 2, "A score that is larger by 2 gets"
assert abs(np.log(ratio[8]) - 2 / np.sqrt(64)) < 1e-9, (
    "times at temperature 8, for 64 dimensions"
)
