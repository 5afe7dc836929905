r"""Compared with random weights $q\cdot k$ is larger because vectors are
longer, and a little because queries and keys share directions; which query
meets which key adds nothing.

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
now = {name: heads[name] for name in names}
product = np.prod([growth[name] for name in names], axis=0)
median, error = (every["distinct"] for every in medians())
d, deviation = 32, 0.02  # of the weights at the start
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
