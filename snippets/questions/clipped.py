r"""With the logarithm of its size, undivided, a merged key weighs as much as
all the keys that it stands for.

The weight of one merged key against the number of keys that it stands for, of
{= n} with equal scores, both axes logarithmic. With the logarithm it rises in
proportion, to {= true_share :.3f} for 16 keys. With the logarithm inside the
division of a head of 64 it is {= inside_share :.4f} for 16 keys, and without
the logarithm {= bare_share :.4f}, about as much as each of the others.
"""

# %%
import numpy as np
from scipy import special, stats

# A head's largest logit is 400, and 100 is allowed.
gamma = min(1, 100 / 400)
alpha = 0.5
on_query, on_key = gamma**alpha, gamma ** (1 - alpha)
only_query = gamma  # where several heads share the key
# A key head shared by heads whose largest logits are 400 and 50, clipped for
# the first: the second gets less than it needs.
neighbour = 50 * on_key

# RMSNorm on q and k with gains of 1, and the root: no logit exceeds √d.
cap = 50
bound = np.sqrt(128)


def capped(logit, cap=cap):
    """Return the logit behind a soft cap."""
    return cap * np.tanh(logit / cap)


capped_bound = capped(bound)
lost = 1 - capped_bound / bound
# Gains whose product is 5 move the bound.
gain = 5
grown, capped_grown = gain * bound, capped(gain * bound)
output_cap = 15  # nanochat's, on the logits of the vocabulary

# 16 equal keys of 512 are merged into one, all scores 0.
merged, n = 16, 512
true_share = merged / n
bare_share = 1 / (n - merged + 1)
with_log = special.softmax([np.log(merged), *np.zeros(n - merged)])[0]
# ln 16 inside the division counts as fewer tokens.
head = 64
inside = merged ** (1 / np.sqrt(head))
inside_share = inside / (inside + n - merged)
# All tokens merged alike: one number is added to all logits of a row.
alike = special.softmax(np.array([1, 0, -1]) + np.log(merged))
# Keys that are not quite equal: their logits scatter by s about the mean, and
# the mean of e^z exceeds e^(mean z).
g = np.linspace(-9, 9, 4001)
p = stats.norm.pdf(g) / stats.norm.pdf(g).sum()
more = {s: np.exp(s * g) @ p for s in (0.3, 1.0)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
m = np.geomspace(1, 256, 100)
axes.loglog(m, m / n, "C0")
axes.loglog(m, m ** (1 / 8) / (m ** (1 / 8) + n - m), "C1")
axes.loglog(m, 1 / (1 + n - m), "C2")
axes.text(20, 0.1, "ln m after the division", color="C0", ha="right")
axes.text(34, 0.0039, "ln m inside it", color="C1", ha="right")
axes.text(40, 0.0013, "no ln m", color="C2")
axes.set(xlabel="number m of keys that are merged", ylabel="weight")
axes.set(xticks=[1, 4, 16, 64, 256], xticklabels=[1, 4, 16, 64, 256])
axes.set(yticks=[0.001, 0.01, 0.1], yticklabels=["0.001", "0.01", "0.1"])
axes.set(ylim=(0.001, 0.7))
axes.minorticks_off()
plt.show()

# %% says
assert np.isclose(with_log, merged / n), "all the keys that it stands for"
assert np.isclose(with_log / (1 / n), 16), "it rises in proportion, to"
assert bare_share < inside_share < true_share, (
    "With the logarithm inside the division of a head of 64"
)
assert np.isclose(inside_share, 16**0.125 / (16**0.125 + 496)), (
    "of a head of 64 it is … for 16 keys"
)
assert bare_share < 1.1 / n, "without the logarithm …, about as much as each"
assert gamma == 100 / 400, "For a largest logit of 400 and a threshold of 100"
assert on_query == on_key == gamma**0.5, "with an alpha of 0.5, each is"
assert np.isclose(on_query * on_key, gamma), "and together they make"
assert neighbour < 50, "would shrink its other heads' logits too"
assert neighbour == 50 * on_key, "one with 50 would go down to"
assert only_query == gamma, "So then put the whole factor on the query"
assert np.isclose(bound**2, 128), "no logit exceeds … in heads of 128"
assert 0 < lost < 0.02, "a cap of 50 takes less than two percent"
assert grown > cap > capped_grown, "the largest one possible is"
assert output_cap < cap, "In nanochat it is 15 and stands at the very end"
assert grown - capped_grown > 10, (
    "So a cap bounds something where gains can grow"
)
assert capped(128) < 64, "the bound is $d$, and the cap does something"
assert np.isclose(with_log, true_share), "has exactly the weight of all 16"
assert bare_share < true_share / 10, "without the logarithm it falls to"
assert inside == 16 ** (1 / np.sqrt(64)), "at 64 dimensions, a size of 16"
assert np.allclose(alike, special.softmax([1, 0, -1])), "cancels in the softmax"
assert np.allclose([*more.values()], np.exp(np.square([0.3, 1.0]) / 2)), (
    "by a factor of about $e^{s^2/2}$ where many are"
)
assert 1 < more[0.3] < more[1.0], "together they weigh more than that"
