r"""The weight gathers at $g = \sigma$, as long as there are keys that high.
Beyond $\sqrt{2\ln n}$ there are hardly any.

Two stacked panels against the level g, the score of a key in standard
deviations, for 4096 keys, on logarithmic vertical axes. Above, the expected
number of keys near each level: half a parabola, from about eight hundred at 0,
which falls to one a little above 3.5; a vertical line marks the edge,
{= edge :.1f }, where the count is down by the factor n. Below, what the keys of
each level weigh together, as a share of the peak, for σ = 1, 2, 4 and 8:
parabolas with their peaks at 1, 2, 4 and 8. The last peak lies far beyond the
edge, where its curve is dotted; left of the edge it only rises.
"""

# %%
import numpy as np
from scipy.stats import norm

n = 4096
edge = np.sqrt(2 * np.log(n))
g = np.linspace(0, 9, 901)
# Keys within a quarter of g.
keys = n * (norm.cdf(g + 0.25) - norm.cdf(g - 0.25))
one_left = np.interp(-1, -keys, g)

# n φ(g) e^{σg}, as a share of its value at the peak, g = σ.
spreads = [1, 2, 4, 8]
weight = {s: np.exp(-((g - s) ** 2) / 2) for s in spreads}

# %%
import matplotlib.pyplot as plt

fig, (count, share) = plt.subplots(2, 1, figsize=(6.4, 4.8), sharex=True)
count.semilogy(g, keys)
count.axhline(1, linestyle=":", color="C0")
count.text(8.9, 2, "one key", ha="right", color="C0")
count.axvline(edge, color="C3", linestyle="--")
count.text(edge + 0.1, 500, "the edge, √(2 ln n)", color="C3")
count.set(ylabel="keys at g", ylim=(1e-4, 3e3))
for s, colour in zip(spreads, ["C0", "C2", "C4", "C1"], strict=True):
    there = g <= edge
    share.semilogy(g[there], weight[s][there], color=colour)
    share.plot(g[~there], weight[s][~there], ":", color=colour)
    share.text(s + 0.2, 1.6, f"σ = {s}" if s > 1 else "σ = 1", color=colour)
share.axvline(edge, color="C3", linestyle="--")
share.set(ylabel="their weight, peak = 1", ylim=(1e-4, 8))
share.set(xlabel="level g of the score, in standard deviations")
plt.show()

# %% says
beyond = np.interp(edge, g, keys)
assert beyond < 1, "there are hardly any"
assert 750 < keys[0] < 850, "from about eight hundred at 0"
assert 3.5 < one_left < 3.8, "falls to one a little above 3.5"
peaks = [g[weight[s].argmax()] for s in spreads]
assert np.all(abs(np.array(peaks) - [1, 2, 4, 8]) < 0.01), (
    "parabolas with their peaks at 1, 2, 4 and 8"
)
assert peaks[-1] > edge + 3, "The last peak lies far beyond the edge"
assert np.all(np.diff(weight[8][g < edge]) > 0), (
    "left of the edge it only rises"
)
assert one_left < edge, "falls to one at …, before the edge at"
