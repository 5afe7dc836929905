r"""At 512 keys $\sqrt{d}$ gives the same weights for every $d$. A divisor that
grows more slowly freezes the row in the end, and one that grows faster makes it
uniform.

The average largest of 512 softmax weights against the dimension d from
{= dims[0] } to {= dims[-1] }, both axes logarithmic. Divided by 1 it climbs
from a seventh to nearly 1. Divided by log d it is lower, falls a little from 4
dimensions to 8, and then climbs as far as about
{= largest['log d'][4096] :.1f }. Divided by √d it is level at about
{= largest['√d'][64] :.2f }. Divided by d it sinks to 1/512, a dashed line along
the bottom, where d⁵ and e^{πd} are from the start. A dotted line marks one
half.
"""

# %%
import numpy as np
import rivals
from gaussian_logits import mean_largest, mean_square_weights
from scipy.optimize import brentq

n_keys = 512
dims = 2 ** np.arange(2, 13)
drawn = ["1", "log d", "√d", "d"]
largest, effective = {}, {}
for name, spread in rivals.spreads(dims, n_keys).items():
    largest[name], effective[name] = {}, {}
    for d, s in zip(dims.tolist(), spread.clip(1e-9).round(12), strict=True):
        if name in drawn or d in (64, 4096):
            largest[name][d] = mean_largest(n_keys, s)
        if d in (64, 4096):
            # The number of keys that take part.
            effective[name][d] = 1 / mean_square_weights(n_keys, s)
# Where Gaussian logits freeze: the spread, and the dimensions that reach it.
frozen = np.sqrt(2 * np.log(n_keys))
frozen_d = frozen**2
taking_part_then = 1 / mean_square_weights(n_keys, frozen)
frozen_log_d = brentq(lambda d: np.sqrt(d) / np.log(d) - frozen, 10, 1e4)
first_frozen = {"1": frozen_d, "log d": frozen_log_d}
frozen_from = {name: int(np.ceil(d)) for name, d in first_frozen.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
names = {"1": "÷ 1", "log d": "÷ log d", "√d": "÷ √d", "d": "÷ d"}
hues = {"1": "C1", "log d": "C3", "√d": "C0", "d": "C2"}
for name, label in names.items():
    line = [*largest[name].values()]
    axes.loglog(dims, line, hues[name])
    lift = {"1": 1.15, "log d": 0.85, "d": 1.12}.get(name, 1)
    at = (4800, line[-1] * lift)
    axes.text(*at, label, color=hues[name], va="center")
axes.axhline(1 / n_keys, color="C4", linestyle="--")
axes.text(4, 0.86 / n_keys, "÷ d⁵, ÷ $e^{πd}$: 1/512", va="top")
axes.axhline(0.5, color="0.5", linestyle=":")
axes.set(xlabel="dimension d", ylabel="largest of 512 weights, average")
axes.set(xticks=[4, 16, 64, 512, 4096], xticklabels=[4, 16, 64, 512, 4096])
axes.set(yticks=[1 / 512, 0.01, 0.1, 0.5, 1], ylim=(0.0008, 1.3))
axes.set_yticklabels(["1/512", "0.01", "0.1", "0.5", "1"])
axes.minorticks_off()
plt.show()

# %% says
by_1, by_log, by_root, by_d = (np.array([*largest[f].values()]) for f in drawn)
assert np.ptp(by_root) < 1e-9, "gives the same weights for every $d$"
assert min(by_1[-1], by_log[-1]) > 1 / 2, (
    "A divisor that grows more slowly freezes the row in the end"
)
assert by_d[-1] < 1.1 / n_keys, "and one that grows faster makes it uniform"
assert np.all(np.diff(by_1) > 0), "Divided by 1 it climbs"
assert abs(by_1[0] - 1 / 7) < 0.01, "climbs from a seventh to nearly 1"
assert np.all(by_log < by_1), "Divided by log d it is lower"
assert [*dims[:2]] == [4, 8], "falls a little from 4 dimensions to 8"
assert by_log[1] == min(by_log), "falls a little from 4 dimensions to 8"
assert np.all(np.diff(by_log[1:]) > 0), "and then climbs as far as about"
assert np.ptp(by_root) < 1e-9, "Divided by √d it is level at about"
assert np.all(np.diff(by_d) < 0), "Divided by d it sinks to 1/512"

# Of the page.
level = [line for line in (by_1, by_log, by_root, by_d) if np.ptp(line) < 1e-9]
assert len(level) == 1, r"only $\sqrt d$ gives a row that is the same in every"
assert by_root[0] > 10 / n_keys, "the same in every head *and* not flat"
rising = rivals.spreads(2.0 ** np.arange(3, 60), n_keys)["log d"]
assert np.all(np.diff(rising) > 0), (
    r"$\log d$ grows more slowly than any root, so what is left grows without"
    " limit"
)
assert frozen_log_d > 10 * frozen_d, r"$\log d$ puts it off until"
assert frozen > 1, r"since 1 lies below $\sqrt{2\ln n}$"
few = rivals.spreads(4, n_keys)  # at four dimensions
for f in ("d⁵", "exp πd"):
    even = mean_largest(n_keys, few[f]) * n_keys
    assert even < 1.01, "an average over all keys, even in a few dimensions"
assert effective["d"][4096] > 0.99 * n_keys, "That is an average, not a choice"

# Of the questions.
assert effective["d"][64] > 0.9 * 512, "attention would be close to an average"
