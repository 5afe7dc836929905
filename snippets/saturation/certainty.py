r"""With 64 keys or more, one of them takes over 99% of the weight as a rule
only at tens of thousands of dimensions.

The probability that the largest weight exceeds 0.99, against the number of
dimensions from 1 to a million on a logarithmic axis, for 3, 64 and 4096 keys
and undivided scores. The three curves rise slowly. At 64 dimensions they stand
at a little over a half, at a fifth and below a tenth; they pass 95% near six
thousand dimensions for 3 keys, near fifty thousand for 64 and beyond a hundred
thousand for 4096. Dashed curves, the formula for near-ties, meet them there.
"""

# %%
import numpy as np
from gaussian_logits import mean_maximum
from largest_keys import draw_evenly, every_three, largest_weight
from scipy.optimize import brentq
from scipy.special import ndtr

level, step = np.linspace(-9, 9, 3601, retstep=True)
density = np.exp(-(level**2) / 2) / np.sqrt(2 * np.pi)


def leads(lead, n):
    """Return the chance that the best of n Gaussians leads by this much."""
    return n * step * np.sum(density * ndtr(level - lead) ** (n - 1))


dims = 4 ** np.arange(0, 10.1, 0.5)
counts, sure = [3, 64, 512, 4096], 0.99
odds = np.log(sure / (1 - sure))
behind_by_2 = 1 / (1 + np.exp(2))  # what a lead of 2 leaves to the second
lead_of_4 = np.exp(4) / (np.exp(4) + 511)  # over 511 equal scores
probability, near_tie, d_needed, at_64, gap_at_64 = {}, {}, {}, {}, {}
best_two = {}  # their mean weight together, at d = 64
for n in counts:
    # One weight is over .99 only where keys after the first few count little.
    top = draw_evenly(n, keep=16) if n > 3 else every_three(300)
    weights = np.array([largest_weight(top, n, np.sqrt(d)) for d in dims])
    probability[n] = np.mean(weights > sure, axis=1)
    at_64[n] = probability[n][dims == 64][0]
    second = np.exp(8 * (top[:, 1] - top[:, 0]))
    best_two[n] = np.mean((1 + second) * largest_weight(top, n, 8))
    gap_at_64[n] = 8 * brentq(lambda lead, n=n: leads(lead, n) - 0.5, 0, 9)
    # P(max p ≤ 1 − ε) ≈ (m_n/√d) ln((1 − ε)/ε); here ε = 0.01, then 5 %.
    near_tie[n] = 1 - mean_maximum(n) / np.sqrt(dims) * odds
    d_needed[n] = (mean_maximum(n) * odds / 0.05) ** 2
d_rounded = {n: round(d, -3) for n, d in d_needed.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
for n, colour in zip([3, 64, 4096], ["C0", "C1", "C2"], strict=True):
    axes.semilogx(dims, probability[n], color=colour, label=f"{n} keys")
    good = near_tie[n] > 0.25
    axes.plot(dims[good], near_tie[n][good], "--", color=colour, linewidth=1)
axes.legend(loc="lower right")
axes.axvline(64, color="C3", linestyle=":")
axes.text(58, 0.97, "d = 64", color="C3", ha="right", va="top")
axes.set(xlabel="dimensions d, undivided scores", ylim=(0, 1.02))
axes.set(ylabel="P(largest weight > 0.99)")
axes.set_xticks(
    [1, 100, 10_000, 1_000_000], ["1", "100", "10,000", "1,000,000"]
)
axes.minorticks_off()
plt.show()

# %% says
assert at_64[512] < 1 / 8 < 3 / 4 < best_two[512] < 0.9, (
    "attention without the divisor concentrates, but seldom all on one"
)
assert lead_of_4 == np.exp(4) / (np.exp(4) + 512 - 1) < 1 / 10, (
    "Of 512 keys a lead of 4 over equal others wins only"
)
assert (512 - 1) * np.exp(-17) < 0.00005, (
    "for up to 512 keys, a lead of 17 does that, as 511 e^{-17} is below .00005"
)
assert gap_at_64[512] < 2 < np.sqrt(64) == 8, (
    "At d_k = 64 the best of 512 keys leads the second best by less than 2 in"
    " half of all draws (…), although a single score has a spread of 8"
)
assert np.all(np.diff([*gap_at_64.values()]) < 0), (
    "The more keys there are, the more crowded it is near the top"
)
for n in (64, 512, 4096):
    assert d_needed[n] > 10_000, (
        "With 64 keys or more, one of them takes over … at tens of thousands"
    )
for n in (3, 64, 4096):
    assert np.all(np.diff(probability[n]) >= 0), "three curves rise slowly"
    assert probability[n][0] < sure, "for 3, 64 and 4096 keys and undivided"
assert 1 / 2 < at_64[3] < 0.6, "they stand at a little over a half"
assert abs(at_64[64] - 1 / 5) < 0.02, "over a half, at a fifth and"
assert at_64[4096] < 1 / 10, "at a fifth and below a tenth"
assert round(np.interp(0.95, probability[3], dims), -3) == 6000, (
    "pass 95% near six thousand dimensions for 3 keys"
)
assert abs(np.interp(0.95, probability[64], dims) - 50_000) < 5000, (
    "near fifty thousand for 64"
)
assert np.interp(0.95, probability[4096], dims) > 100_000, (
    "beyond a hundred thousand for 4096"
)
assert (
    abs(np.interp(19 / 20, probability[512], dims) / d_needed[512] - 1) < 0.05
), "19 times out of 20 among 512 keys, d_k would have to be about"

# Of the questions.
assert gap_at_64[512] < 8 / 4, (
    "The scores have a spread of 8, but the best two of many lie close "
    "together: … in half of all rows, within"
)
