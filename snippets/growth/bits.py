r"""The larger a logit, the further apart are the numbers that a format has:
near 1000 half a unit in fp16, and {= gap['bf16'][1000] :.0f } units in bf16.

Distances between neighbouring numbers, against their size from 1 to 100,000,
both axes logarithmic: stairs that double at each power of two. From top to
bottom e5m2, e4m3, bf16 and fp16; e4m3 ends at {= top['fp8 e4m3'] :,.0f }, e5m2
at {= top['fp8 e5m2'] :,.0f } and fp16 at {= top['fp16'] :,.0f }. A dotted line
at a distance of 1.
"""

# %%
import numpy as np
from scipy.stats import norm

# Digits, and the largest number: e4m3 gives up infinity for one more power.
formats = {
    "fp8 e5m2": (3, 1.75 * 2.0**15),
    "fp8 e4m3": (4, 1.75 * 2.0**8),
    "bf16": (8, (2 - 2.0**-7) * 2.0**127),
    "fp16": (11, (2 - 2.0**-10) * 2.0**15),
}
top = {name: largest for name, (_, largest) in formats.items()}


def spacing(x, digits):
    """Return the distance to the next larger number."""
    return 2.0 ** (np.floor(np.log2(x)) + 1 - digits)


gap = {
    name: {x: spacing(x, digits) for x in (10, 100, 1000) if x < top[name]}
    for name, (digits, _) in formats.items()
}
factor = {x: np.exp(gap["bf16"][x]) for x in gap["bf16"]}
d, loud, steps = 64, 1000, 127
int8_gap = loud / steps
# Half a step above the largest number all is rounded to infinity; this is the
# logit that comes of it if it is divided afterwards.
beyond = top["fp16"] + spacing(top["fp16"], formats["fp16"][0]) / 2
overflow = beyond / np.sqrt(d)

# The root mean square error of rounding a coordinate of q, a standard Gaussian.
x = np.linspace(-10, 10, 400_001)
p = norm.pdf(x) / norm.pdf(x).sum()


def e4m3(v):
    """Round to 4 binary digits, below 2⁻⁶ to steps of 2⁻⁹."""
    step = 2.0 ** (np.maximum(np.floor(np.log2(np.abs(v) + 1e-30)), -6) - 3)
    return np.round(v / step) * step


def error(times, rounded=e4m3):
    """Return the error of x, rounded after it was multiplied by `times`."""
    return np.sqrt(p @ (rounded(times * x) / times - x) ** 2)


def int8(v):
    """Round to whole numbers of 8 bits."""
    return np.clip(np.round(v), -127, 127)


q_error = {"1": error(1), "√128": error(128**-0.5), "128": error(1 / 128)}
int8_end = 4  # standard deviations
int8_error = error(steps / int8_end, int8)
more = q_error["128"] / q_error["1"]
below = {c: 2 * norm.cdf(c * 2.0**-6) - 1 for c in (1, 128)}
head = 128
folded = np.log2(np.e) / np.sqrt(head)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.6))
size = np.geomspace(1, 1e5, 4001)
for colour, (name, (digits, largest)) in zip(
    ("C1", "C3", "C0", "C2"), formats.items(), strict=True
):
    kept = size[size <= largest]
    axes.plot(kept, spacing(kept, digits), color=colour, label=name)
axes.plot([1, 1e5], [1, 1], ":", color="C5")
axes.set(xscale="log", yscale="log", xlim=(1, 1e5), xlabel="size of a logit")
axes.set(ylabel="distance to the next number")
axes.legend(loc="upper left")
plt.show()

# %% says
assert gap["fp16"][10] < gap["fp16"][100] < gap["fp16"][1000], (
    "The larger a logit, the further apart are"
)
assert gap["fp16"][1000] == 1 / 2, "half a unit in fp16"
assert (size.min(), size.max()) == (1, 1e5), "against their size from"
