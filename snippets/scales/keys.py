r"""No factor changes how often the right key is on top; one that grows with the
number of keys keeps its weight up for longer. Line: the median weight. Band:
eight draws in ten.

Three panels side by side, for a right key with correlation 0.5 to the query, 64
dimensions, and from {= keys[0] } to {= keys[-1] :, } keys. A dashed line, the
same in all three, is the share of draws in which the right key has the largest
score: it falls from nearly 1 to one half. A solid line is the median of its
weight, in a band. With a factor of 1, which is plain √d, both sink to 0 from a
few hundred keys on. With √(2 ln n), and more so with ln n, the median stays
near 1 up to a thousand keys or more, and the band soon reaches from nearly 0 to
1.
"""

# %%
import numpy as np
from gaussian_logits import mean_largest, mean_square_weights
from scipy.special import expit, log_ndtr, logsumexp, ndtri
from scipy.stats import qmc

d, rho = 64, 0.5
keys = [2**i for i in range(2, 15, 2)]
factors = {
    "1": lambda n: 1.0,
    "0.43 ln n": lambda n: 0.43 * np.log(n),
    "√(2 ln n)": lambda n: np.sqrt(2 * np.log(n)),
    "ln n": np.log,
    "√d": lambda n: np.sqrt(d),
}
# The right key's score, in units of √d, is N(ρ√d, 1 − ρ²): at 200 quantiles.
score = ndtri((np.arange(200) + 0.5) / 200) * np.sqrt(1 - rho**2)
lead = rho * np.sqrt(d)
score += lead
x, step = np.linspace(-9, 9, 2001, retstep=True)
quantiles = {name: {} for name in factors}
on_top = {}
for n in [512, *keys]:
    # The largest 100 of the others' scores, by Rényi's spacings of Sobol's
    # points, which fill the cube more evenly than random ones; the rest enter
    # by their mean, given that they are smaller.
    keep = min(n - 1, 100)
    draws = 2**14 if n == 512 else 2**11  # digits are printed of one n alone
    points = qmc.Sobol(keep, bits=40, rng=0).random(draws)
    steps = -np.log1p(-points) / (n - 1 - np.arange(keep))
    noise = -ndtri(-np.expm1(-np.cumsum(steps, axis=1)))
    last, rest = noise[:, -1], np.log(max(n - 1 - keep, 1e-99))
    for name, f in factors.items():
        a = f(n)
        log_rest = rest + a**2 / 2 + log_ndtr(last - a) - log_ndtr(last)
        log_z = np.logaddexp(logsumexp(a * noise, axis=1), log_rest)
        logit = a * score - log_z[:, np.newaxis]
        quantiles[name][n] = expit(np.quantile(logit, [0.1, 0.5, 0.9]))
    top = lead + np.sqrt(1 - rho**2) * x
    best = np.exp((n - 1) * log_ndtr(top) - x**2 / 2) / np.sqrt(2 * np.pi)
    on_top[n] = step * best.sum()
# The rows of the table, each with its label.
rows = [
    (r"1, plain $\sqrt d$", "1"),
    (r"$0.43\ln n$", "0.43 ln n"),
    (r"$\sqrt{2\ln n}$", "√(2 ln n)"),
    (r"$\ln n$", "ln n"),
    (r"$\sqrt d$, undivided", "√d"),
]
at_512 = {name: f(512) for name, f in factors.items()}
# With nothing to find: the largest weight of 512.
noise_alone = {name: mean_largest(512, f(512)) for name, f in factors.items()}
# From how many keys on s ln n exceeds the freezing point √(2 ln n).
frozen_from = {s: int(np.ceil(np.exp(2 / s**2))) for s in (0.43, 1)}
sharing_of_8 = 1 / mean_square_weights(8, np.log(8))

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 3.6), sharey=True)
shown = ["1", "√(2 ln n)", "ln n"]
for axes, name in zip(panels, shown, strict=True):
    low, median, high = np.array([quantiles[name][n] for n in keys]).T
    axes.fill_between(keys, low, high, color="C5", alpha=0.3)
    axes.plot(keys, median, color="C5", label="weight of the right key")
    top = [on_top[n] for n in keys]
    axes.plot(keys, top, "--", color="0.5", label="draws with it on top")
    axes.set(
        title=f"factor {name}", xscale="log", ylim=(0, 1.02), yticks=[0, 0.5, 1]
    )
    axes.set(xticks=[4, 64, 1024], xlim=(3, 20000))
    axes.set_xticklabels(["4", "64", "1024"])
    axes.minorticks_off()
panels[1].set_xlabel("number of keys n")
handles, labels = axes.get_legend_handles_labels()
fig.legend(handles, labels, ncols=2, loc="outside upper center")
plt.show()

# %% says
tops = [on_top[n] for n in keys]
assert np.all(np.diff(tops) < 0), "the largest score: it falls"
assert tops[0] > 0.99, "it falls from nearly 1"
assert abs(tops[-1] - 1 / 2) < 0.05, "nearly 1 to one half"
low, plain, high = np.array([quantiles["1"][n] for n in keys]).T
assert np.all(high[keys.index(1024) :] < 0.1), (
    "both sink to 0 from a few hundred keys on"
)
grown = {name: quantiles[name][1024][1] for name in shown}
assert grown["ln n"] > 0.9, (
    "grows with the number of keys keeps its weight up for longer"
)
assert grown["ln n"] > grown["√(2 ln n)"], (
    "With √(2 ln n), and more so with ln n"
)
assert grown["√(2 ln n)"] > 0.8, "stays near 1 up to a thousand keys or more"
for name in shown[1:]:
    band = quantiles[name][4096]
    assert band[0] < 0.05 < 0.95 < band[2], "soon reaches from nearly 0 to 1"

# Of the page.
assert np.all(np.diff(plain) < 0), r"With $\sqrt d$ alone the right key fades"
assert abs(on_top[16384] - 1 / 2) < 0.05, (
    "although it is still the best of all in about half of the draws"
)
assert grown["ln n"] > 0.9 > grown["1"], (
    "A factor that grows with $n$ keeps it up for longer"
)
split = quantiles["ln n"][16384]
assert split[0] < 0.05, r"with $\ln n$ the right key gets … nearly nothing"
assert split[2] > 0.95, r"with $\ln n$ the right key gets nearly everything"
assert noise_alone["ln n"] > 256 / 512, (
    "such a factor puts most of the weight on a key … on one of 512"
)
far = np.log([frozen_from[0.43] - 1, frozen_from[0.43]])
passed = 0.43 * far > np.sqrt(2 * far)
assert [*passed] == [False, True], (
    r"freezes only from … where $0.43\ln n$ passes $\sqrt{2\ln n}$"
)
assert 2 < sharing_of_8 < 4, "too few … of them still share the weight"
