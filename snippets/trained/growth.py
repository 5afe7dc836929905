r"""In the median head $q\cdot k$ is larger than with coordinates of variance 1
because queries and keys share directions, and because vectors are a little
longer. Lengths are what heads differ by. Which query of a sentence meets which
of its keys changes the size little.

Four strips on a logarithmic axis, with a mark for each head and a thick one at
the median: the size of q·k, and its three factors. The marks of the lengths
scatter as widely as those of q·k, from below a half to above five; those of the
alignment lie mostly above 1; those of the pairing lie close to 1.
"""

# %%
import numpy as np
from medians import medians
from stored import read

heads, terms = read("trained/heads.csv"), read("trained/terms.csv")
names = ["lengths", "alignment", "pairing"]
median, error = (
    {name: of["distinct"] for name, of in every.items()} for every in medians()
)
d = 32
# Each as a multiple of what coordinates of variance 1 give: lengths of √d.
times = {name: heads[name] for name in names}
times["lengths"] = heads["lengths"] / d**0.5
times["all"] = terms["size"][terms["pairs"] == "distinct"] / d**0.5
of_one = d**0.5  # the size of q·k with coordinates of variance 1
against_one = median["size"] / of_one
longer = median["lengths"] / d**0.5, error["lengths"] / d**0.5
aligned, paired = (
    (median[name], error[name]) for name in ("alignment", "pairing")
)
# The same, compared with random weights of this standard deviation.
deviation = 0.02
larger, lengths, alignment, pairing = (
    (median[name], error[name])
    for name in ("growth", *(f"{name}_growth" for name in names))
)
at_start = median["start_alignment"]
# The most that shared directions can give: all vectors on one line.
limit = d**0.5

# %%
import matplotlib.pyplot as plt
from strips import name, strip

fig, axes = plt.subplots(figsize=(6.4, 3.4))
for row, factor in enumerate(["all", *names]):
    strip(axes, times[factor], heads["layer"], -row, f"C{row}")
axes.set(xscale="log")
axes.set_xlabel("times as large as with coordinates of variance 1")
axes.set(xticks=[0.5, 1, 2, 5, 10], xticklabels=[0.5, 1, 2, 5, 10])
axes.axvline(1, color="C4", linestyle=":")
axes.minorticks_off()
name(axes, ["q·k (rms)", "lengths", "alignment", "pairing"])
plt.show()

# %% says
of_directions = np.log(aligned[0]) / np.log(against_one)
of_lengths = np.log(lengths[0]) / np.log(larger[0])
sizes = medians()[0]["size"]
product_of_medians = longer[0] * aligned[0] * paired[0]
scatter = {name: np.std(np.log(x)) for name, x in times.items()}
assert of_directions > 1 / 2, "because queries and keys share directions, and"
assert 1 < longer[0] < aligned[0], "and because vectors are a little longer"
assert scatter["lengths"] > 2 * scatter["alignment"] > 2 * scatter["pairing"], (
    "Lengths are what heads differ by"
)
assert abs(paired[0] - 1) < 0.02, "of its keys changes the size little"
assert abs(scatter["lengths"] / scatter["all"] - 1) < 0.2, (
    "scatter as widely as those of q·k"
)
assert times["lengths"].min() < 1 / 2, "from below a half to above five"
assert times["lengths"].max() > 5, "from below a half to above five"
assert np.mean(times["alignment"] > 1) > 0.9, "alignment lie mostly above 1"
assert np.ptp(times["pairing"]) < 0.4, "of the pairing lie close to 1"
assert np.isclose(against_one, sizes["distinct"] / of_one), (
    "so it is … times as large"
)
assert scatter["lengths"] > 2 * scatter["alignment"], (
    "heads differ from each other by their lengths above all"
)
assert 1 < longer[0] < aligned[0], (
    "vectors are a little longer, and more because queries and keys share"
)
assert abs(paired[0] - 1) < 0.02, "In the median head the pairing adds nothing"
assert larger[0] > 8, "with the small random weights … it is … times as large"
assert of_lengths > 1 / 2, "and most of that is length"
assert abs(product_of_medians / against_one - 1) < 0.1, (
    "so their product is only roughly the first"
)
assert np.isclose(sizes["distinct"] / sizes["start"], larger[0], rtol=0.05), (
    "Over distinct pairs … times as large as with random weights"
)

# Of the front page.
assert abs(pairing[0] - 1) < 0.02, (
    "which query meets which key is not the reason"
)
