r"""What collapses is the weight of a typical key. The output's gradient grows
instead: in the root mean square at any number of keys, in the median beyond a
handful (7 at 64 dimensions, 34 at 256).

Two stacked panels against the number of keys, from 2 to 65,536. Above, on a
logarithmic axis down to 10^−18, the typical weight of a key: 1/n up to a
constant for divided scores; for bare scores of 64 dimensions lower by five
powers of ten at 16 keys and by eight at 512. Below, the gradient of the
attention output with respect to the query, bare over divided, on logarithmic
axes. The root mean square ratio, for 64 and for 256 dimensions, is above 1
everywhere and rises to hundreds. The ratio of the medians starts far below 1,
crosses 1 at 7 keys for 64 dimensions and at 34 for 256, and then joins it.
"""

# %%
import numpy as np
from gaussian_logits import mean_log_sum, mean_power_sum, output_gradient
from largest_keys import draw_evenly, every_three, jacobian_norm

counts = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 512, 4096, 65536]
typical = {s: {n: np.exp(-mean_log_sum(n, s)) for n in counts} for s in (1, 8)}


def ratio_of_medians(n, root):
    """Return the bare median of ‖∂o/∂q‖ over the divided one, without ‖Jg‖²."""
    top = draw_evenly(n) if n != 3 else every_three()
    bare, divided = (np.median(jacobian_norm(top, n, s)) for s in (root, 1))
    return root * bare / divided


rms_ratio, median_ratio, crossing = {}, {}, {}
# The numbers of keys between which the medians cross.
for d, pair in [(64, (6, 7)), (128, (13, 14)), (256, (34, 35))]:
    root = np.sqrt(d)
    rms_ratio[d] = {
        n: output_gradient(n, d, 1) / output_gradient(n, d, root)
        for n in counts
    }
    median_ratio[d] = {n: ratio_of_medians(n, root) for n in counts}
    around = np.log([ratio_of_medians(n, root) for n in pair])
    crossing[d] = np.interp(0, around, pair)
# Of the ratio, √d is the factor 1/s. And o itself is larger: E‖o‖² = d_v E Σp².
same_key = {s: mean_power_sum(512, s, 2) for s in (1, 8)}
rms_relative = rms_ratio[64][512] * np.sqrt(same_key[1] / same_key[8])

# %%
import matplotlib.pyplot as plt

fig, (weight, ratio) = plt.subplots(2, 1, figsize=(6.4, 5.4), sharex=True)
weight.loglog(counts, typical[1].values())
weight.plot(counts, typical[8].values(), color="C1")
weight.text(300, 3e-2, "÷ √d", color="C0")
weight.text(64, 3e-7, "bare, d = 64", color="C1")
weight.set(ylabel="typical weight", yticks=[1, 1e-6, 1e-12, 1e-18])
for d, colour in [(64, "C1"), (256, "C3")]:
    ratio.loglog(
        counts, rms_ratio[d].values(), color=colour, label=f"rms, d = {d}"
    )
    label = f"median, d = {d}"
    ratio.plot(
        counts, median_ratio[d].values(), "--", color=colour, label=label
    )
ratio.axhline(1, color="C4", linestyle=":")
ratio.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
ratio.set(ylabel="bare ÷ divided", ylim=(0.002, 2000))
ratio.set(xlabel="number of keys n", xticks=[2, 16, 64, 512, 4096, 65536])
ratio.set_xticklabels(["2", "16", "64", "512", "4096", "65,536"])
ratio.minorticks_off()
plt.show()
