r"""Turn $q$ by 90° to get $k$: the score is always 0, and $\|C\|_F^2$ in place
of $\mathrm{tr}(C^2)$ gives {= printed[90] :.0f }.

Two stacked panels. Above, three queries of different lengths and directions,
each with its key, which is the query turned by a quarter turn: all three pairs
stand at a right angle. Below, the mean square of the score against the angle
between a query and its key, from 0 to {= angles[-1] } degrees. The exact curve,
{= exact[0] :.0f } cos², falls from {= exact[0] :.0f } to 0 at 90 degrees and
rises again; simulated dots lie on it. The published formula gives a dashed
curve that meets it at 0 and {= angles[-1] } degrees and is above it elsewhere,
by {= printed[90] :.0f } at 90 degrees.
"""

# %%
import numpy as np
from moments import published, second_moment

rng = np.random.default_rng(0)
samples, one = 4000, np.eye(2)


def turn(degrees):
    """Return the matrix that turns the plane by an angle."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


# k = R q, so C = E[q kᵀ] = E[q qᵀ] Rᵀ = Rᵀ.
angles = list(range(0, 181, 3))
exact = {a: second_moment(one, one, turn(a).T) for a in angles}
printed = {a: published(one, one, turn(a).T) for a in angles}

simulated, standard_error = {}, {}
for angle in range(0, 181, 15):
    q = rng.standard_normal((samples, 2))
    square = np.sum(q * (q @ turn(angle).T), axis=1) ** 2
    simulated[angle] = square.mean()
    standard_error[angle] = square.std() / np.sqrt(samples)
quarter = turn(-90)  # (z₁, z₂) becomes (z₂, −z₁)

# %%
import matplotlib.pyplot as plt

fig, (pairs, curve) = plt.subplots(
    2, 1, figsize=(6.4, 6.4), height_ratios=[0.8, 1]
)
places = [((0.2, 0), (0.3, 1.1)), ((2.6, 0.6), (0.9, -0.5)), ((4.6, 0), (1, 1))]
for start, query in places:
    q, k = np.array(query), quarter @ query
    corner = 0.17 * np.array([q, q + k, k]) / np.hypot(*q) + start
    pairs.plot(*corner.T, color="C2", linewidth=1.2)
    for name, arrow, colour in [("q", q, "C0"), ("k", k, "C1")]:
        pairs.quiver(
            *start, *arrow, color=colour, angles="xy", scale_units="xy", scale=1
        )
        place = start + arrow * (1 + 0.14 / np.hypot(*arrow))
        pairs.text(*place, f"${name}$", ha="center", va="center", fontsize=16)
pairs.set(xlim=(-0.3, 6.1), ylim=(-1.25, 1.4), aspect="equal")
pairs.axis("off")

curve.plot(angles, exact.values())
curve.plot(angles, printed.values(), "--", color="C3")
curve.errorbar(
    simulated.keys(),
    simulated.values(),
    2 * np.array([*standard_error.values()]),
    fmt="o",
    color="C0",
)
curve.text(90, 5.4, r"published: $4 + 4\,\cos^2$", ha="center")
curve.text(90, 1.1, r"exact: $8\,\cos^2$", ha="center")
curve.set(xticks=range(0, 181, 45), ylim=(-0.3, 9))
curve.set(xlabel="degrees from q to k", ylabel="mean of (q·k)²")
plt.show()

# %% says
assert abs(exact[90]) < 1e-9, "the score is always 0"
curve = np.array([*exact.values()])
assert np.allclose(curve, 8 * np.cos(np.radians(angles)) ** 2), (
    "The exact curve, … cos², falls"
)
assert exact[90] < 1e-9, "falls from … to 0 at 90 degrees"
assert np.all(np.diff(curve[:31]) < 0), "falls from … to 0 at 90 degrees"
assert np.all(np.diff(curve[30:]) > 0), "and rises again; simulated dots"
excess = np.array([*printed.values()]) - curve
assert np.all(abs(excess[[0, -1]]) < 1e-9), "meets it at 0 and … degrees"
assert np.all(excess[1:-1] > 0.01), "and is above it elsewhere"
assert np.all(excess > -1e-9), "The published mean square is never too small"
