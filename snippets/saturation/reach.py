r"""What collapses is the weight of a key, in the geometric mean. The output's
gradient grows instead: in the root mean square at any number of keys drawn, in
the median from {= larger_from[64] } keys on at 64 dimensions and from
{= larger_from[256] } at 256.

Two stacked panels against the number of keys, from {= counts[0] } to
{= counts[-1] :, }. Above, on a logarithmic axis, the geometric mean of a
key's weight: 1/n up to a constant for divided scores; for undivided scores of
64 dimensions lower by five powers of ten at 16 keys and by eight at 512. Below,
the gradient
of the attention output with respect to the query, undivided over divided, on
logarithmic axes. The root mean square ratio, for 64 and for 256 dimensions, is
above 1 everywhere and rises to hundreds. The ratio of the medians, which leave
out the small part along the query, starts far below 1, exceeds it from
{= larger_from[64] } keys on for 64 dimensions and from {= larger_from[256] }
for 256, and then approaches the first ratio.
"""

# %%
from functools import cache

import numpy as np
from gaussian_logits import mean_log_sum, mean_power_sum, output_gradient
from largest_keys import draw_evenly, every_three, jacobian_norm

counts = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 512, 4096, 65536]
typical = {s: {n: np.exp(-mean_log_sum(n, s)) for n in counts} for s in (1, 8)}


heads = [64, 128, 256]


@cache
def medians(n):
    """Return the median of ‖J‖ for each spread, 1 and the roots of `heads`."""
    top = draw_evenly(n, power=14) if n != 3 else every_three(400)
    spreads = [1, *np.sqrt(heads)]
    return {s: np.median(jacobian_norm(top, n, s)) for s in spreads}


def ratio_of_medians(n, root):
    """Return the median ‖∂o/∂q‖, undivided over divided, without ‖Jg‖²."""
    return root * medians(n)[root] / medians(n)[1]


rms_ratio, median_ratio, larger_from = {}, {}, {}
# The numbers of keys between which the medians cross.
for d, pair in zip(heads, [(6, 7), (13, 14), (34, 35)], strict=True):
    root = np.sqrt(d)
    rms_ratio[d] = {
        n: output_gradient(n, d, 1) / output_gradient(n, d, root)
        for n in counts
    }
    median_ratio[d] = {n: ratio_of_medians(n, root) for n in counts}
    if ratio_of_medians(pair[0], root) < 1 < ratio_of_medians(pair[1], root):
        larger_from[d] = pair[1]
# Of the ratio, √d is the factor 1/s. And o itself is larger: E‖o‖² = d_v E Σp².
same_key = {s: mean_power_sum(512, s, 2) for s in (1, 8)}
rms_relative = rms_ratio[64][512] * np.sqrt(same_key[1] / same_key[8])

# %%
import matplotlib.pyplot as plt

fig, (weight, ratio) = plt.subplots(2, 1, figsize=(6.4, 5.4), sharex=True)
weight.loglog(counts, typical[1].values())
weight.plot(counts, typical[8].values(), color="C1")
weight.text(300, 3e-2, "÷ √d", color="C0")
weight.text(64, 3e-7, "undivided, d = 64", color="C1")
weight.set(ylabel="weight of a key", yticks=[1, 1e-6, 1e-12, 1e-18])
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
ratio.set(ylabel="undivided ÷ divided", ylim=(0.002, 2000))
ratio.set(xlabel="number of keys n", xticks=[2, 16, 64, 512, 4096, 65536])
ratio.set_xticklabels(["2", "16", "64", "512", "4096", "65,536"])
ratio.minorticks_off()
plt.show()

# %% says
powers = {n: np.log10(typical[1][n] / typical[8][n]) for n in counts}
assert min(powers.values()) > 1, (
    "What collapses is the weight of a key, in the geometric mean"
)
for d in (64, 256):
    ratios = np.array([*rms_ratio[d].values()])
    assert min(ratios) > 1, (
        "gradient grows instead: in the root mean square at any number of"
    )
    assert np.all(np.diff(ratios) > 0), "is above 1 everywhere and rises"
    assert median_ratio[d][2] < 1 / 10 < 1 < median_ratio[d][65536], (
        "the small part along the query, starts far below 1, exceeds it from"
    )
    for n, ratio in median_ratio[d].items():
        assert (ratio > 1) == (n >= larger_from[d]), (
            "in the median from … keys on at 64 dimensions and from … at 256"
        )
    near = {n: median_ratio[d][n] / rms_ratio[d][n] for n in counts}
    assert abs(near[65536] - 1) < abs(near[64] - 1), (
        "and then approaches the first ratio"
    )
assert min(rms_ratio[64][65536], rms_ratio[256][65536]) > 100, (
    "for 64 and for 256 dimensions, is above 1 everywhere and rises to hundreds"
)
assert round(powers[16]) == 5, "lower by five powers of ten at 16 keys"
assert round(powers[512]) == 8, "of ten at 16 keys and by eight at 512"
for n in counts:
    assert typical[8][n] < typical[1][n] / 10, (
        "The weight of a key does, unless it is among the best"
    )
assert 1 / 2 < 512 * typical[1][512] < 1, "for 512 keys, not far from 1/512"
assert typical[np.sqrt(64)][512] < typical[1][512], (
    "Undivided, at d_k = 64, it is"
)
for n in counts:
    if n > 7:
        assert median_ratio[64][n] > 1, (
            "It hears from the few keys that won, and from them it hears a lot"
        )
    for d in rms_ratio:
        assert rms_ratio[d][n] > 1, (
            "root mean square the undivided gradient is the larger at every"
        )
assert np.sqrt(64) == 8 < rms_ratio[64][512], "of this … is worth 8"
assert abs(rms_relative / 8 - 1 / 3) < 0.05, (
    "with the 8 undone a third of what it is with the divisor"
)
assert same_key[8] > same_key[1], "The output is larger as well"
assert median_ratio[64][6] < 1 < median_ratio[64][8], (
    "In the median the undivided gradient is smaller for a handful of keys"
)

# Of the questions.
assert typical[np.sqrt(64)][512] < 1e-9, (
    "But most keys do get almost none: at 512 keys a key has"
)
