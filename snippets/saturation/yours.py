"""Products add up to a score, and scores become weights.

Two panels. On the left a query and a key of four numbers each: their products
are stacked one on the other, two upwards and two downwards, and where the last
one ends is the score, at {= sums[-1] :.1f }. On the right the weights of three
keys, from the scores {= scores[0] }, {= scores[1] } and {= scores[2] }: as
they are, the first key has {= weights["undivided"][0] :.0%}, and divided by
{= by :.0f } it has {= weights["divided"][0] :.0%}.
"""

# %%
import numpy as np
from scipy.special import softmax

q, k = np.array([2, -1, 0.5, 1]), np.array([1.5, 0.5, -2, 3])
sums = np.cumsum(q * k)

scores, by = np.array([14, 10, 12]), np.sqrt(64)
weights = {"undivided": softmax(scores), "divided": softmax(scores / by)}

# A step that wants more weight on the second key moves each score by how much
# that weight answers to it.
wanted = 1
step, after = {}, {}
for name, divisor in {"undivided": 1, "divided": by}.items():
    p = weights[name]
    step[name] = p[wanted] * ((np.arange(3) == wanted) - p) / divisor
    after[name] = softmax((scores + step[name]) / divisor)

# The same, with the scores capped by c tanh(z/c).
cap = 5
capped = softmax(cap * np.tanh(scores / cap))
slope = 1 / np.cosh(scores / cap) ** 2
pull = capped[wanted] * ((np.arange(3) == wanted) - capped) * slope

explore = {"q": q, "k": k, "scores": scores, "by": by, "key": wanted + 1}
explore |= {"head": round(by**2), "cap": cap}

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.2))
begin = np.append(0, sums[:-1])
for i, (low, rise) in enumerate(zip(begin, q * k, strict=True)):
    left.bar(i + 1, rise, bottom=low, color="C0" if rise > 0 else "C3")
left.axhline(sums[-1], color="C5", linestyle=":")
left.text(0.6, sums[-1] + 0.1, "the score")
left.set(xlabel="product", ylabel="sum", xticks=range(1, 5), ylim=(0, 5.4))
for side, (name, p) in zip([-0.2, 0.2], weights.items(), strict=True):
    colour = {"undivided": "C1", "divided": "C0"}[name]
    right.bar(np.arange(3) + side, p, width=0.38, color=colour, label=name)
right.set(xlabel="score", ylabel="weight", ylim=(0, 1))
right.set_xticks(range(3), [str(score) for score in scores])
right.legend(loc="upper right")
plt.show()

# %% says
assert sums[-1] == q @ k, "Products add up to a score"
assert np.isclose(sum(weights["divided"]), 1), "and scores become weights"
assert len(q) == len(k) == 4, "a query and a key of four numbers each"
assert len(scores) == 3, "the weights of three keys"
assert [*np.sign(q * k)] == [1, -1, -1, 1], "two upwards and two downwards"

bare, shared = weights["undivided"], weights["divided"]
assert bare.min() == bare[1] < 0.02, "a key with next to nothing hardly answers"
assert abs(after["undivided"][1] - bare[1]) < 0.02, (
    "Undivided, the score of … moves by only"
)
assert bare[0] > 0.8, "has little left to win"
assert np.all(cap * np.tanh(scores / cap) > 0.95 * cap), (
    "brings all three together at the top of the tanh"
)
assert np.all(slope < 0.1), "where it is nearly flat"
assert capped.max() < 0.4, "So the weights are shared"
assert pull[1] < step["undivided"][1] < step["divided"][1], (
    "and yet this score moves no further than before"
)
