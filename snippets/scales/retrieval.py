r"""With $\sqrt{d}$ the match that a key needs grows like the logarithm of the
number of keys n; without a divisor, as long as ln n is well below d/2, or with
log n scaling, like the square root of that logarithm.

The correlation at which the log-odds of one key average 0, against the number
of keys from {= keys[0] } to a million, logarithmic. The line for √d at d =
{= dims[0] } is straight, and passes 1, a perfect match, at about
{= capacity[64] :.0f } keys; that for d = {= dims[1] } is lower, and passes 1 at
tens of thousands. Divided by 1, and with log n scaling, the lines for d =
{= dims[0] } are hardly apart; they bend and stay below 0.7. Divided by d the
line is above 1 from {= keys[0] } keys on.
"""

# %%
import numpy as np
from gaussian_logits import mean_log_sum, mean_maximum
from scipy.optimize import brentq

keys = [2**i for i in range(2, 21, 2)]


def threshold(n, d, s):
    """Solve ρd/s = E ln Z for ρ: one match among n keys, n − 1 of noise."""
    return mean_log_sum(n - 1, np.sqrt(d) / s) * s / d


needed = {
    "√64": {n: threshold(n, 64, 8) for n in [512, *keys]},
    "√128": {n: threshold(n, 128, 128**0.5) for n in [512, *keys]},
    "1": {n: threshold(n, 64, 1) for n in [512, *keys]},
    "log n": {n: threshold(n, 64, 8 / np.log(n)) for n in [512, *keys]},
    "64": {n: threshold(n, 64, 64) for n in [512, *keys]},
}
# (ln n + ½)/√d, and the floor that s → 0 reaches: the best of the noise.
approximate = (np.log(512) + 0.5) / 8
floor = mean_maximum(511) / 8
# How many keys a perfect match can be told from.
capacity, dims = {}, [64, 128]
for d in dims:
    log_n = brentq(lambda x, d=d: mean_log_sum(np.exp(x), 1) - d**0.5, 1, 30)
    capacity[d] = np.exp(log_n) + 1
# The weight of a perfect match, divided by d: at the log-odds of the mean.
perfect_by_d = 1 / (1 + np.exp(mean_log_sum(511, 1 / 8) - 1))

# %%
import matplotlib.pyplot as plt

labels = {
    "64": "÷ d",
    "√64": "÷ √d",
    "√128": "÷ √d, d = 128",
    "log n": "× log n / √d, and ÷ 1 (dashed)",
    "1": "_",  # with its neighbour, which it lies on
}
fig, axes = plt.subplots(figsize=(6.4, 4.8))
hues = ["C2", "C0", "C4", "C3", "C1--"]
for hue, (name, label) in zip(hues, labels.items(), strict=True):
    line = [needed[name][n] for n in keys]
    axes.semilogx(keys, line, hue, base=2, label=label)
axes.axhline(1, color="0.5", linestyle=":")
axes.text(2**4.5, 1.03, "perfect match")
axes.set(ylim=(0, 2), xlim=(3, 2**21.8), yticks=[0, 0.5, 1, 1.5, 2])
axes.set(xlabel="number of keys n", ylabel="correlation needed")
axes.set_xticks([4, 64, 512, 2**14, 2**20])
axes.set_xticklabels(["4", "64", "512", "16,384", "1 million"])
axes.minorticks_off()
fig.legend(ncols=2, loc="outside upper center", columnspacing=1)
plt.show()

# %% says
lines = {name: np.array([needed[name][n] for n in keys]) for name in needed}
# From 4096 keys to a million the logarithm grows by 20/12.
grown = {name: line[-1] / needed[name][4096] for name, line in lines.items()}
assert abs(grown["√64"] - 20 / 12) < 0.05, (
    "that a key needs grows like the logarithm of the number of keys"
)
for name in ("1", "log n"):
    root = (20 / 12) ** 0.5
    assert abs(grown[name] - root) < 0.07, (
        "like the square root of that logarithm"
    )
bends = np.diff(lines["√64"], 2)
assert abs(bends[2:]).max() < 0.003, "The line for √d at d = … is straight"
assert np.all(lines["√128"] < lines["√64"]), "that for d = … is lower"
assert 1e4 < capacity[128] < 1e5, "and passes 1 at tens of thousands"
apart = abs(lines["1"] - lines["log n"])
assert apart.max() < 0.04, "the lines for d = … are hardly apart"
assert max(lines["1"][-1], lines["log n"][-1]) < 0.7, "bend and stay below 0.7"
assert lines["64"].min() > 1, "Divided by d the line is above 1"

# Of the page.
assert abs(needed["√64"][512] - approximate) < 1e-3, (
    r"the right side is nearly the constant $\ln n + \frac12$"
)
assert needed["√64"][1024] < 1 < needed["√64"][4096], (
    "Beyond … keys … even a perfect match stays below even odds"
)
assert abs(floor / needed["1"][512] - 1) < 0.05, (
    r"$\ln Z$ is about the best of the noise"
)
assert abs(8 * floor / np.sqrt(2 * np.log(512)) - 1) < 0.15, (
    "about the largest of the noise scores"
)
assert lines["64"].min() > 1, r"Divided by $d$ no $\rho$ suffices"
assert floor < min(line[512] for line in needed.values()), (
    "the floor, the largest noise score on average"
)
