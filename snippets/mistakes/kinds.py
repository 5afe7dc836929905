r"""Wrong factors lie on both sides of 1. Those on the right freeze the rows,
those on the left make them flat, and several are so near 1 that nobody sees
them.

A chart with a row for each of eight wrong scales and three markers in each, on
a logarithmic axis of the factor by which the logits are off: a circle for 4
heads of 32, a square for 12 heads of 64, a triangle for 64 heads of 128. The
markers of √d in place of its inverse lie at
{= factor['times √d']['4 × 32'] :.0f }, {= factor['times √d']['12 × 64'] :.0f }
and {= factor['times √d']['64 × 128'] :.0f }, those of a missing scale at their
roots. The root of the number of heads lies at
{= factor['1/√heads']['4 × 32'] :.1f }, {= factor['1/√heads']['12 × 64'] :.1f }
and {= factor['1/√heads']['64 × 128'] :.1f }, one fourth root between
{= factor['one fourth root']['4 × 32'] :.1f } and
{= factor['one fourth root']['64 × 128'] :.1f }, log₂e at
{= factor['log₂e too much']['12 × 64'] :.2f } in all. Of 1/8, typed as a number,
the three lie at {= factor['1/8, typed']['4 × 32'] :.2f }, 1 and
{= factor['1/8, typed']['64 × 128'] :.2f }. The root of the width and scaling
twice lie on the left, down to {= factor['1/√width']['64 × 128'] :.3f } and
{= factor['scaled twice']['64 × 128'] :.3f }. Where 512 keys freeze and where
they are flat is shaded.
"""

# %%
import numpy as np
from factors import FACTORS, OTHERS, YARN, taking_part

n_keys = 512
shapes = {"4 × 32": (32, 4), "12 × 64": (64, 12), "64 × 128": (128, 64)}
d, heads = shapes["12 × 64"]
factor = {
    name: {shape: float(by(*size)) for shape, size in shapes.items()}
    for name, by in FACTORS.items()
}
here = {name: by["12 × 64"] for name, by in factor.items()}
others = {name: float(by) for name, by in OTHERS.items()}
# With weights of variance 1/width the right spread is 1, so a wrong one is the
# factor; up to 64 that is how many keys take part.
keys = {
    name: float(taking_part(n_keys, min(64, by)))
    for name, by in (here | others | {"right": 1}).items()
}
freezes = float(np.sqrt(2 * np.log(n_keys)))
yarn = float(YARN)
# Where 95% of the keys take part.
flat_share = 0.95
flat = float(np.sqrt(-np.log(flat_share)))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
axes.axvspan(freezes, 300, color="C1", alpha=0.15)
axes.axvspan(1 / 40, flat, color="C0", alpha=0.15)
axes.axvline(1, color="0.5")
for row, by in enumerate(reversed(factor.values())):
    for marker, shape in zip("os^", shapes, strict=True):
        label = f"{shape}" if row == 0 else None
        colour = f"C{2 + 'os^'.index(marker)}"
        size = 9 if marker == "^" else 8
        axes.plot(by[shape], row, marker, color=colour, ms=size, label=label)
axes.set(xscale="log", xlim=(1 / 40, 300), ylim=(-0.6, 8.1))
axes.set(yticks=range(8), yticklabels=reversed(factor))
axes.set(xticks=[1 / 32, 1 / 8, 1 / 2, 1, 2, 8, 32, 128])
axes.set_xticklabels(["1/32", "1/8", "½", "1", "2", "8", "32", "128"])
axes.minorticks_off()
axes.set(xlabel="logits are … times as large as they should be")
axes.text(30, 7.5, "frozen", color="C1", ha="left")
axes.text(1 / 30, 7.5, "flat", color="C0", ha="left")
fig.legend(ncols=3, loc="outside upper center", title="heads × size")
plt.show()

# %% says
assert min(here["no scale"], here["times √d"]) > freezes, (
    "Those on the right freeze the rows"
)
assert max(here["1/√width"], here["scaled twice"]) < 1, (
    "those on the left make them flat"
)
apart = np.abs(np.log2([*here.values(), *others.values()]))
assert np.sort(apart)[4] < 0.75, "several are so near 1 that nobody sees them"
assert factor["1/8, typed"]["12 × 64"] == 1, "the three lie at"
large, small = "64 × 128", "4 × 32"
assert factor["no scale"][large] > factor["no scale"][small], (
    "some mistakes grow with the head"
)
assert factor["1/√width"][large] < factor["1/√width"][small], (
    "grow with the head, and some with the number of heads"
)
