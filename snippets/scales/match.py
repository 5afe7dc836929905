r"""Even odds on average do not mean half of the weight. With $\sqrt{d}$ the
right key gets from 0.2 to 0.8 in nearly every draw; with no divisor, mostly
nearly all or nearly nothing.

The share of draws in which the weight of the right key is at most a given
value, for 512 keys and d = 64, each at the correlation where the log-odds of
that key average 0. With √d the curve is a steep step from 0 to 1 between
weights of 0.2 and 0.8. Undivided it starts at about a quarter, stays nearly
level and jumps to 1 at the end. With a factor of ln n it is close to that, and
with √(2 ln n) it lies between. All cross one half at a weight of one half.
"""

# %%
import numpy as np
from gaussian_logits import mean_log_sum
from scipy.special import log_ndtr, logit, ndtr

n, d = 512, 64
log_n = np.log(n)
# What the product q·k/√d is multiplied by; 0.43 is an example's constant.
factors = {
    "√d": 1,
    "√d/√(2 ln n)": np.sqrt(2 * log_n),
    "√d/(0.43 ln n)": 0.43 * log_n,
    "√d/ln n": log_n,
    "1": np.sqrt(d),
}
weight = np.linspace(0, 1, 201)[1:-1]
noise = np.random.default_rng(0).standard_normal((8000, n - 1))
x, step = np.linspace(-9, 9, 2001, retstep=True)
needed, share, below_tenth, above_nine, on_top = ({} for _ in range(5))
for name, factor in factors.items():
    # A key with correlation ρ: its score in units of √d is N(ρ√d, 1 − ρ²).
    rho = mean_log_sum(n - 1, factor) / factor / np.sqrt(d)
    log_z = np.sort(np.log(np.exp(factor * noise).sum(axis=1)))
    limit = (logit(weight)[:, np.newaxis] + log_z) / factor
    up_to = ndtr((limit - rho * np.sqrt(d)) / np.sqrt(1 - rho**2)).mean(1)
    needed[name], share[name] = rho, up_to
    below_tenth[name] = np.interp(0.1, weight, up_to)
    above_nine[name] = 1 - np.interp(0.9, weight, up_to)
    # The ranking does not depend on the divisor, only on the correlation.
    score = rho * np.sqrt(d) + np.sqrt(1 - rho**2) * x
    best = np.exp((n - 1) * log_ndtr(score) - x**2 / 2) / np.sqrt(2 * np.pi)
    on_top[name] = step * best.sum()
between = {f: 1 - below_tenth[f] - above_nine[f] for f in factors}
# The rows of the table, each with its label.
rows = [
    (r"1, plain $\sqrt d$", "√d"),
    (r"$0.43\ln n$", "√d/(0.43 ln n)"),
    (r"$\sqrt{2\ln n}$", "√d/√(2 ln n)"),
    (r"$\ln n$", "√d/ln n"),
    (r"$\sqrt d$, undivided", "1"),
]

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
drawn = {
    "√d": ("C0-", "1, plain √d"),
    "√d/√(2 ln n)": ("C3-.", "√(2 ln n)"),
    "√d/ln n": ("C4--", "ln n"),
    "1": ("C1-", "√d, undivided"),
}
for name, (line, factor) in drawn.items():
    axes.plot(weight, share[name], line, label=factor)
axes.plot(0.5, 0.5, "o", color="C5")
axes.set(xlabel="weight of the right key", ylabel="share of draws up to it")
axes.set(xlim=(0, 1), ylim=(0, 1))
axes.legend(loc="lower right", title="factor")
plt.show()

# %% says
at = [0.1, 0.2, 0.5, 0.8, 0.9]
up_to = {
    name: dict(zip(at, np.interp(at, weight, share[name]), strict=True))
    for name in share
}
assert up_to["√d"][0.2] < 0.02 < 0.98 < up_to["√d"][0.8], (
    "right key gets from 0.2 to 0.8 in nearly every draw"
)
assert between["1"] < 1 / 2, "mostly nearly all or nearly nothing"
assert below_tenth["1"] + above_nine["1"] > 1 / 2, (
    "Even odds on average do not mean half of the weight"
)
assert up_to["√d"][0.8] - up_to["√d"][0.2] > 0.96, (
    "a steep step from 0 to 1 between weights of 0.2 and 0.8"
)
assert abs(share["1"][0] - 1 / 4) < 0.1, (
    "Undivided it starts at about a quarter"
)
assert abs(up_to["√d/ln n"][0.1] - up_to["1"][0.1]) < 0.05, "is close to that"
lies = [up_to[name][0.1] for name in ("√d", "√d/√(2 ln n)", "√d/ln n")]
assert lies[0] < lies[1] < lies[2], "with √(2 ln n) it lies between"
for name in drawn:
    crossed = up_to[name][0.5]
    assert abs(crossed - 1 / 2) < 0.1, (
        "All cross one half at a weight of one half"
    )

# Of the page.
lead = [np.log(n - 1) / np.log(n) for n in (10, 100, 10**6)]
assert 0.95 < min(lead) < max(lead) < 1, (
    "that wins half of the weight: about 1, from ten keys on"
)
a = np.linspace(1, 9, 801)
needs, best = log_n / a + a / 2, factors["√d/√(2 ln n)"]
assert abs(a[np.argmin(needs)] - best) < 0.01, (
    "and together they are smallest at"
)
assert abs(needs.min() - best) < 0.01, r"where they come to $\sqrt{2\ln n}$"
assert needed["√d/√(2 ln n)"] < 1.1 * needed["1"], (
    "And this must be the end of it"
)
assert on_top["√d"] > 0.999, "the right key is on top in practically every draw"
assert up_to["√d"][0.1] < 1e-4 < 1 - 1e-4 < up_to["√d"][0.9], (
    "practically every draw at its threshold, with a weight between 0.1 and 0.9"
)
assert up_to["1"][0.9] - up_to["1"][0.1] < 1 / 2, (
    "on top in … of draws, with a weight below 0.1 in … and above 0.9 in"
)
assert abs(on_top["1"] - 1 / 2) < 0.1, "Undivided the outcome is a coin toss"
assert on_top["√d"] > 0.999, (
    "a match that is practically certain to rank first before the odds are even"
)

# Of the questions.
assert needed["√d/ln n"] < needed["√d"], (
    r"multiplying by $\ln n$ as well takes only"
)
assert below_tenth["√d/ln n"] + above_nine["√d/ln n"] > 1 / 2, (
    "the match takes nearly all of the weight or nearly none"
)
# The freezing point is √(2 ln n).
frozen = {name: factors[name] > factors["√d/√(2 ln n)"] for name in factors}
assert frozen["√d/ln n"], "and the row is frozen at the start"
assert not frozen["√d/(0.43 ln n)"], "and the row is not frozen"
