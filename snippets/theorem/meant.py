r"""Our row, with a twelfth key (purple-red) that goes a little with the query,
by {= rho } in each coordinate. Its line climbs like $\rho d$ out of noise like
$\sqrt d$. So divided by $\sqrt d$ (right) the key gets more the larger the
head, but for luck: a grey tick is its usual share.

On the left the sums of products of our row, a line for each of {= n_keys }
keys, up to {= dims[-1] } products. Most stay between two dashed curves, plus
and minus the root of the number of products. The line of the twelfth key runs
along a dotted straight one, out of the fan, to {= ends :.0f }. On the right are
the shares of attention in heads of {= dims[0] }, {= dims[1] } and {= dims[2] },
divided by √d. The twelfth key has {= share[16] :.0%}, {= share[64] :.0%} and
{= share[128] :.0%}; a tick for rows drawn anew rises from panel to panel.
"""

# %%
import numpy as np
from our_row import (
    draw_fan,
    draw_weights,
    keys,
    meant,
    other_rows,
    query,
    shares,
    walk,
)

rho, dims, n_keys = 0.3, [16, 64, 128], len(keys)


def correlate(q, k):
    """Return the keys, the meant one with correlation ρ in each coordinate."""
    k = k.copy()
    k[..., meant, :] = rho * q + np.sqrt(1 - rho**2) * k[..., meant, :]
    return k


walks = walk(query, correlate(query, keys))
ends = walks[meant, -1]
share = {d: shares(walks, d, np.sqrt(d))[meant] for d in dims}
# The mean beside the noise: ρd and √d.
parts = [(d, rho * d, np.sqrt(d)) for d in [4, *dims, 1024]]
equal = 1 / rho**2

# Other rows, for the usual share.
rows = 4000
q, k = other_rows(rows)
others = walk(q, correlate(q, k))
usual = {d: np.median(shares(others, d, np.sqrt(d))[:, meant]) for d in dims}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplot_mosaic(
    [["fan", d] for d in dims], figsize=(6.4, 4), width_ratios=[1.6, 1]
)
draw_fan(axes["fan"], walks, meant)
axes["fan"].plot([0, 128], [0, rho * 128], "C5:", linewidth=1.5)
axes["fan"].text(98, 36, "$\\rho d$", ha="right")
axes["fan"].text(131, 9.5, "√d")
axes["fan"].set(xticks=[0, *dims], xlim=(-4, 148))
axes["fan"].set_xlabel("products added, d")
axes["fan"].set(yticks=[-20, 0, 20, 40], title="sums of products")
for d in dims:
    draw_weights(axes[d], shares(walks, d, np.sqrt(d)), "C0", meant)
    axes[d].plot([meant - 1, meant + 3], [usual[d]] * 2, "0.5", linewidth=2.5)
    axes[d].text(32, 0.8, f"d = {d}", ha="right")
    axes[d].tick_params(labelbottom=d == dims[-1])
axes[16].set_title("÷ √d", color="C0")
axes[128].set_xlabel("key")
plt.show()

# %% says
assert np.all(np.diff([*usual.values()]) > 0.1), "for rows drawn anew rises"
assert np.all(np.diff([*usual.values()]) > 0.1), (
    "the key gets more the larger the head, but"
)
assert usual[16] < 0.1 < 1 / 3 < usual[128], (
    "In a head of 16 it usually gets less than a tenth of the attention"
)
assert abs(usual[64] - 1 / 6) < 0.03, "about a sixth, and in one of"
assert 1 / 3 < usual[128] < 1 / 2, "128 more than a third"
assert share[16] > usual[16], "In our row chance lifts it at 16"
assert share[64] < usual[64], "and holds it back at 64"
assert ends > 3 * np.sqrt(128), "the line of the twelfth … out of the fan"
noise = np.delete(walks, meant, axis=0)
inside = np.abs(noise) < np.sqrt(np.arange(1, 129))
assert 0.5 < inside.mean() < 0.85, "Most stay between two dashed curves"
for m, grows in [(16, 4), (64, 8), (128, 11.3)]:
    spread = others[:, :, m - 1].std(axis=0)
    assert np.allclose(np.delete(spread, meant), grows, rtol=0.1), (
        r"All the other sums are noise, and stray by about $\sqrt d$"
    )
    climbed, strays = others[:, meant, m - 1].mean(), spread[meant]
    assert np.isclose(climbed, rho * m, rtol=0.1), "Its line climbs like"
    assert 1 < strays / grows < 1.15, r"by a little more than $\sqrt d$, since"
(_, *low), *_, (_, *high) = parts
assert low[0] < low[1], "In a small head the noise is the larger part"
assert high[0] > 9 * high[1], "there is hardly anything but the mean"
assert np.isclose(rho * equal, np.sqrt(equal)), "The two are equal at about"
