r"""The same queries, with three keys each. With the copy no score is negative;
with the swapped key they have either sign; with the turned one all are 0.

Three square panels side by side, one for each key. In each, {= samples } dots
stand at the same places, where queries of two Gaussian numbers point. The area
of a dot is the size of the score; filled dots are positive, rings negative. In
the first panel all dots are filled and grow with their distance from the
middle. In the second, filled dots lie in two opposite quarters and rings in the
other two. In the third there are only specks, which mark the places.
"""

# %%
import numpy as np
from moments import published, second_moment

samples = 120
z = np.random.default_rng(4).standard_normal((samples, 2))
scores = {
    "copy": np.sum(z * z, axis=1),
    "swapped": np.sum(z * z[:, ::-1], axis=1),
    "turned": np.sum(z * z[:, ::-1] * [1, -1], axis=1),
}
# C = E[q kᵀ] of each: the copy is (z₁, z₂), the swapped key (z₂, z₁) and the
# turned one (z₂, −z₁).
tables = {
    "copy": np.array([[1, 0], [0, 1]]),
    "swapped": np.array([[0, 1], [1, 0]]),
    "turned": np.array([[0, -1], [1, 0]]),
}
one = np.eye(2)
rows = [
    (
        name,
        np.trace(one @ one),
        np.trace(C @ C),
        np.trace(C) ** 2,
        second_moment(one, one, C),
        published(one, one, C),
    )
    for name, C in tables.items()
]
turned_published, swapped_square = rows[2][-1], rows[1][-2]

# %%
import matplotlib.pyplot as plt

fig, panels = plt.subplots(1, 3, figsize=(6.4, 2.6))
for axes, (name, score) in zip(panels, scores.items(), strict=True):
    for sign, colour in [(1, "C0"), (-1, "C1"), (0, "C4")]:
        here = np.sign(score) == sign
        axes.scatter(
            *z[here].T,
            s=2 + 22 * abs(score[here]),
            facecolor="none" if sign < 0 else colour,
            edgecolor=colour,
            linewidth=1.2,
            alpha=0.7,
        )
    axes.set(title=name, xlim=(-3.4, 3.4), ylim=(-3.4, 3.4), aspect="equal")
    axes.set(xticks=[], yticks=[], xlabel="$z_1$")
panels[0].set_ylabel("$z_2$")
plt.show()

# %% says
assert scores["copy"].min() >= 0, "With the copy no score is negative"
signs = set(np.sign(scores["swapped"]))
assert signs == {-1, 1}, "with the swapped key they have either sign"
assert np.all(scores["turned"] == 0), "with the turned one all are 0"
quarters = np.sign(z[:, 0] * z[:, 1])
assert np.array_equal(np.sign(scores["swapped"]), quarters), (
    "filled dots lie in two opposite quarters and rings in"
)
_, first, middle, last, size, printed = zip(*rows, strict=True)
assert np.allclose(last, [2**2, 0, 0]), "the mean of the score: 2, 0 and 0"
assert middle[1] > 0 > middle[2], "the swapped key gains, and the turned one"
assert middle[2] == -first[2], "and the turned one loses all that it had"
assert size[1] == 2 * first[1], "twice the $d = 2$ of an independent key"
assert size[2] == 0 < printed[2], "for a score that is never anything but 0"
