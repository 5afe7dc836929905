r"""Of all divisors only $\sqrt{d}$ keeps the spread of the scores level.

Lines that fan out to the right, one for each divisor of a score: undivided it
rises, by the logarithm a little less, by d it falls, by the root of d it is
level.
"""

# %%
import numpy as np

d = np.geomspace(4, 4096, 12)
divisors = {"1": 1, "log d": np.log(d), "√d": np.sqrt(d), "d": d}
spread = {name: np.sqrt(d) / divisor for name, divisor in divisors.items()}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(3.2, 1.8))
for name, colour in zip(spread, ["C1", "C3", "C0", "C2"], strict=True):
    line = spread[name] / spread[name][0]
    axes.loglog(d, line, colour, linewidth=2.5)
    axes.text(4900, line[-1], f"÷ {name}", color=colour, va="center")
axes.set(xlim=(4, 4096), xlabel="larger d →", ylabel="spread")
axes.minorticks_off()
axes.set(xticks=[], yticks=[])
plt.show()

# %% says
level = [name for name in spread if np.ptp(spread[name]) < 1e-9]
assert level == ["√d"], "Of all divisors only … the scores level"
end = {name: each[-1] / each[0] for name, each in spread.items()}
assert end["1"] > end["log d"] > 1 > end["d"], (
    "undivided it rises, by the logarithm a little less, by d it falls"
)
