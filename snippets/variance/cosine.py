r"""In many dimensions most directions are nearly at right angles to a query:
the cosine of the angle has standard deviation $1/\sqrt{d}$.

Three fans of lines, for 3, 64 and 1024 dimensions. In each an arrow to the
right is the query, and forty lines from the same point are keys of random
direction, at their true angles to it. For 3 dimensions they fill the half
circle. For 64 they stand within about twenty degrees of the vertical, and for
1024 they are a thin upright bundle.
"""

# %%
import numpy as np
from scipy.stats import beta

share = (np.arange(40) + 0.5) / 40  # of all keys, to draw forty of them
dims = [3, 64, 1024]
angle, sd, middle = {}, {}, {}
for d in dims:
    # For a random direction (1 + cos)/2 has this distribution.
    law = beta((d - 1) / 2, (d - 1) / 2)
    angle[d] = np.degrees(np.arccos(2 * law.ppf(share) - 1))
    sd[d] = 2 * law.std()  # of the cosine
    middle[d] = np.degrees(np.arccos(2 * law.ppf([0.975, 0.025]) - 1))
from_degrees, to_degrees = middle[64]  # 95% of all angles

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 1.5))
for place, (d, degrees) in enumerate(angle.items()):
    start = [0, 2.2, 4.1][place]
    turned = np.radians(degrees)
    axes.plot(
        [np.full(40, start), start + np.cos(turned)],
        [np.zeros(40), np.sin(turned)],
        color="C1",
        linewidth=1,
        alpha=0.6,
    )
    arrow = {"arrowstyle": "-|>", "color": "C0", "linewidth": 3}
    axes.annotate("", (start + 1.05, 0), (start - 0.04, 0), arrowprops=arrow)
    axes.text(start + 0.75, -0.05, "$q$", va="top", ha="center")
    axes.text(start - 0.15, -0.06, f"d = {d}", va="top", ha="center")
axes.set(xlim=(-1.02, 5.2), ylim=(-0.35, 1.02), aspect="equal")
axes.axis("off")
plt.show()

# %% says
for d in sd:
    assert np.isclose(sd[d], 1 / np.sqrt(d)), (
        "the cosine of the angle has standard deviation"
    )


def inside(d):
    """Return the share of directions between the two angles."""
    half = (1 + np.cos(np.radians(middle[d]))) / 2
    return -np.diff(beta((d - 1) / 2, (d - 1) / 2).cdf(half))


assert np.isclose(inside(64), 0.95), "At 64 dimensions 95% of all random"
assert angle[3].max() > 150 > 30 > angle[3].min(), "they fill the half circle"
assert np.all(abs(angle[64] - 90) < 20), "within about twenty degrees of the"
assert np.all(abs(angle[1024] - 90) < 5), "they are a thin upright bundle"
