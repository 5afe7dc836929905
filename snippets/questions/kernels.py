r"""The log-sum-exp of a row lies above its largest logit, by less and less as
the logits spread.

Three lines for {= n } logits, against their spread from {= spreads[0] :.2f } to
{= spreads[-1] :.0f }, both axes linear. On top the log-sum-exp, which starts at
{= lse[0] :.1f } and ends at {= lse[-1] :.1f }. The largest logit starts at
{= top[0] :.1f }, {= gap[0] :.1f } below it, and ends at {= top[-1] :.1f }. The
lowest line is the log-sum-exp less ln n, the least that the largest logit can
be.
"""

# %%
import numpy as np
from scipy import special, stats

n, d = 4096, 64
scale, log2_e = 1 / np.sqrt(d), 1 / np.log(2)
spreads = np.array([0.05, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20])


def mean_of_largest(distribution, x):
    """Return the mean of the largest of n, from F at the points x."""
    below = distribution**n
    return x[-1] - np.sum((below[1:] + below[:-1]) / 2) * (x[1] - x[0])


def largest(sigma):
    """Return the mean of the largest of n Gaussian logits."""
    x = np.linspace(0, 9 * sigma, 20_001)
    return mean_of_largest(special.ndtr(x / sigma), x)


def log_sum_exp(sigma):
    """Return E ln Σ e^z: the largest of z + Gumbel noise, less Euler's γ."""
    x = np.linspace(-1, 9 * sigma + 40, 2501)
    g = np.linspace(-9, 9, 1201)
    weight = stats.norm.pdf(g) / stats.norm.pdf(g).sum()
    noise = np.exp(-np.exp(np.minimum(sigma * g - x[:, np.newaxis], 40)))
    return mean_of_largest(noise @ weight, x) - np.euler_gamma


lse = np.array([log_sum_exp(s) for s in spreads])
top = np.array([largest(s) for s in spreads])
gap = lse - top
least = lse - np.log(n)
of = {s: i for i, s in enumerate(spreads)}
most_off = {keys: np.log(keys) for keys in (n, 131_072)}

# What tells a kernel's convention: with one key the lse is the logit, and with
# a query of zeros the logarithm of the number of keys.
base = 2
probe = {"e": scale, "2": scale * log2_e}
zeros = {"e": np.log(n), "2": np.log2(n)}

# Two blocks of keys with even logits, 4096 and 64: the share of the smaller one
# when merged, and if logarithms to base 2 are taken for natural ones.
gap_of_blocks = np.log(n) - np.log(64)
share = special.expit(-gap_of_blocks)
share_base = special.expit(-gap_of_blocks * log2_e)

# A sink at b takes this of the weight from 128 keys of spread 1.
few = 128
window = np.log(few) + 1 / 2  # close to E ln Σ e^z
sink = 8
taken = {b: special.expit(b - window) for b in (sink, sink * scale)}
stored = sink * np.sqrt(d)
taken_raw = special.expit(stored - window)
kept = {b: special.expit(window - b) for b in (0, sink)}

# The lse's gradient: of ln n + |q|²/2d for many keys, and k/√d for one.
along, of_one_key = 1 / d, np.sqrt(d) * scale
# What 8 more, added by a score_mod, adds to the lse of one key.
grows = {"after": 8, "before": 8 * scale}

# A soft cap of 50 after the division, and what kernels multiply by.
cap, near, far = 50, 8, 8000
folded, out = scale / cap, cap * log2_e
capped = {
    "right": cap * np.tanh(near * scale / cap),
    "far": cap * np.tanh(far * scale / cap),
    "undivided": cap * scale,
    "no division": cap * np.tanh(near * scale),
}

# An RMS norm makes q and k √512 long; fp16 ends at 65,504.
wide, fp16_top = 512, (2 - 2.0**-10) * 2.0**15
product_of_gains = fp16_top / wide
in_spreads = fp16_top / np.sqrt(wide)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
axes.plot(spreads, lse, "C0")
axes.plot(spreads, top, "C1")
axes.plot(spreads, least, "C0", linestyle="--")
axes.text(9, 49, "log-sum-exp", color="C0", ha="right")
axes.text(9, 41, "largest logit", color="C1", ha="right")
axes.text(10.5, 19, "log-sum-exp − ln n", color="C0", ha="left")
axes.set(xlabel="spread of the logits", ylabel="mean over rows")
axes.set(xlim=(0, 20.5), ylim=(-2, 78))
plt.show()

# %% says
assert np.all(least <= top), "the largest logit lies between"
assert np.all(top <= lse), "the largest logit lies between"
assert np.all(np.diff(gap) < 0), "by less and less as the logits spread"
assert np.isclose(least[1], lse[1] - np.log(n)), "less ln n, the least that"
assert share_base < share, "the block with the larger sum takes too much"
assert gap[of[20]] < 0.5 < 5 < gap[of[1]], "at a spread of 1 the lse is"
assert gap[of[20]] < 0.5, "Where you would clip, this is close enough"
assert spreads[13] == 20, "logits of spread 20, the lse is"
assert abs(least[1] - 1 / 2) < 0.01, "half the squared spread, as long as"
assert np.all(gap < np.log(n)), "at most $\\ln n$ too early"
assert probe["2"] == probe["e"] * log2_e, (
    "if it is natural and scaled, … in base 2"
)
assert np.isclose(zeros["2"], 12), "gives … or, in base 2"
assert share_base < share / 4, "the new tokens count as"
assert np.isclose(share, 64 / (4096 + 64)), (
    "Merge 64 new tokens with a prefix of 4096"
)
assert taken[8] > 0.9 > 0.05 > taken[1], "it is a sink of 1 and takes"
assert kept[0] > 0.99 > 0.1 > kept[8], "a sink of 0 leaves them"
assert of_one_key == 1, "the query, of length … if $k$ is $\\sqrt d$ long"
assert along == 1 / 64, "of your query at 64 dimensions"
assert grows["before"] == 8 / np.sqrt(64), "grows by … if the scale came first"
assert stored == 64, "which is … for a sink of 8 in heads of 64"
assert taken_raw == 1, "would leave nothing for the keys"
assert folded == 1 / 8 / 50, "scale and cap folded into one factor"
assert capped["right"] < 1, "A pair with … stays at"
assert capped["far"] == 50, "should stop at … and would stop at"
assert capped["undivided"] == 50 / 8, "would stop at … if the cap came first"
assert capped["no division"] > 38, "a tanh that is not divided by the cap"
assert np.isclose(wide * product_of_gains, fp16_top), (
    "It takes a product above … to overflow"
)
assert fp16_top == 65_504, "fp16 ends at"
assert in_spreads > 2000, "random pairs stay … spreads away"
