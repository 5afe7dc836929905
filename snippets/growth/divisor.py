r"""A divisor only delays a logit that training wants larger. A norm without
gain, a cap or a clip stops it. With √d, weight decay stops it too, but far
higher.

The logit of our row's query and its meant key over 4096 steps of equal length
that all raise it, both axes logarithmic. Three nearly parallel lines for the
divisors 1, √d and d: each passes 100, the third about ten times as late as the
first. The others have √d as well. With a norm on q and k it stops at
{= end['norm'] :.0f }, with a cap at {= end['cap of 50'] :.0f }, with a clip
near {= tau }, with weight decay below {= bound :.0f }; with a norm that has a
gain it climbs as high as without any measure.
"""

# %%
import numpy as np
from our_row import keys, meant, query

d, steps, decay, cap, tau = 64, 4096, 0.1, 50, 100
small, large = 0.01, 0.64  # learning rates: what a step adds to a coordinate
root = np.sqrt(d)
# q and k at the start: our row's query and its meant key.
start = np.array([query[:d], keys[meant, :d]])


def unit(v):
    """Return v at length √d, as RMSNorm without a gain does."""
    return v * root / np.linalg.norm(v)


def climb(rate, norm=False, gain=0.0, clip=np.inf, decay=0.0):
    """Return the logit q·k/√d after each step, before the clip acts.

    A step moves each coordinate by `rate`, towards a larger logit. Adam's are
    of this kind as long as the gradient keeps its sign.
    """
    q, k = start.copy()
    g = 1.0  # the gain, of q and of k
    logits = []
    for _ in range(steps):
        up_q, up_k = k, q
        if norm:  # along q the logit does not change
            a, b = unit(q), unit(k)
            cosine = a @ b / d
            up_q, up_k = b - cosine * a, a - cosine * b
        q, k = (
            v + rate * (np.sign(up) - decay * v)
            for v, up in ((q, up_q), (k, up_k))
        )
        g += gain
        logit = (unit(q) @ unit(k) * g**2 if norm else q @ k) / root
        if logit > clip:  # γ = clip / logit, half for each of the two
            q, k = (v * np.sqrt(clip / logit) for v in (q, k))
        logits.append(logit)
    return np.array(logits)


plain = {rate: climb(rate) for rate in (small, large)}


def measures(rate):
    """Return the logits with each measure, all with √d as well."""
    return {
        "weight decay": climb(rate, decay=decay),
        "clip at 100": climb(rate, clip=tau),
        "cap of 50": cap * np.tanh(plain[rate] / cap),
        "norm": climb(rate, norm=True),
        "norm and gain": climb(rate, norm=True, gain=rate),
    }


divisors = {"1": 1, "√d": root, "d": d}
# The divisor changes no step, since it changes no sign.
divided = {name: plain[small] * root / s for name, s in divisors.items()}
held, coarse, alone = measures(small), measures(large), plain[large]
reached = {name: np.argmax(a > tau) for name, a in divided.items()}
later = d**0.25  # steps until a level with √d, over those with 1: the limit
bound = d / decay**2 / root  # weight decay: each coordinate ends at 1/decay
end = {name: a[-1] for name, a in held.items()}
# q and k of length √d each, turned to one direction, have a logit of √d. What
# both have to be longer by for the logit of the page's example.
alarm = 300
longer = np.sqrt(alarm / root)
explore = {
    "start": start,
    "steps": [16, steps],
    "logits": [0.1, 1e5],
    "rate": small,
    "decay": decay,
    "cap": cap,
    "clip": tau,
}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.2))
t = np.unique(np.geomspace(1, steps, 150).astype(int))
for style, (name, a) in zip((":", "-", "--"), divided.items(), strict=True):
    axes.plot(t, a[t - 1], style, color="C1", label=f"÷ {name}")
for colour, (name, a) in zip("53204", held.items(), strict=True):
    axes.plot(t, a[t - 1], color=f"C{colour}", label=f"÷ √d, {name}")
axes.set(xscale="log", yscale="log", xlim=(10, steps), ylim=(0.3, 6e4))
axes.set(xlabel="step", ylabel="logit")
fig.legend(ncols=2, loc="outside upper center")
plt.show()

# %% says
late = [np.log(divided[name][1000:]) for name in ("1", "√d", "d")]
slope = [np.polyfit(np.log(np.arange(1000, steps)), a, 1)[0] for a in late]
assert np.allclose(slope, 2, atol=0.1), (
    "logit comes to grow nearly like the square"
)
assert 0 < reached["1"] < reached["√d"] < reached["d"], "d: each passes"
assert 9 < reached["d"] / reached["1"] < 12, "about ten times as late"
assert held["norm"].max() < root + 1e-9, "holds: no logit exceeds"
assert 0 < end["clip at 100"] / tau - 1 < 0.01, "with a clip near"
assert 5 * tau < end["weight decay"] < bound, (
    "With √d, weight decay stops it too, but far higher"
)
assert end["weight decay"] < bound, "with weight decay below"
assert end["norm and gain"] > divided["√d"][-1], "climbs as high as without"
past = coarse["clip at 100"][511] / tau - 1
assert 1 / 3 < past < 0.4, "Large steps pass it by more than a third each time"
fast = climb(4 * small)[: steps // 4]
assert np.allclose(fast, divided["√d"][3::4], rtol=0.01), (
    "learning rate is a factor on the time too"
)
