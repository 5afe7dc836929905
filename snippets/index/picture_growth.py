"""Whatever the divisor, logits grow without end; a bound holds them.

Two rising lines, for the divisors √d and d, and one that turns level.
"""

# %%
import numpy as np

d, step = 64, 0.01
t = np.geomspace(200, 3000, 30)
moved = d * (step * t) ** 2  # both q and k move by one step in each dimension
logit = {name: moved / s for name, s in {"√d": d**0.5, "d": d}.items()}
bound = 200
bounded = bound * np.tanh(logit["√d"] / bound)

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
for place, (name, line) in enumerate(logit.items()):
    colour = ("C0", "C2")[place]
    axes.loglog(t, line, color=colour, linewidth=2.5)
    axes.text(3300, line[-1], f"÷ {name}", color=colour, va="center")
axes.loglog(t, bounded, color="C3", linewidth=2.5)
axes.text(3300, bounded[-1], "bound", color="C3", va="center")
axes.set(xlim=(200, 3000), xlabel="training →", ylabel="logit")
axes.minorticks_off()
axes.set(xticks=[], yticks=[])
plt.show()

# %% says
assert all(np.all(np.diff(line) > 0) for line in logit.values()), (
    "Whatever the divisor, logits grow"
)
assert bounded[-1] - bounded[-5] < 1e-6, "and one that turns level"
