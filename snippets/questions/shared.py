r"""If the key of a token is its query, the token attends mostly to itself, the
more so the larger the head.

The mean weight of a token on itself among n keys, for n from {= keys[0] } to
{= keys[-1] :,} on a logarithmic axis, where keys equal queries and scores are
divided by the root of d. Three curves begin at 1 and fall: for 16 dimensions it
is one half at about 32 keys, for 64 at about 1750, for 256 it is still near 1
at the right end.
"""

# %%
import numpy as np
from scipy import stats

keys = 2 ** np.arange(1, 17)
dims = [16, 64, 256]


def weight_on_itself(d, lengths=200, step=0.4):
    """Return E of e^a/(e^a + Σ e^z) for k = q and independent tokens, for each
    number n of `keys`.

    Given |q|² = d r the token's own logit is a = r √d, and the n − 1 others z
    are normal with variance r. With y = e^(−a) Σ e^z, 1/(1 + y) = ∫ e^(−t) ·
    e^(−ty) dt, and the others factor.
    """
    r = stats.chi2.ppf((np.arange(lengths) + 0.5) / lengths, d) / d
    g = np.arange(-8, 8, step)
    normal = stats.norm.pdf(g) * step
    log_t = np.arange(-25, 6, step)
    spread = np.sqrt(r)[:, np.newaxis] * g
    weight = np.zeros((len(keys), lengths))
    for x in log_t:
        u = np.minimum(x - np.sqrt(d) * r[:, np.newaxis] + spread, 40)
        other = np.exp(-np.exp(u)) @ normal
        chance = step * np.exp(x - np.exp(x))
        weight += chance * other ** (keys[:, np.newaxis] - 1)
    return dict(zip(keys, weight.mean(axis=1), strict=True))


own_logit = {d: np.sqrt(d) for d in dims}
itself = {d: weight_on_itself(d) for d in dims}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots()
for d, n in zip(dims, [8, 256, 4096], strict=True):
    axes.semilogx(keys, list(itself[d].values()))
    axes.text(n, itself[d][n] - 0.09, f"d = {d}", ha="right", va="center")
axes.set(xlabel="keys", ylabel="weight of a token on itself", ylim=(0, 1.05))
ticks = [2, 16, 128, 1024, 8192, 65536]
axes.set(xticks=ticks, xticklabels=[f"{n:,}" for n in ticks])
axes.minorticks_off()
plt.show()

# %% says
assert itself[64][512] > 1 / 2, "attends mostly to itself"
assert itself[16][512] < itself[64][512] < itself[256][512], (
    "the more so the larger the head"
)
falls = [np.diff([*itself[d].values()]) < 0 for d in dims]
assert np.all(falls), "Three curves begin at 1 and fall"
assert abs(itself[16][32] - 1 / 2) < 0.01, "one half at about 32 keys"
half = np.exp(
    np.interp(-1 / 2, -np.array([*itself[64].values()]), np.log(keys))
)
assert abs(half / 1750 - 1) < 0.02, "for 64 at about 1750"
assert itself[256][keys[-1]] > 0.9, "for 256 it is still near 1"
