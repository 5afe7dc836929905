r"""A spread of 1 leaves room on both sides. With weights of variance 1/width,
rows freeze without the scale and go flat with the scale twice; with
$\sqrt{d_\text{model}}$ for $\sqrt d$ the spread is {= start["width"] :.2f }.

The share of the keys that take part against the spread of the logits, from 1/16
to 16 on a logarithmic axis, for 16, 512 and 16,384 keys. All curves start at 1
and fall to nearly 0, those for more keys further. A dot on each marks where a
row freezes, at {= freezes[16] :.1f }, {= freezes[512] :.1f } and
{= freezes[16384] :.1f }. Vertical lines mark five set-ups with 12 heads of 64:
scaled twice at {= start["twice"] :.3f }, the root of the width at
{= start["width"] :.2f }, right at 1 and forgotten at
{= start["forgotten"] :.0f }, to the right of all dots; with nn.Linear's weights
and the right scale it is {= start["linear"] :.2f }.
"""

# %%
import numpy as np
from checked import architectures, cost
from models import LATENT, MODELS, SOURCES
from our_row import d as our_d
from our_row import scores
from start import NORMS, RULES, SCALES, sharing, spread

d, heads, width, n_keys = 64, 12, 768, 512
deviation = 0.02  # of weights, as in GPT-2
# The rule of initialisation, the scale, and a norm on q and k.
setups = {
    "right": ("LeCun", "1/√d", "none"),
    "linear": ("nn.Linear", "1/√d", "none"),
    "fixed": ("deviation", "1/√d", "none"),
    "forgotten": ("LeCun", "1", "none"),
    "linear, forgotten": ("nn.Linear", "1", "none"),
    "width": ("LeCun", "1/√width", "none"),
    "twice": ("LeCun", "1/d", "none"),
    "normed": ("LeCun", "1/√d", "RMSNorm"),
    "unit": ("LeCun", "1/√d", "length 1"),
    "cosine": ("LeCun", "√d", "length 1"),
}
start = {
    name: float(spread(d, heads, width, *setup, s=deviation))
    for name, setup in setups.items()
}
by_width = {
    D: float(spread(d, D // d, D, *setups["fixed"], s=deviation))
    for D in (384, width, 4096)
}
keys = {name: float(sharing(n_keys, s)) for name, s in start.items()}
counts = [16, 512, 16384]
freezes = {n: float(np.sqrt(2 * np.log(n))) for n in counts}
sigma = 2 ** np.arange(-4, 4.01, 0.25)
share = {n: np.array([sharing(n, s) / n for s in sigma]) for n in counts}
# What the two lines print, by the line of code: its factor on q·k.
factors = {
    "right": d**-0.5,
    "none": 1,
    "of heads": heads**-0.5,
    "reversed": d**0.5,
    "again": 1 / d,
    "of width": width**-0.5,
    "halved": 1 / d / 2,
}
prints = {name: {} for name in factors}
for name, factor in factors.items():
    for rule in ("nn.Linear", "LeCun"):
        s = float(spread(d, heads, width, rule, "number", number=factor))
        prints[name][rule] = s, float(sharing(n_keys, s))
right = "`q @ k.mT / math.sqrt(q.size(-1))`, right"
sharp = [
    (right, "right"),
    ("`q @ k.mT`, no divisor", "none"),
    ("`q @ k.mT / math.sqrt(q.size(1))`, the number of heads", "of heads"),
    ("`q @ k.mT * math.sqrt(q.size(-1))`, multiplied", "reversed"),
]
flat_lines = [
    (right, "right"),
    ("`sdpa(q / math.sqrt(d), k, v)`, divided twice", "again"),
    ("`q @ k.mT / math.sqrt(x.size(-1))`, the whole width", "of width"),
    ("`q @ k.mT / d ** 1/2`, by d, then by 2", "halved"),
]
# The scale kept as a number, 1/8, in heads of other sizes.
kept = {size: float(np.sqrt(size)) / 8 for size in (32, 64, 128, 256)}
# Where e^(−σ²) is this share.
flat_share = 0.95
flat = float(np.sqrt(-np.log(flat_share)))
# With the root of the whole width: the heads from which on rows are flat.
flat_heads = {
    rule: next(
        many
        for many in range(1, 100)
        if sharing(n_keys, spread(d, many, many * d, rule, "1/√width"))
        > flat_share * n_keys
    )
    for rule in ("LeCun", "nn.Linear")
}
latent = LATENT
swept, differing, reported = architectures()
watched = cost()
# Known models, as the calculator takes them and as the page lists them.
explore = {"rules": [*RULES], "norms": [*NORMS], "scales": [*SCALES]}
# It opens with what the page's table begins with, and with our row.
explore["at"] = {"d": d, "H": heads, "D": width, "n": n_keys}
explore["at"] |= {
    key: [*table].index(name)
    for key, table, name in zip(
        ("rule", "by", "norm"),
        (RULES, SCALES, NORMS),
        setups["right"],
        strict=True,
    )
}
explore["row"] = (scores() / our_d**0.5).round(4)
explore["models"], known = {}, []
for name, model in MODELS.items():
    names = {"norm": "none"} | model
    explore["models"][name] = {
        "H": model["h"],
        **{key: model[key] for key in ("d", "D", "n", "s") if key in model},
        "rule": [*RULES].index(names["rule"]),
        "norm": [*NORMS].index(names["norm"]),
        "by": [*SCALES].index(names["scale"]),
    }
    if "number" in model:
        explore["models"][name]["x"] = f"1/√{model['number'] ** -2:.0f}"
    given = {key: value for key, value in model.items() if key != "n"}
    begins = float(spread(**given))
    shown = {"spread": begins, "keys": float(sharing(model["n"], begins))}
    kind, link = SOURCES[name]
    known.append((f"[{name}]({link}) {kind}", model | shown))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4))
