r"""A second model, with another head size and rotary positions: in the median
head $C$ adds little to the mean square over distinct pairs, but single heads
lie far from 0. Part of that comes from the positions of the tokens alone.

Three curves that rise from 0 to 1: the share of heads in which C adds at most
so much of the mean square of q·k over distinct pairs. That of MiniLM is nearly
a step at 0. That of SmolLM2 rises slowly, from below −0.5 to above 0.3, and
crosses one half near 0. A third one, for pairs at the same positions of two
sentences in SmolLM2, lies between the two.
"""

# %%
import numpy as np
from medians import medians
from stored import read, source

terms, heads = read("trained/terms.csv"), read("trained/smollm_heads.csv")
# Medians over the heads, by kind of pairs.
median, error = medians("trained/smollm_medians.csv")
size, baseline, means, C = (
    median[name] for name in ("size", "baseline", "means", "C")
)
over_distinct = C["distinct"], error["C"]["distinct"]
table = [
    ("distinct", "distinct"),
    ("at the same positions of two sentences", "elsewhere"),
    ("re-paired over the whole text", "re-paired"),
    ("attended", "attended"),
    ("attended, null model", "null"),
]
largest_error = max(
    error[part][kind]
    for part in ("baseline", "means", "C")
    for _, kind in table
)
scale = read("trained/smollm_scale.csv")
about = source("trained/smollm_heads.csv")
nats, nats_error = (
    dict(zip(map(str, scale["scale"]), scale[what], strict=True))
    for what in ("nats", "nats_error")
)
as_trained = nats["1/√d"], nats_error["1/√d"]
# What the next token costs more, at more scales: factors of its own.
tried = read("trained/smollm_factors.csv")
dearer = {
    factor: (tried["cost"][at], tried["cost_error"][at])
    for factor in (0.5, 2)
    for at in np.flatnonzero(tried["factor"] == factor)
}
is_near = np.abs(tried["factor"] - 1) < 0.2  # a fifth
near = np.ceil(100 * np.abs(tried["cost"][is_near]).max()) / 100
C_of_heads = {
    "MiniLM": terms["C"][terms["pairs"] == "distinct"],
    "SmolLM2, two sentences": heads["elsewhere_C"],
    "SmolLM2": heads["distinct_C"],
}
in_minilm, by_positions, beyond = (
    np.mean(abs(x) > 0.1) for x in C_of_heads.values()
)
typical = {name: np.median(abs(x)) for name, x in C_of_heads.items()}
together = np.corrcoef(heads["distinct_C"], heads["elsewhere_C"])[0, 1]
layer = heads["layer"]
count, layers, d = len(layer), len(set(layer)), 64
per_layer = count // layers
spread, first = np.median(heads["row_sd"]), np.median(heads["first"])
# C over attended pairs and in the null model, both as shares of the attended
# mean square, in the two halves of the layers.
ratio = (heads["null_size"] / heads["attended_size"]) ** 2
attended, null = heads["attended_C"], heads["null_C"] * ratio
halves = {"0 to 14": layer < layers / 2, "15 to 29": layer >= layers / 2}
of_half = {name: np.median(attended[rows]) for name, rows in halves.items()}
null_of_half = {name: np.median(null[rows]) for name, rows in halves.items()}
negative_in = {
    name: np.mean(attended[rows] < 0) for name, rows in halves.items()
}
flat = nats["1/d"] - as_trained[0]
formula = median["formula"]["distinct"]
by_selection, negative = np.median(null), np.mean(attended < 0)
re_paired = np.abs(heads["distinct_size"] / heads["re-paired_size"] - 1)
resized = np.mean(re_paired > 0.05)
early, late = (
    np.median(heads["distinct_C"][rows])
    for rows in (layer < layers / 2, layer >= layers / 2)
)
sentences, tokens = int(about["sentences"]), int(about["tokens"])
fewer = int(source("trained/smollm_scale.csv")["sentences"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 4.4))
for (name, x), style in zip(C_of_heads.items(), (":", "--", "-"), strict=True):
    axes.ecdf(x, label=name.replace(", ", ",\n"), linestyle=style)
