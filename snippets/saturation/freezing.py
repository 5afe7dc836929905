r"""The more keys, the sharper the change at the freezing point. At the numbers
of keys in use it is gradual.

The chance that two picks made by weight hit the same key, against σ divided by
the freezing point √(2 ln n), from 0 to {= ratio[-1] :.1f }. For 16, 4096, a
million and 10^100 keys the curves start at one over the number of keys and rise
towards 1. The more keys, the closer they lie to the dashed limit, which is 0 up
to 1 and then 1 − 1/x, with a sharp corner between.
"""

# %%
import numpy as np
from gaussian_logits import largest, mean_power_sum, participation

ratio = np.linspace(0.05, 2.5, 50)
counts = {16: "16", 4096: "4096", 10**6: "10⁶", 10**100: "10¹⁰⁰"}
same_key = {}
for n in counts:
    point = np.sqrt(2 * np.log(float(n)))
    same_key[n] = np.array([mean_power_sum(n, x * point, 2) for x in ratio])
limit = np.maximum(0, 1 - 1 / ratio)
# Of any large number of keys so many take part beyond the freezing point.
beyond = {x: x / (x - 1) for x in (1.1, 2)}

# At σ = 1 a share of about 1/e of the keys takes part.
inverse_e = np.exp(-1)
rate = {
    n: 1 / (n * mean_power_sum(n, 1.0, 2)) for n in (2, 16, 512, 65536, 10**6)
}
# The simple count n e^{−σ²}, at shares of the freezing point; and the true one.
many, simple, true = 10**100, {}, {}
for x in (0.55, 0.6, 0.9):
    variance = x**2 * 2 * np.log(float(many))
    simple[x] = many * np.exp(-variance)
    true[x] = participation(many, np.sqrt(variance))
excess = {x: true[x] / simple[x] for x in true}
# With these numbers of keys the freezing point is in the middle of the change.
at_point = {}
for n in (16, 512, 65536):
    point = np.sqrt(2 * np.log(n))
    at_point[n] = {"keys": participation(n, point), "max": largest(n, point)}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
for name, values in zip(counts.values(), same_key.values(), strict=True):
    axes.plot(ratio, values, label=f"{name} keys")
axes.plot(ratio, limit, "--", color="C5", label="limit")
axes.axvline(1, color="C3", linestyle=":")
axes.set(xlabel="σ / √(2 ln n)", ylabel="two picks hit the same key")
axes.set(ylim=(0, 0.8), xlim=(0, 2.5))
axes.legend(loc="upper left")
plt.show()

# %% says
assert point == np.sqrt(2 * np.log(n)), "by the freezing point √(2 ln n)"
far = [np.max(abs(same_key[n] - limit)) for n in counts]
assert np.all(np.diff(far) < 0), "The more keys, the sharper the change"
assert far[2] > 1 / 10, "At the numbers of keys in use it is gradual"
for n in (16, 4096, 10**6):
    assert abs(same_key[n][0] * n - 1) < 0.1, (
        "the curves start at one over the number of keys"
    )
assert same_key[10**100][0] < 10 / 10**100, (
    "10^100 keys the curves start at one over the number of keys"
)
rising = np.diff([*same_key.values()])
assert np.all(rising >= 0), "one over the number of keys and rise towards 1"
distance = [np.mean(abs(same_key[n] - limit)) for n in counts]
assert np.all(np.diff(distance) < 0), "The more keys, the closer they lie"
assert max(limit[ratio <= 1]) == 0 < limit[-1], "which is 0 up to 1 and then"
for n in (512, 65536):
    assert at_point[n]["max"] < 1 / 2, (
        "the change is gradual, and most of it comes before the freezing"
    )
assert rate[16] > 1.1 * inverse_e, "Few keys are far from the limit"
assert 1 < excess[0.55] < excess[0.6], "the true count exceeds the simple one"
assert at_point[512]["keys"] < 5, "where only … are left"
assert beyond[2] == 2 < beyond[1.1], (
    "at $x$ times the freezing point it is … at twice that spread and … at 1.1"
)
for x in (1.05, 1.5, 2):
    few = [1 / np.interp(x, ratio, same_key[n]) for n in counts]
    assert max(few) < 1 / (1 - 1 / x), (
        "a number of them takes part that does not grow with n"
    )