for n, line in zip(counts, ["-", "--", "-."], strict=True):
    axes.semilogx(sigma, share[n], line, base=2, label=f"{n:,} keys")
    at = np.interp(freezes[n], sigma, share[n])
    axes.plot(freezes[n], at, "o", color=f"C{counts.index(n)}")
names = {
    "twice": "scaled twice",
    "width": "√width",
    "linear": "nn.Linear",
    "right": "right",
    "forgotten": "forgotten",
}
for name, label in names.items():
    high = 1.16 if name == "twice" else 1.05
    axes.vlines(start[name], 0, high, linestyle=":", color="C5")
    side = {"width": "right", "twice": "center"}.get(name, "left")
    axes.text(start[name], high + 0.01, label, ha=side)
axes.set(xlabel="spread σ of the logits; dots: rows freeze", ylim=(0, 1.32))
axes.set(ylabel="share of the keys that take part", yticks=[0, 0.5, 1])
axes.set(xticks=[1 / 16, 1 / 4, 1, 4, 16])
axes.set_xticklabels(["1/16", "¼", "1", "4", "16"])
fig.legend(ncols=3, loc="outside upper center")
plt.show()

# %% says
assert flat < start["right"] < min(freezes.values()), (
    "A spread of 1 leaves room on both sides"
)
assert start["forgotten"] > max(freezes.values()), "freeze without the scale"
assert start["twice"] < flat, "and go flat with the scale twice"
assert 1 < keys["forgotten"] < 2, "it says …, and your second less than 2"
assert flat < prints["of heads"]["nn.Linear"][0] < 1, (
    "the third line looks well at the first step"
)
assert keys["linear, forgotten"] > 5, "and a missing divisor only mild"
assert keys["forgotten"] < 5, (
    "the row freezes: a few of $n$ keys take nearly all"
)
widths = [*by_width.values()]
assert np.all(np.diff(widths) > 0), "gives … and more in wider models"
assert keys["twice"] > flat_share * n_keys, "more than … of the keys take part"
beyond = sharing(16384, 1.1 * flat) / 16384
assert beyond < flat_share, "and the spread is then below"
assert flat < start["linear"], "'s start, at … lies above"

for n in counts:
    assert np.all(np.diff(share[n]) < 0), "start at 1 and fall to nearly 0"
ends = np.array([share[n][[0, -1]] for n in counts])
assert np.all(abs(ends - [1, 0]) < 0.1), "All curves start at 1 and fall"
assert np.all(np.diff(ends[:, 1]) < 0), "those for more keys further"
assert np.isclose(start["right"], 1), "right at 1 and forgotten"
row = np.exp(np.multiply.outer([1, 8], explore["row"]))
row /= row.sum(axis=1, keepdims=True)
assert row[0].max() < 0.2, "With the scale many keys have a share"
assert row[1].max() > 0.8, "without it one has nearly all"
assert start["forgotten"] > max(freezes.values()), "to the right of all dots"
