r"""A sigmoid loss begins where its bias puts it.

SigLIP's loss per row at the start, against the number of pairs in a batch, from
{= sizes[0] } to {= sizes[-1] :,}, the number on a logarithmic axis. With a bias
of −10 it is {= row['bias −10'][256] :.2f } at {= small } pairs and
{= row['bias −10'][32768] :.1f } at 32,768. With the best bias for each size it
is a little over 1 + ln n, from {= row['best'][16] :.1f } to
{= row['best'][32768] :.1f }, and touches the other line near
{= level :,.0f } pairs.
"""

# %%
import numpy as np
from scipy import optimize

width = 768
sizes = [16, 64, 256, 1024, 4096, 16384, 32768]
cosine = np.linspace(-1, 1, 20_001)[1:-1]


def random_cosines(d):
    """Return the weights of the cosine of two random directions."""
    log = (d - 3) / 2 * np.log1p(-(cosine**2))
    weight = np.exp(log - log.max())
    return weight / weight.sum()


def siglip(n, factor, bias, d=width):
    """Return the loss per row of a batch of n, where the match is no better."""
    logit = factor * cosine + bias
    match, other = np.logaddexp(0, -logit), np.logaddexp(0, logit)
    return (match + (n - 1) * other) @ random_cosines(d)


first = {
    "log 10": siglip(1024, 10, -10),
    "log 1/.07": siglip(1024, 1 / 0.07, -10),
}
level = 1 + np.exp(10)  # pairs for which −10 is the logit of 1/n
row = {
    "bias −10": {n: siglip(n, 10, -10) for n in sizes},
    "no bias": {n: siglip(n, 10, 0) for n in sizes},
    "best": {
        n: optimize.minimize_scalar(
            lambda b, n=n: siglip(n, 10, b), bounds=(-14, 0), method="bounded"
        ).fun
        for n in sizes
    },
}
# A mean over the n² pairs, divided by n again; with a bias, and with none.
twice = {"no bias": np.log(2) / 256, "bias −10": row["bias −10"][256] / 256**2}
untrained = 256 * np.log(2)  # summed, divided once: logits of 0
# The bias that suits n pairs, if logits hardly spread: the logit of 1/n.
suits = {n: -np.log(n - 1) for n in (256, 1024, 32768)}


def of_best(n, factor):
    """Return the loss of a batch in which matches have 1 and others 0."""
    return np.log1p((n - 1) * np.exp(-factor))


# CLIP in 512 dimensions: cosines times 1/.07, and then divided by the root too.
clip = 1 / 0.07
spread = {"of 10": 10 / np.sqrt(width), "of 1/.07": clip / np.sqrt(width)}
spread |= {"÷ .07": clip / np.sqrt(512), "and ÷ √512": clip / 512}
spread["raw ÷ .07"] = clip * np.sqrt(512)  # of variance-1 coordinates, no norm
pairs, minus = 1024, 10  # SigLIP’s bias is −10
floor = {"÷ .07": of_best(pairs, clip)}
floor["and ÷ √512"] = of_best(pairs, clip / np.sqrt(512))
even = np.log(pairs)

# Batches: what one more doubling adds to the loss at the start, or takes from
# the lead; 8 devices of 256 pairs, gathered or not.
small = 256  # pairs on one device
half_of = {n: np.log(n - 1) for n in (256, 2048, 32768)}
doubling, gathered = np.log(2), np.log(8)

# Faces: s times cosines in 512 dimensions with weights of 85,742 classes.
classes, d, s, margin = 85_742, 512, 64, 0.5
faces = {factor: factor / np.sqrt(d) for factor in (1, 30, 64)}
needed = {p: np.log(p / (1 - p) * (classes - 1)) for p in (0.5, 0.99)}
adacos = np.sqrt(2) * np.log(classes - 1)
bare = of_best(classes, 1)  # the least loss with bare cosines
start = np.log(classes) + s**2 / (2 * d)  # ln of the sum, no margin
with_margin = start + s * np.sin(margin)

# A router of experts: a token of variance 1, and weights that one can draw.
router_width, drawn = 4096, 0.02
router = {w: w * np.sqrt(router_width) for w in (drawn, 1)}
router_cosine = 1 / np.sqrt(router_width)

# SupCon without a norm: 128 coordinates of variance 1, divided by .07. Each
# row's largest logit is a vector with itself, and is left out of the sum.
coordinates, temperature = 128, 0.07
itself = coordinates / temperature
others = np.sqrt(coordinates) / temperature
apart, apart_normed = itself - 4 * others, 2 / temperature
outside = temperature / temperature  # base_temperature
fp32_least = -np.log(2.0**-150)  # half of the smallest number

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
axes.semilogx(sizes, [*row["bias −10"].values()], "C1")
axes.semilogx(sizes, [*row["best"].values()], "C0")
axes.text(40, 10.35, "bias −10", color="C1")
axes.text(900, 7.1, "the best bias", color="C0")
axes.set(xlabel="pairs in a batch", ylabel="loss per row at the start")
axes.set(xticks=[16, 256, 4096, 32768], xticklabels=[16, 256, 4096, "32,768"])
axes.set(ylim=(3, 12.5))
axes.minorticks_off()
plt.show()

# %% says
assert abs(first["log 10"] - first["log 1/.07"]) < 0.01, "no difference that"
assert abs(first["log 10"] - 10) < 0.06, "the bias alone puts it at 10"
assert spread["of 10"] < spread["of 1/.07"] < 0.6, "by less than one"
assert twice["no bias"] < 0.003, (
    "no bias, and a mean over pairs that is divided by"
)
assert np.isclose(twice["no bias"] * 256**2, untrained), "divides by $n$ once"
best = np.array([*row["best"].values()])
ideal = 1 + np.log(sizes)
assert np.all(best > ideal), "little over 1 + ln n"
assert np.all(best < ideal + 0.1), "little over 1 + ln n"
assert np.all(np.array([*row["bias −10"].values()]) > best), "the best bias"
assert np.isclose(-np.log(level - 1), -10), "and touches the other line near"
assert doubling == np.log(2), "Each doubling asks for … more"
assert of_best(32_768, clip) < of_best(small, 2), "is enough for either"
assert 1 < router[drawn] < 1.5, "so a spread near 1 without any divisor"
assert router[1] == np.sqrt(router_width), "which is what a score of attention"
assert outside == 1, "if both are .07, by 1"
assert 16384 < level < 32768, "touches the other line near"
assert row["no bias"][1024] > 50 * row["bias −10"][1024], "with no bias"
assert spread["and ÷ √512"] < 0.03, "all similarities are alike"
assert floor["and ÷ √512"] > 0.9 * even, "however good your vectors are"
assert floor["÷ .07"] < 0.001, "it can fall to"
assert spread["raw ÷ .07"] > 300, "without the norm"
assert np.isclose(half_of[2048] - half_of[256], gathered, atol=0.01), (
    "so if you gather the vectors of eight"
)
assert bare > 0.9 * np.log(classes), "the loss could not fall below"
assert adacos > needed[0.99], "fixed rule … comes to"
assert s > 4 * needed[0.99] - 1, "four times what it takes"
assert with_margin > 40, "so a loss that begins at about"
assert apart > 1000 > fp32_least, "which rounds to 0 in fp32"
assert apart_normed < fp32_least, (
    "With vectors of length 1 no logit lies further"
)
