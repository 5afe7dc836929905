r"""Three exact measures of the gradient. By one of them large scores make it
larger, from a few dozen keys on; by the other two they make it smaller.

Three stacked panels against the number of keys, from 2 to 65,536, with one
curve for divided and one for undivided scores of 64 dimensions. Above, the root
mean square norm of the Jacobian: from three keys on the divided curve falls
towards 0; the undivided one rises to {= norm[8][65536] :.1f } and is the higher
one beyond a few dozen keys. In the middle, the trace: the divided curve rises
to 1, the undivided one from less than a tenth to a half. Below, the change of
the output in proportion to its size: the two look much as they do in the
middle, with the undivided curve between {= relative[8][2] :.2f } and
{= relative[8][65536] :.2f }.
"""

# %%
import numpy as np
from gaussian_logits import jacobian_square, mean_power_sum, trace

counts = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 512, 4096, 65536]
norm, own, relative = {}, {}, {}
for s in (1, 8):
    square = {n: jacobian_square(n, s) for n in counts}
    norm[s] = {n: np.sqrt(square[n]) for n in counts}
    own[s] = {n: trace(n, s) for n in counts}
    # For independent values: the mean square of V'J over that of V'p.
    relative[s] = {
        n: np.sqrt(square[n] / mean_power_sum(n, s, 2)) for n in counts
    }

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(3, 1, figsize=(6.4, 5.1), sharex=True)
labels = ["norm ‖J‖", "trace of J", "relative"]
for axes, measure, label in zip(
    panels, [norm, own, relative], labels, strict=True
):
    axes.semilogx(counts, measure[1].values())
    axes.plot(counts, measure[8].values(), color="C1")
    axes.set(ylabel=label, ylim=(0, 1.05))
panels[0].set(ylim=(0, 0.5))
panels[1].text(20, 0.7, "÷ √d", color="C0")
panels[1].text(300, 0.15, "undivided, d = 64", color="C1")
panels[2].set(xlabel="number of keys n", xticks=[2, 16, 64, 512, 4096, 65536])
panels[2].set_xticklabels(["2", "16", "64", "512", "4096", "65,536"])
panels[2].minorticks_off()
plt.show()

# %% says
change = {n: norm[8][n] / norm[1][n] for n in counts}
assert norm[np.sqrt(64)][3] < norm[1][3], "undivided scores of 64 dimensions"
assert change[512] > 1, "For 512 the first rises"
assert change[16] < 1 < change[48], "make it larger, from a few dozen keys on"
falling = [norm[1][n] for n in counts if n >= 3]
assert np.all(np.diff(falling) < 0), "keys on the divided curve falls towards 0"
assert np.all(np.diff([*norm[8].values()]) > 0), "the undivided one rises to"
assert change[24] < 1 < change[48], "the higher one beyond a few dozen keys"
traces = [*own[8].values()]
assert np.all(np.diff([*own[1].values()]) > 0), (
    "trace: the divided curve rises to 1"
)
assert traces[0] < 1 / 10, "the undivided one from less than a tenth"
assert abs(traces[-1] - 1 / 2) < 0.03, "less than a tenth to a half"
assert np.all(np.diff([*relative[8].values()]) > 0), (
    "with the undivided curve between"
)
assert own[8][512] < own[1][512], (
    "Where fewer keys take part, it falls, and so it does for 512 keys"
)
assert norm[8][512] > norm[1][512], (
    "it is undivided scores that have more of it"
)
for measure in (norm, own, relative):
    assert measure[8][3] < measure[1][3], "For three keys all of them fall"
for measure in (own, relative):
    for n in counts:
        assert measure[8][n] < measure[1][n], (
            "by the other two they make it smaller"
        )
        assert measure[8][n] < measure[1][n], (
            "The next two fall at every number of keys"
        )
    assert measure[8][512] > measure[1][512] / 3, (
        "but for 512 they keep more than a third"
    )
    assert measure[8][512] < measure[1][512] * 0.4, (
        "at every number of keys, but for 512 they keep more than"
    )