axes.axvline(0, color="C4", linestyle=":", linewidth=1)
axes.set(xlim=(-1, 1), xticks=[-1, -0.5, 0, 0.5, 1], yticks=[0, 0.5, 1])
axes.set_xlabel("share of C in the mean square of q·k, distinct pairs")
axes.set_ylabel("share of heads up to it")
axes.legend(loc="upper left")
plt.show()

# %% says
trained = C_of_heads["SmolLM2"]
means_in_minilm = medians()[0]["means"]["distinct"]
others = [cost for name, cost in nats.items() if name != "1/√d"]
assert abs(C["distinct"]) < 0.02, "in the median head $C$ adds little"
assert np.median(abs(trained)) > 0.1, "but single heads lie far from 0"
assert together > 0.5, "Part of that comes from the positions of the tokens"
assert trained.min() < -0.5 < 0.3 < trained.max(), (
    "rises slowly, from below … to above"
)
assert abs(np.median(trained)) < 0.02, "and crosses one half near 0"
assert in_minilm < by_positions < beyond, (
    "two sentences in SmolLM2, lies between the two"
)
assert means["distinct"] > 2 * baseline["distinct"], (
    "Baseline and means make the size, the means"
)
assert means["distinct"] > means_in_minilm, "the means even more than in MiniLM"
assert abs(size["re-paired"] / size["distinct"] - 1) < 1 / 20, (
    "the median size stays within a twentieth"
)
assert np.mean(re_paired > 1 / 20) > 0.7, "In single heads the size does change"
assert spread > 1, "The spread of a row is again above 1 in the median head"
assert len(nats) == 4, "Of four very different scales"
assert as_trained[0] + 5 * as_trained[1] < min(others), (
    r"very different scales $1/\sqrt d$ is by far the best"
)
for cost, its_error in dearer.values():
    assert cost > 5 * its_error, "half the scale costs … more, twice the scale"
halved, doubled = (cost for cost, _ in dearer.values())
its_error = max(error for _, error in dearer.values())
assert abs(halved - doubled) < its_error, "more, twice the scale as much"
assert np.all(tried["cost"] >= -2 * tried["cost_error"]), (
    "Again no scale that we tried is measurably better than"
)
assert np.sum(is_near) == 3, "At scales up to a fifth away from its own"
assert np.mean(re_paired > 1 / 20) > 1 / 2, (
    "though here in … of the heads it changes by more than that"
)
assert null_of_half["0 to 14"] < of_half["0 to 14"] / 5, (
    "In the first half of SmolLM2's layers it has less than a fifth"
)
left, right = (np.mean(side > 0.1) for side in (-trained, trained))
assert min(left, right) > 0.2, "because heads lie far from 0 on either side"
assert in_minilm < 0.2, "a step at 0: most of its heads have hardly any $C$"
assert beyond > 1 / 2, "would be wrong of a typical head"
assert trained.min() < 0 < trained.max(), (
    "That median hides heads with either sign"
)
assert np.median(abs(trained)) > 0.1 > np.median(abs(C_of_heads["MiniLM"])), (
    "takes away more than … of the mean square, in MiniLM"
)
assert early > 0 > late, (
    "In the first half of … it tends to add … in the second half to take away"
)
assert by_positions < beyond, "Part of that has nothing to do with a match"
assert by_selection < C["attended"] / 3, "and selection by chance gives only"
assert of_half["0 to 14"] > 5 * null_of_half["0 to 14"], (
    "first half of the layers chance does not explain"
)
assert of_half["15 to 29"] < null_of_half["15 to 29"], (
    "In the second half there is no excess over chance"
)
assert of_half["15 to 29"] < null_of_half["15 to 29"], (
    "In the second half it is the other way round"
)
assert 0.9 < formula < 1.1, "Over distinct pairs the formula gives"
assert 2 * sentences == int(source("trained/heads.csv")["sentences"]), (
    "The text is half of the sentences"
)
