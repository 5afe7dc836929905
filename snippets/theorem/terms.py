r"""A key that follows its query straight on has a mean. At a right angle it
has none, and with $\rho = 1$ the middle term eats the baseline, so that the
score is always 0. The published formula adds it (dashed).

Three groups of horizontal bars, for angles of 0, 45 and 90 degrees between the
query and its key, in 4 dimensions. In each, three bars follow each other, every
one from where the last one ends: the baseline, always {= d }; the middle term,
which goes right at 0 degrees, vanishes at 45 and goes back to 0 at 90; and the
aligned term, which is long at 0 degrees and gone at 90. A dashed line marks the
published sum: it agrees at 0 degrees only.
"""

# %%
import numpy as np
from moments import published, second_moment

d, rho = 4, 1.0


def cross(degrees, rho, d):
    """Return C = E[q kᵀ] = ρR(θ): the same turn in each of d/2 planes."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return rho * np.kron(np.eye(d // 2), [[c, s], [-s, c]])


terms, total, printed = {}, {}, {}
for angle in (0, 45, 90):
    C, one = cross(angle, rho, d), np.eye(d)
    terms[angle] = [d, np.trace(C @ C), np.trace(C) ** 2]
    total[angle] = second_moment(one, one, C)
    printed[angle] = published(one, one, C)

# %%
import matplotlib.pyplot as plt

fig, groups = plt.subplots(3, 1, figsize=(6.4, 4.6), sharex=True)
for axes, angle in zip(groups, terms, strict=True):
    ends = np.cumsum(terms[angle])
    for row, (end, term, colour) in enumerate(
        zip(ends, terms[angle], ["C4", "C1", "C0"], strict=True)
    ):
        hatch = "///" if term < -1e-9 else ""
        axes.barh(
            -row, term, left=end - term, color=colour, alpha=0.7, hatch=hatch
        )
    axes.axvline(printed[angle], color="C3", linestyle="--")
    axes.set(title=f"{angle}°", yticks=[])
groups[2].set(xlabel="mean square of q·k, and its three terms", xlim=(0, 25))
plt.show()

# %% says
middle = {angle: terms[angle][1] for angle in terms}
assert middle[0] > 0, "which goes right at 0 degrees"
assert abs(middle[45]) < 1e-9, "45° the middle term is 0"
assert abs(middle[90] + d) < 1e-9, "the middle term eats the baseline"
assert abs(total[90]) < 1e-9, (
    "it takes all of the baseline away, so the size is 0"
)
assert printed[90] > d, "The published formula adds it"
assert abs(printed[0] - total[0]) < 1e-9, "A dashed line … agrees at 0 degrees"
for angle in (45, 90):
    assert printed[angle] > total[angle] + 1, "it agrees at 0 degrees only"
for angle in (0, 60, 89, 90, 91, 180):
    for n, share in ((2, 0.5), (256, 0.99)):
        one, turned = np.eye(n), cross(angle, rho, n)
        of = 0 if angle == 90 else share * second_moment(one, one, turned)
        assert np.isclose(np.trace(turned) ** 2, of, 0.01, 1e-9), (
            "and the last term takes over, unless the key stands at a right"
        )
dashed = [printed[angle] - d - terms[angle][2] for angle in terms]
assert np.ptp(dashed) < 1e-9, "is the same at every angle"
# What is said beside the slider, at its states.
for angle in (0, 45, 60, 90, 180):
    for r in (0, 0.01, 0.1, 1):
        for n in (2, 8, 128):
            small, large = cross(angle, r, n), cross(angle, r, 2 * n)
            turn = np.radians(angle)
            said = r**2 * n * np.cos(2 * turn), (r * n * np.cos(turn)) ** 2
            found = np.trace(small @ small), np.trace(small) ** 2
            assert np.allclose(found, said), "The three terms are then $d$, $"
            assert np.isclose(
                np.trace(large @ large), 2 * np.trace(small @ small)
            ), "Double $d$, and the first two terms double"
            assert np.isclose(np.trace(large) ** 2, 4 * np.trace(small) ** 2), (
                "while the last becomes four times as large"
            )
