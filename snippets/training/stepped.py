r"""What a training step adds to our twelfth key (purple-red) grows like $d$,
and the noise around it like $\sqrt d$. So divided by $\sqrt d$ (right) heads
begin alike, and the same step does more the larger the head. A grey tick is the
usual share.

On the left the sums of products of our row, a line for each of {= n_keys }
keys, most of them between two dashed curves, plus and minus the root of the
number of products. The line of the twelfth key wanders at the start (dashed),
and climbs out of the fan after a step. Dotted lines from one to the other, at
{= dims[0] }, {= dims[1] } and {= dims[2] } products, say by how much:
{= gain[16] :.0f }, {= gain[64] :.0f } and {= gain[128] :.0f }. On the right are
the shares of attention, divided by √d, in heads of these sizes. Before the step
no key has a quarter. After it the twelfth has {= share[16] :.0%},
{= share[64] :.0%} and {= share[128] :.0%}; a tick for rows drawn anew rises
from panel to panel.
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
    step,
    train,
    walk,
)

dims = [16, 64, 128]
n_keys = len(keys)

before, after = walk(query, keys), walk(*train(query, keys))
gain = {d: after[meant, d - 1] - before[meant, d - 1] for d in dims}
times = {d: np.exp(gain[d] / np.sqrt(d)) for d in dims}
share = {d: shares(after, d, np.sqrt(d))[meant] for d in dims}
# E|x| = √(2/π): what each product gains on average.
each = 2 * step * np.sqrt(2 / np.pi)
parts = [(d, np.sqrt(d), each * d, each * np.sqrt(d)) for d in [*dims, 1024]]

# Other rows, for the usual share.
rows = 4000
q, k = other_rows(rows)
start, others = walk(q, k), walk(*train(q, k))
usual = {d: np.median(shares(others, d, np.sqrt(d))[:, meant]) for d in dims}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplot_mosaic(
    [["fan", d, -d] for d in dims], figsize=(6.4, 4), width_ratios=[2, 1, 1]
)
fan = axes["fan"]
draw_fan(fan, after, meant)
fan.plot([0, *before[meant]], "C5--", linewidth=1.2)
for d in dims:
    low, high = before[meant, d - 1], after[meant, d - 1]
    fan.plot([d, d], [low, high], ":", color="0.5")
    fan.text(d - 3, high + 1, f"+{gain[d]:.0f}", ha="right")
    for at, walks, climbs in [(d, before, meant), (-d, after, meant)]:
        draw_weights(axes[at], shares(walks, d, np.sqrt(d)), "C0", climbs)
        axes[at].tick_params(labelbottom=d == 128, labelleft=at > 0)
    axes[-d].plot([meant - 1, meant + 3], [usual[d]] * 2, "0.5", linewidth=2.5)
    axes[d].text(32, 0.75, f"d = {d}", ha="right")
fan.set(xticks=[0, *dims], yticks=[-20, 0, 20, 40], title="sums of products")
fan.set(ylim=(-27, 60), xlabel="products added, d")
axes[16].set_title("before", color="C0")
axes[-16].set_title("after", color="C0")
axes[128].set_xlabel("key")
axes[-128].set_xlabel("key")
plt.show()

# %% says
spread = {d: others[:, :, d - 1].std(axis=0) for d in dims}
gained = {d: (others - start)[:, meant, d - 1].mean() for d in dims}
for d in dims:
    assert np.allclose(np.delete(spread[d], meant), np.sqrt(d), rtol=0.1), (
        r"The others stray as before, like $\sqrt d$"
    )
    assert np.isclose(gained[d], each * d, rtol=0.05), (
        "step adds to our twelfth key … grows like $d$"
    )
    assert max(shares(before, d, np.sqrt(d))) < 1 / 4, (
        "Before the step no key has a quarter"
    )
climbs = np.array([gain[d] / d for d in dims])
assert np.ptp(climbs) < 0.06, (
    "the step lifts the twelfth nearly in proportion to $d$"
)
assert np.all(np.diff([*times.values()]) > 5), (
    "the same step does more the larger the head"
)
assert np.all(np.diff([*usual.values()]) > 0.2), "rows drawn anew rises"
assert after[meant, -1] > 4 * np.sqrt(128), "and climbs out of the fan after"
added = np.diff(others[:, meant] - start[:, meant])
assert np.mean(added > 0) > 0.98, "Why does nearly every product gain?"
assert before[meant, 15] > np.sqrt(16), "At 16 chance had put it ahead"
(_, noise, adds, over), *more, (_, _, _, widest) = parts
assert np.isclose(more[0][1], 2 * noise), "four times as many … noise doubles"
assert np.isclose(more[0][2], 4 * adds), "but the step is four times as large"
assert over < 2 < 12 < widest, "less than twice the noise in the smallest head"
