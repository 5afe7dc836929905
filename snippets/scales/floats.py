r"""With $\sqrt{d}$ number formats give out at no dimension in use; with $d^5$
or $e^{\pi d}$ half precision does so below ten.

Nine rows of marks along a logarithmic axis of dimensions from 1 to 10 thousand
million, one mark for each of the formats fp16, bf16, fp32 and fp64. Divisor 1
and log d: the middle key's weight becomes exactly 0, from tens of dimensions in
fp16 to tens of thousands, or millions, in fp64. √d: a single mark far to the
right, for fp16. d: one mark for the divisor, at tens of thousands, and two for
the weights. d⁵: infinite from {= infinite['d⁵']['fp16'] } dimensions in fp16,
all weights equal from {= equal['d⁵']['bf16'] } in bf16 and
{= equal['d⁵']['fp32'] } in fp32. e^{πd}: all marks lie below 300 dimensions.
"""

# %%
import numpy as np
from formats import (
    FORMATS,
    FP8,
    LIMIT,
    rounds_to_infinity,
    rounds_to_one,
    rounds_to_zero,
)
from gaussian_logits import mean_maximum
from rivals import TEMPERATURE

n_keys = 512
gap = mean_maximum(n_keys)  # from the mean score to the top one, in spreads
divisors = ["1", "log d", "√d", "d", "d/8", "d⁵", "exp πd"]
zero, equal, infinite = (
    {f: {name: rule(f, name, *more) for name in FORMATS} for f in divisors}
    for rule, *more in [
        (rounds_to_zero, gap),
        (rounds_to_one,),
        (rounds_to_infinity,),
    ]
)
# A cosine spreads like 1/√d, as the score divided by d does.
cosine = {name: rounds_to_one("d", name, TEMPERATURE) for name in FORMATS}
log_n_gap = gap * np.log(n_keys)  # with log n scaling, at every d
fp16_zero = 25 * np.log(2)  # e^{-x} is 0 in fp16 beyond this x
fp8_top = FP8[-1]
fp8_top_d = fp8_top + 1  # |q|² = d exceeds it
# Each coordinate is rounded to the nearest number of fp8.
x, step = np.linspace(0, 8, 200_001, retstep=True)
rounded = FP8[np.searchsorted((FP8[1:] + FP8[:-1]) / 2, x)]
bell = 2 * step * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
square, with_x = bell @ rounded**2, bell @ (rounded * x)
# The spread of a logit's error: one over d times d products, each of variance
fp8_error = np.sqrt(square**2 - 2 * with_x**2 + 1)

# %%
import matplotlib.pyplot as plt

shown = [
    ("÷ 1: the middle weight is 0", zero["1"]),
    ("÷ log d: the middle weight is 0", zero["log d"]),
    ("÷ √d: the divisor is infinite", infinite["√d"]),
    ("÷ d: the divisor is infinite", infinite["d"]),
    ("÷ d: all weights are equal", equal["d"]),
    ("÷ d⁵: the divisor is infinite", infinite["d⁵"]),
    ("÷ d⁵: all weights are equal", equal["d⁵"]),
    ("÷ $e^{πd}$: the divisor is infinite", infinite["exp πd"]),
    ("÷ $e^{πd}$: all weights are equal", equal["exp πd"]),
]
fig, axes = plt.subplots(figsize=(6.4, 7))
for place, (label, where) in enumerate(shown):
    axes.text(1, 0.2 - place, label)
    for colour, d in enumerate(where.values()):
        if d < 1e10:
            mark = "sDo^"[colour]
            axes.plot(d, -place, mark, color=f"C{colour}", markersize=8)
for colour, name in enumerate(FORMATS):
    axes.plot([], [], "sDo^"[colour], color=f"C{colour}", label=name)
axes.set(xscale="log", xlim=(0.9, 1e10), ylim=(-8.6, 0.8), yticks=[])
axes.set(xlabel="first dimension d at which it happens")
axes.grid(axis="y", visible=False)
axes.spines["left"].set_visible(False)
axes.minorticks_off()
fig.legend(ncols=4, loc="outside upper center", columnspacing=1)
plt.show()

# %% says
never = [zero["√d"], equal["√d"], infinite["√d"]]
first = min(d for where in never for d in where.values())
assert first > 1e9, r"With $\sqrt{d}$ … give out at no dimension in use"
for f in ("d⁵", "exp πd"):
    assert equal[f]["fp16"] < 10, "half precision does so below ten"
assert 10 < zero["1"]["fp16"] < 100, "from tens of dimensions in fp16"
assert 1e4 < zero["1"]["fp64"] < 1e5, "in fp16 to tens of thousands"
assert 1e6 < zero["log d"]["fp64"] < 1e8, "or millions, in fp64"
assert infinite["√d"]["fp16"] < 10 * 1000 * 10**6, (
    "dimensions from 1 to 10 thousand million"
)
drawn = [name for name, d in infinite["√d"].items() if d < 1e10]
assert drawn == ["fp16"], "a single mark far to the right, for fp16"
assert 1e4 < infinite["d"]["fp16"] < 1e5, (
    "for the divisor, at tens of thousands"
)
last = max(*infinite["exp πd"].values(), *equal["exp πd"].values())
assert last < 300, "all marks lie below 300 dimensions"

# Of the page.
for name in ("bf16", "fp32"):
    there = infinite["√d"][name]
    assert there > LIMIT > 1e42, (
        r"$\sqrt d$: the divisor is infinite … never | never"
    )
for f in ("√d", "d", "d⁵"):
    assert infinite[f]["fp64"] > 1e42, "is infinite below $10^{42}$"
assert equal["d/8"]["fp16"] > equal["d"]["fp16"], "The others lie further out"
times = cosine["fp16"] / equal["d"]["fp16"]
assert abs(times - 10**2) < 0.1, "ten times a cosine in fp16"
lost = [
    name
    for name, (_, _, bottom) in FORMATS.items()
    if log_n_gap > (1 - bottom) * np.log(2)
]
assert lost == ["fp16"], "the middle key's weight is 0 in fp16, and in no other"
bf16, fp32 = FORMATS["bf16"], FORMATS["fp32"]
assert bf16[1] == fp32[1], "bf16, which has the same exponents"
assert bf16[0] < fp32[0], "the same exponents and fewer digits"
for name in ("fp32", "bf16"):
    assert infinite["exp πd"][name] < 64, "it is infinite, and every logit is 0"

ends = np.unique(np.diff(FP8[8:] / 2.0 ** np.floor(np.log2(FP8[8:])))[:7])
assert np.all(ends == 2.0**-3), "E4M3 has 3 bits after the first"
