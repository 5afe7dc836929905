r"""A bound on the logits is a bound on the weights: a plain cosine cannot focus
on one key among many. Solid: the others at the opposite bound. Dashed: at 0.

The weight of the best key against the bound on the size of a logit, from 0 to
16, for 16, 512 and 65536 keys: S-shaped curves from 1/n to 1, further right for
more keys. Dashed: all other logits are 0. Solid: all others lie at the opposite
bound, the most favourable case, at half the distance. A vertical line at 1, the
bound of a cosine without temperature, meets the curves for {= keys[1] } and
{= keys[2] } keys near the bottom; another at {= qk_bound[64] :.0f }, that of
QK-norm in a head of 64, meets all but one near the top.
"""

# %%
import numpy as np

bound = np.linspace(0, 16, 321)
keys = [16, 512, 65536]
# The best logit is b; the others are −b at best, and 0 if unrelated.
ceiling = {n: 1 / (1 + (n - 1) * np.exp(-2 * bound)) for n in keys}
against_zero = {n: 1 / (1 + (n - 1) * np.exp(-bound)) for n in keys}
cosine_ceiling = {n: 1 / (1 + (n - 1) * np.exp(-2)) for n in keys}
# The bound that gives one half.
needed = {n: np.log(n - 1) for n in keys}
too_many = int(1 + np.exp(2)) + 1  # among so many none can get one half
# A cap of 50: what the best key can lack at 512 keys.
cap_lack = 511 * np.exp(-50)
# QK-norm, its gains at 1: q and k of length √d, and the product over √d.
qk_bound = {d: d**0.5 for d in (64, 128)}
qk_best = {d: 1 / (1 + 511 * np.exp(-b)) for d, b in qk_bound.items()}
# The same at d = 64 if the others are noise of spread 1, the mean of whose
# exponentials is e^½.
qk_many = 2**17
qk_of_noise = {
    n: 1 / (1 + (n - 1) * np.exp(1 / 2 - qk_bound[64])) for n in (512, qk_many)
}
qk_match_among_many = qk_of_noise[qk_many]
qk_half_match = 1 / (1 + 511 * np.exp(1 / 2 - qk_bound[64] / 2))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
for colour, n in zip(["C3", "C4", "0.5"], keys, strict=True):
    axes.plot(bound, ceiling[n], color=colour, label=f"{n:,} keys")
    axes.plot(bound, against_zero[n], "--", color=colour)
for at, name in [(1, "plain cosine"), (qk_bound[64], "QK-norm, d = 64")]:
    axes.plot([at, at], [0, 1.05], ":", color="0.5")
    axes.text(at - 0.4, 1.08, name)
axes.set(xlabel="bound on the size of a logit", ylabel="weight of the best key")
axes.set(ylim=(0, 1.2), yticks=[0, 0.5, 1], xticks=[0, 1, 4, 8, 12, 16])
axes.set(xlim=(-0.5, 18))
axes.legend(loc="lower right")
plt.show()

# %% says
assert cosine_ceiling[512] < 0.02, "cannot focus on one key among many"
for n in keys:
    curve, unrelated = ceiling[n], against_zero[n]
    assert np.all(np.diff(curve) > 0), "S-shaped curves from 1/n to 1"
    assert abs(curve[0] * n - 1) < 1e-9, "from 1/n to 1, further right"
    assert np.allclose(curve[:161], unrelated[::2]), "at half the distance"
assert np.all(np.diff([*needed.values()]) > 0), "further right for more keys"
for n in (512, 65536):
    assert cosine_ceiling[n] < 0.02, (
        "meets the curves for … and … keys near the bottom"
    )
at_8 = [line[160] for line in (*ceiling.values(), *against_zero.values())]
assert bound[160] == qk_bound[64], "another at … that of QK-norm in a head of"
assert np.sum(np.array(at_8) < 0.8) == 1, "meets all but one near the top"

# Of the page.
assert cosine_ceiling[512] < 1 / 50, "a logit of 1 is small: no weight exceeds"
best = [1 / (1 + (n - 1) * np.exp(-2)) for n in (too_many - 1, too_many)]
assert best[0] > 1 / 2 > best[1], "keys on, no key can get as much as half"
top = np.exp(needed[512])
assert abs(top / (top + 511) - 1 / 2) < 1e-9, (
    "For one key to get half of the weight among 511 others, … a cosine of"
    r" exactly 0, its exponential has to balance 511 ones, … at least $\ln 511"
)
assert abs(cap_lack * (1 + np.exp(50) / (512 - 1)) - 1) < 1e-9, (
    "At 50 it lets the best of 512 keys come"
)

assert np.isclose(qk_bound[128] ** 2, 128), (
    "So no logit exceeds $\\sqrt d$, which is"
)
assert 1 / 2 < qk_of_noise[512] < 0.9, "keys it is, if the match is perfect"
assert qk_of_noise[512] < qk_best[64], (
    "not 1 but $e^{1/2}$, because the lucky ones count for more"
)
assert qk_half_match < 1 / 10, "But a key with a cosine of … gets"
assert qk_of_noise[qk_many] < 1 / 50, "keys even a perfect match gets"

# Of the questions.
assert abs(cosine_ceiling[512] * (1 + 511 / np.e**2) - 1) < 1e-9, (
    "among 512 keys no weight can exceed"
)
assert abs(top / (top + 511) - 1 / 2) < 1e-9, (
    "it can give half of the weight to a key that equals the query"
)
assert needed[65536] > needed[16], (
    "it has to be larger for more keys: … for half of the weight"
)
