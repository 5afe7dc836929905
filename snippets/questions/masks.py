r"""Keys that a mask sets to 0, and not to minus infinity, take most of the
attention until the logits spread far.

The share of the weight that {= empty :,} masked keys with a score of 0 take
from {= keys } others, against the spread of those, from {= spreads[0] :.2f } to
{= spreads[-1] :.0f }. It falls from {= leaked[0.05] :.0%} by way of
{= leaked[1] :.0%} at a spread of 1 to {= leaked[8] :.0%}.
"""

# %%
import numpy as np
from scipy import special, stats

keys, length = 100, 4096
empty = length - keys
spreads = [0.05, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8]


def row(sigma, zeros, step=0.1):
    """Return the mean entropy and the zeros' share: Gaussian keys, and zeros.

    With Z = Σ e^z, 1/Z = ∫ e^{−tZ} dt, and independent keys factor.
    """
    g = np.linspace(-8, 8, 601)
    weight = stats.norm.pdf(g) / stats.norm.pdf(g).sum()
    z = sigma * g
    u = np.arange(-8 * sigma - 45, 8 * sigma + 8, step)[:, np.newaxis]
    e = np.exp(np.minimum(u + z, 40))
    one = np.exp(-e) @ weight
    rest = one ** (keys - 1) * np.exp(-zeros * np.exp(u[:, 0]))
    tilted = keys * np.sum(rest * ((np.exp(-e) * e * z) @ weight)) * step
    of_zeros = zeros * np.sum(rest * one * np.exp(u[:, 0])) * step
    log_z = step * np.sum(np.exp(-np.exp(u[:, 0])) - rest * one)
    return log_z - tilted, of_zeros


leaked = {s: row(s, empty)[1] for s in spreads}
entropy = {"−∞": row(1, 0)[0], "0": row(1, empty)[0]}
most = np.log(length)

# Times the mask after softmax: what is left of a row with even scores, so that
# each output shrinks, unless the weights are divided by their sum again.
left = keys / length

# A mask that is finite. A row that is masked as a whole, with logits 1 apart:
# fp32 has steps of 64 near −1e9, and of 2⁻¹⁰ near −10,000.
log2_e, base = 1 / np.log(2), 2
fp16_top, room = 65_504, 16
all_masked = {
    size: special.softmax(np.float32(-size) + np.float32([0, 1, 2, 3]))[-1]
    for size in (1e4, 1e9)
}
in_a_row = special.softmax([0, 1, 2, 3])[-1]
with np.errstate(over="ignore"):
    lowest = np.float16(-fp16_top) + np.float16(-room)
    overflowed = np.finfo(np.float32).min * np.float32(log2_e)
divided = {size: size / np.sqrt(64) for size in (100, 10_000)}

# Undivided logits of 64 trained dimensions may lie 10,000 apart, if each of q
# and k is this many times as long as at the start, and they point apart.
longer = np.sqrt(10_000 / 64)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
axes.plot(spreads, [*leaked.values()], "C1")
axes.set(xlabel="spread of the scores of the 100 keys", xlim=(0, 8.1))
axes.set(ylabel="share of masked keys", ylim=(0, 1.02))
axes.yaxis.set_major_formatter("{x:.0%}")
plt.show()

# %% says
assert np.all(np.diff([*leaked.values()]) < 0), "until the logits spread far"
assert leaked[1] > 0.95 > 0.001 > leaked[8], "at a spread of 1 … to"
assert most - entropy["0"] < 0.03, "near that of an even choice"
assert entropy["0"] > entropy["−∞"] + 4, "an entropy of … in place of"
assert left < 0.03, "the weights that are left add up to"
assert all_masked[1e9] == 1 / 4, "every key gets the same"
assert np.isclose(all_masked[1e4], in_a_row, atol=1e-3), (
    "the mask has no effect at all"
)
assert lowest == -np.inf, "is −∞ again as soon as a logit of −16 is added"
assert overflowed == -np.inf, "overflows, if a kernel multiplies it by"
assert divided[10_000] == 1250, "If the mask is divided too"
assert np.isclose(longer**2 * 64, 10_000), "times as long as at the start"
