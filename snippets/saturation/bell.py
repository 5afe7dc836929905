r"""Far up in a row of many keys the bell curve miscounts: there are fewer keys
of random signs than it says, and many more of skewed coordinates. A larger head
mends both.

The number of keys to be expected above the level √(2 ln n), over what a bell
curve says, against the number n of keys, from {= keys[0] :.0f } to a million;
both axes are logarithmic. Keys of random signs: a little below 1, at 64
dimensions down to {= counted['signs', 64][-1] :.1f } at a million keys, at 1024
dimensions to {= counted['signs', 1024][-1] :.2f }. Skewed coordinates,
exponential ones less their mean, and a query of ones: above 1, up to
{= counted['skewed', 64][-1] :.0f } and {= counted['skewed', 1024][-1] :.1f }.
Dashed curves, the first term of Cramér's formula, lie close to all but the
highest, which they exceed.
"""

# %%
import numpy as np
from scipy.special import gammaincc
from scipy.stats import binom, norm

keys, heads = 2.0 ** np.arange(2, 20.5, 0.5), [64, 1024]
level = np.sqrt(2 * np.log(keys))
counted, first_term = {}, {}
for d in heads:
    # Sums of d signs are 2 apart: between them, their tail is interpolated.
    up = np.arange(d // 2, d + 1)
    between = (2 * up - d - 1) / np.sqrt(d)
    tail = np.interp(level, between, binom.logsf(up - 1, d, 0.5))
    counted["signs", d] = np.exp(tail - norm.logsf(level))
    first_term["signs", d] = np.exp(-(level**4) / (12 * d))
    # A sum of d exponential numbers has the gamma distribution.
    tail = gammaincc(d, d + level * np.sqrt(d))
    counted["skewed", d] = tail / norm.sf(level)
    first_term["skewed", d] = np.exp(level**3 / (3 * np.sqrt(d)))
at_512 = {name: each[keys == 512][0] for name, each in counted.items()}


def taking_part(scores, chances, n):
    """Return 1/E Σp² of n keys with scores that have these chances."""
    step = 0.1
    tau = np.arange(-scores.max() - 9, 40 + np.log(n) - scores.min(), step)
    u = np.minimum(scores - tau[::-1, np.newaxis], 7)
    two = np.exp(2 * u - np.exp(u)) @ chances
    miss = np.minimum(-np.expm1(-np.exp(u)) @ chances, 1 - 1e-16)
    rest = np.exp((n - 1) * np.log1p(-miss))
    return 1 / (n * step * np.sum(two * rest))


# How many keys take part, undivided, if all their coordinates are signs.
signs = {}
for d, n in [(64, 512), (16, 65536)]:
    up = np.arange(d + 1)
    signs[d] = taking_part(2 * up - d, binom.pmf(up, d, 0.5), n)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.8))
for (kind, d), values in counted.items():
    colour = {"signs": "C0", "skewed": "C1"}[kind]
    style = "-" if d == 64 else ":"
    axes.loglog(keys, values, style, color=colour, label=f"{kind}, d = {d}")
    axes.plot(keys, first_term[kind, d], "--", color="C5", linewidth=1)
axes.legend(loc="upper left")
axes.set(ylabel="keys above √(2 ln n), true ÷ bell curve", ylim=(0.2, 100))
axes.set(xlabel="number of keys n", xticks=[4, 64, 512, 4096, 65536, 2**20])
axes.set_xticklabels(["4", "64", "512", "4096", "65,536", "1,048,576"])
axes.set_yticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
axes.minorticks_off()
plt.show()

# %% says
from gaussian_logits import participation

for d in heads:
    assert max(counted["signs", d]) < 1, "there are fewer keys of random signs"
    assert min(counted["skewed", d]) > 1, "and a query of ones: above 1, up to"
assert at_512["skewed", 64] > 3, "and many more of skewed coordinates"
for kind in ("signs", "skewed"):
    off = {d: abs(np.log(counted[kind, d])) for d in heads}
    assert np.all(off[1024] < off[64]), "A larger head mends both"
ratio = {name: first_term[name] / counted[name] for name in counted}
for name, each in ratio.items():
    if name != ("skewed", 64):
        assert np.all(abs(np.log(each)) < 0.3), "lie close to all but the"
assert ratio["skewed", 64][-1] > 5, "the highest, which they exceed"
assert abs(signs[64] / participation(512, 8) - 1) < 0.02, (
    "Undivided, … of them take part, and of Gaussian keys"
)
assert signs[16] > 4 * participation(65536, np.sqrt(16)), (
    "For 65,536 keys and $d = 16$ it is … against"
)
