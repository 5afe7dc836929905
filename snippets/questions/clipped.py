r"""QK-clip's factor and where it goes, a soft cap behind a norm on q and k, and
the logarithm of a size that merged tokens get.
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
d, cap = 128, 50
bound = np.sqrt(d)


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
# All tokens merged alike: one number is added to all logits of a row.
alike = special.softmax(np.array([1, 0, -1]) + np.log(merged))
# Keys that are not quite equal: their logits scatter by s about the mean, and
# the mean of e^z exceeds e^(mean z).
g = np.linspace(-9, 9, 4001)
p = stats.norm.pdf(g) / stats.norm.pdf(g).sum()
more = {s: np.exp(s * g) @ p for s in (0.3, 1.0)}

# %% says
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
assert grown - capped_grown > 10, "Once gains have grown it does as well"
assert capped(d) < 0.5 * d, "the bound is $d$, and the cap does something"
assert np.isclose(with_log, true_share), "has exactly the weight of all 16"
assert bare_share < true_share / 10, "without the logarithm it falls to"
assert 1 < inside < 2 < merged, "a size of 16 counts as … tokens only"
assert np.allclose(alike, special.softmax([1, 0, -1])), "cancels in the softmax"
assert np.allclose([*more.values()], np.exp(np.square([0.3, 1.0]) / 2)), (
    "by a factor of $e^{s^2/2}$"
)
assert 1 < more[0.3] < more[1.0], "together they weigh more than that"
