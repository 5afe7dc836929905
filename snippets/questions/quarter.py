r"""Divided before the product, vectors may be longer before their score
overflows in half precision.

The largest size of a coordinate for which no score can overflow in fp16,
against the dimension from {= dims[0] } to {= dims[-1] }, both axes logarithmic.
Two falling lines. The lower and steeper one: divided after the product, just
below 32 at 64 dimensions. The upper one: a fourth root on each side, or the
root on the query alone, {= each_side[64] :.0f } at 64 dimensions.
"""

# %%
import numpy as np

top = float(np.finfo(np.float16).max)
log_top = np.log(top)  # where e^z overflows
dims = 2 ** np.arange(4, 13)
# With coordinates of size a, no |q·k| exceeds |q||k| = d a².
after = {d: np.sqrt(top / d) for d in dims}
each_side = {d: np.sqrt(top / np.sqrt(d)) for d in dims}
gain = {d: each_side[d] / after[d] for d in dims}

# On the query alone the sum is the same; at 64 dimensions, q = k:
a = np.float16(60)
q = np.full(64, a)
with np.errstate(over="ignore"):
    scores = {
        "after": (q @ q) / np.float16(8),
        "each side": (q / np.float16(8**0.5)) @ (q / np.float16(8**0.5)),
        "query": (q / np.float16(8)) @ q,
    }
exact = 64 * 60**2 / 8

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
axes.loglog(dims, list(after.values()))
axes.loglog(dims, list(each_side.values()))
axes.text(80, 20, "q·k, then ÷ √d", ha="right")
axes.text(90, 96, "fourth root of d on each side,\nor q ÷ √d first")
axes.set(xlabel="dimension d of a head", ylabel="largest safe coordinate")
ticks = [16, 64, 256, 1024, 4096]
axes.set(xticks=ticks, xticklabels=ticks)
axes.set(yticks=[4, 8, 16, 32, 64, 128], yticklabels=[4, 8, 16, 32, 64, 128])
axes.minorticks_off()
plt.show()

# %% says
assert min(gain.values()) > 1, "before the product, vectors may be longer"
lines = [*after.values()], [*each_side.values()]
assert np.all(np.diff(lines) < 0), "Two falling lines"
assert np.all(np.diff([*gain.values()]) > 0), "The lower and steeper one"
assert 31.9 < after[64] < 32, "just below 32 at 64 dimensions"
assert abs(scores["each side"] / exact - 1) < 2**-8, "The result is the same"
assert scores["query"] == exact < scores["after"], (
    "Dividing only the query … protects the sum just as well"
)
with np.errstate(over="ignore"):
    ends = np.exp(np.float16([log_top - 0.01, log_top + 0.01]))
assert [*np.isinf(ends)] == [False, True], "as soon as a score exceeds"
saved = np.array([*gain.values()]) ** 2
assert np.allclose(saved, np.sqrt(dims)), (
    r"the sum on the way is $\sqrt d$ times smaller"
)
