r"""If queries and keys are independent, $\sqrt{d}$ keeps the logits alike; if
they are aligned, $d$ does.

Six small bar charts in two rows, each with a bar for 16, 64 and 256 dimensions.
Upper row, independent: undivided the spread of the logits doubles from bar to
bar, 4, 8, 16; divided by √d it is 1 each time; divided by d it halves. Lower
row, correlated by 0.3: undivided the logits grow fourfold from bar to bar,
divided by √d they double, and divided by d they are 0.3 each time. The level
bars are filled, the others pale.
"""

# %%
import numpy as np

rho = 0.3
dims = [16, 64, 256]
divisors = {"undivided": np.ones_like, "÷ √d": np.sqrt, "÷ d": np.copy}
d = np.array(dims, dtype=float)
# A sum of d terms: its noise grows like √d, its mean like d.
spread = {name: np.sqrt(d) / f(d) for name, f in divisors.items()}
size = {name: rho * d / f(d) for name, f in divisors.items()}

# %%
import matplotlib.pyplot as plt

fig, rows = plt.subplots(2, 3, figsize=(6.4, 4))
for row, values in zip(rows, [spread, size], strict=True):
    for axes, heights in zip(row, values.values(), strict=True):
        level = np.ptp(heights) < 1e-9
        tall = heights / heights.max() * (0.6 if level else 1)
        bars = axes.bar(range(3), tall, color="C2", alpha=1 if level else 0.35)
        axes.bar_label(bars, [f"{h:.3g}" for h in heights], padding=2)
        axes.set(ylim=(0, 1.25), yticks=[], xticks=range(3))
        axes.set_xticklabels(dims)
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
for axes, name in zip(rows[0], divisors, strict=True):
    axes.set_title(name)
rows[0, 0].set_ylabel("independent:\nspread")
rows[1, 0].set_ylabel("aligned:\nsize")
rows[1, 1].set_xlabel("dimension d")
plt.show()
