r"""Compared with random weights $q\cdot k$ is larger because vectors are
longer, and a little because queries and keys share directions; in the median
head, which query meets which key adds nothing.

Four strips on a logarithmic axis, with a mark for each head and a thick one at
the median: the growth of q·k and of its three factors. That of the lengths is
nearly as large as that of q·k; that of the alignment is a little above 1; that
of the pairing is at 1.
"""

# %%
import numpy as np
from stored import medians, read

heads = read("heads.csv")
names = ["lengths", "alignment", "pairing"]
growth = {name: heads[f"{name}_growth"] for name in names}
growth["all"] = heads["growth"]
median, error = (
    {name: of["distinct"] for name, of in every.items()} for every in medians()
)
larger, lengths, alignment, pairing = (
    (median[name], error[name])
    for name in ("growth", *(f"{name}_growth" for name in names))
)
aligned, at_start = median["alignment"], median["start_alignment"]
d = 32
deviation = 0.02  # of the weights at the start
# The most that shared directions can give: all vectors on one line.
limit = d**0.5
# How much larger it is than with coordinates of variance 1, for which it is √d.
against_one = median["size"] / d**0.5

# %%
import matplotlib.pyplot as plt
from strips import name, strip

fig, axes = plt.subplots(figsize=(6.4, 3.4))
for row, factor in enumerate(["all", *names]):
    strip(axes, growth[factor], heads["layer"], -row, f"C{row}")
axes.set(xscale="log", xlabel="times as large as at a random start")
axes.set(xticks=[1, 2, 5, 10, 20, 50], xticklabels=[1, 2, 5, 10, 20, 50])
axes.axvline(1, color="C4", linestyle=":")
axes.minorticks_off()
name(axes, ["q·k (rms)", "lengths", "alignment", "pairing"])
plt.show()

# %% says
of_lengths = np.log(lengths[0]) / np.log(larger[0])
of_directions = np.log(aligned) / np.log(against_one)
sizes = medians()[0]["size"]
product_of_medians = lengths[0] * alignment[0] * pairing[0]
assert larger[0] > 8, "Compared with random weights … is … times as large"
assert of_lengths > 1 / 2, "Scores have grown because vectors are longer"
assert against_one > 1, "times as large as with coordinates of variance 1"
assert of_directions > 1 / 2, (
    "that is mostly because queries and keys share directions"
)
assert lengths[0] > alignment[0] > 1, (
    "is larger because vectors are longer, and a little because"
)
assert 1 < alignment[0] < 1.5, "that of the alignment is a little above 1"
assert abs(pairing[0] - 1) < 0.02, "which query meets which key adds nothing"
assert np.isclose(sizes["distinct"] / sizes["start"], larger[0], rtol=0.05), (
    "Over distinct pairs … times as large as with random weights"
)
assert abs(product_of_medians / larger[0] - 1) < 0.1, (
    "so their product is only roughly the first"
)

assert abs(pairing[0] - 1) < 0.02, "In the median head the pairing adds nothing"
in_lengths = against_one / aligned
assert 1 < in_lengths < aligned, "depends on what you compare with"

# Of the front page.
assert abs(pairing[0] - 1) < 0.02, "correlation is not the reason"
