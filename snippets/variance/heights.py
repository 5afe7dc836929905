r"""A range bounds the variance from above, but a wide range does not make it
large.

Three rows of dots along an axis of heights in feet. Class A: students spread
between {= classes['A'][0] :.1f } and {= classes['A'][-1] :.1f } feet. Class B:
students spread evenly between {= classes['B'][0] :.0f } and
{= classes['B'][-1] :.0f } feet. Class C: one student of
{= classes['C'][0] :.0f } feet, one of {= classes['C'][-1] :.0f } feet, and all
the others, a single dot, at exactly {= classes['C'][1] :.0f } feet. B and C
have the same range, yet C has the least variance of the three; each row states
its variance and the bound.
"""

# %%
import numpy as np

classes = {
    "A": np.linspace(5.0, 5.5, 11),
    "B": np.linspace(3.0, 7.0, 41),
    "C": np.array([3.0] + 998 * [5.0] + [7.0]),
}
count = {name: len(heights) for name, heights in classes.items()}
variance = {name: np.var(heights) for name, heights in classes.items()}
# Popoviciu's inequality: half of the students at each end is the worst there
# is.
bound = {name: np.ptp(heights) ** 2 / 4 for name, heights in classes.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots()
for place, (name, heights) in enumerate(classes.items()):
    height, students = np.unique(heights, return_counts=True)
    axes.plot(height, np.full(len(height), -place), "o", alpha=0.8)
    for i in np.flatnonzero(students > 1):
        axes.text(
            height[i] + 0.07, -place, f"{students[i]} students", va="center"
        )
    note = f"variance {variance[name]:.3g} ft², at most {bound[name]:.3g} ft²"
    axes.text(3, 0.3 - place, f"Class {name}: {note}")
axes.set(yticks=[], ylim=(-2.4, 0.6), xlabel="height (ft)")
axes.grid(axis="y", visible=False)
axes.spines["left"].set_visible(False)
plt.show()

# %% says
for name in classes:
    assert variance[name] <= bound[name], (
        "A range bounds the variance from above"
    )
assert bound["B"] == bound["C"], "B and C have the same range"
others = np.array([variance["A"], variance["B"]])
assert np.all(variance["C"] < others), (
    "yet C has the least variance of the three"
)
