"""At a right angle the score is always 0; the published formula does
not see it.

The mean square of a score against the angle from query to key, from 0 to 180
degrees: the exact curve falls to 0 at 90 degrees, the published one to half its
height. The gap between them is filled.
"""

# %%
import numpy as np

angle = np.radians(np.linspace(0, 180, 31))
d = 2  # C = R(θ), with tr C = d cos θ and tr C² = d cos 2θ
exact = d + d * np.cos(2 * angle) + (d * np.cos(angle)) ** 2
published = d + d + (d * np.cos(angle)) ** 2

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
axes.fill_between(angle, exact, published, color="C3", alpha=0.25)
axes.plot(angle, published, "C3--", linewidth=2)
axes.plot(angle, exact, "C0", linewidth=2.5)
axes.text(np.pi / 2, 6, "published", color="C3", ha="center")
axes.text(np.pi / 2, 2, "exact", color="C0", ha="center")
axes.set(xlim=(0, np.pi), ylim=(0, 8.3), yticks=[], ylabel="mean square")
axes.set_xticks([0, np.pi / 2, np.pi], ["0°", "90°", "180°"])
plt.show()

# %% says
right = len(angle) // 2
assert np.isclose(angle[-1], np.radians(180)), "from 0 to 180 degrees"
assert np.isclose(angle[right], np.radians(90)), "falls to 0 at 90 degrees"
assert exact[right] < 1e-9, "the exact curve falls to 0 at 90 degrees"
assert np.isclose(published[right], published[0] / 2), (
    "the published one to half its height"
)
