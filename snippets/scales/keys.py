r"""No factor changes how often the right key is on top; one that grows with the
number of keys keeps its weight up. Line: the median weight. Band: eight draws
in ten.

Three panels side by side, for a right key with correlation 0.5 to the query, 64
dimensions, and from 4 to 16,384 keys. A dashed line, the same in all three, is
the share of draws in which the right key has the largest score: it falls from
nearly 1 to one half. A solid line is the median of its weight, in a band. With
a factor of 1, which is plain √d, both sink to 0 from a few hundred keys on.
With √(2 ln n), and more so with ln n, the median stays near 1 up to a thousand
keys or more, and the band soon reaches from nearly 0 to 1.
"""

# %%
import numpy as np
from gaussian_logits import mean_largest
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
score += rho * np.sqrt(d)
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
        weight = expit(a * score - log_z[:, np.newaxis])
        quantiles[name][n] = np.quantile(weight, [0.1, 0.5, 0.9])
    top = rho * np.sqrt(d) + np.sqrt(1 - rho**2) * x
    best = np.exp((n - 1) * log_ndtr(top) - x**2 / 2) / np.sqrt(2 * np.pi)
    on_top[n] = step * best.sum()
# With nothing to find: the largest weight of 512.
noise_alone = {name: mean_largest(512, f(512)) for name, f in factors.items()}
# From how many keys on s ln n exceeds the freezing point √(2 ln n).
frozen_from = {s: int(np.ceil(np.exp(2 / s**2))) for s in (0.43, 1)}

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 3.6), sharey=True)
shown = ["1", "√(2 ln n)", "ln n"]
for axes, name in zip(panels, shown, strict=True):
    low, median, high = np.array([quantiles[name][n] for n in keys]).T
    axes.fill_between(keys, low, high, color="C2", alpha=0.3)
    axes.plot(keys, median, color="C2", label="weight of the right key")
    top = [on_top[n] for n in keys]
    axes.plot(keys, top, "--", color="C1", label="draws with it on top")
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
