r"""The weight gathers at $g = \sigma$, as long as there are keys that high. Few
of 512 are beyond 3, and none, as a rule, beyond
$\sqrt{2\ln n} = {= top :.1f }$.

Two stacked panels against the level g, the score of a key in standard
deviations, for 512 keys, on logarithmic vertical axes. Above, the expected
number of keys near each level: half a parabola, from about a hundred at 0,
which falls to one a little above 3; a vertical line marks √(2 ln n),
{= top :.1f }, where the count is down by the factor n. Below, what the keys of
each level weigh together, as a share of the peak, for σ = {= spreads[0] },
{= spreads[1] }, {= spreads[2] } and {= spreads[3] }: parabolas with their peaks
there. The last two peaks lie beyond the line, where their curves are dotted;
left of the line both only rise.
"""

# %%
import numpy as np
from gaussian_logits import mean_maximum
from scipy.stats import norm

n = 512
top = np.sqrt(2 * np.log(n))
g = np.linspace(0, 9, 901)
# Keys within a quarter of g, and beyond some levels.
keys = n * (norm.cdf(g + 0.25) - norm.cdf(g - 0.25))
one_left = np.interp(-1, -keys, g)
beyond = {level: n * norm.sf(level) for level in (0, 1, 2, 3, 4, 8)}

# n φ(g) e^{σg}, as a share of its value at the peak, g = σ.
spreads = [1, 2, 4, 8]
weight = {s: np.exp(-((g - s) ** 2) / 2) for s in spreads}

# The mean of the largest of n, and the first two terms of it.
best = mean_maximum(n)
two_terms = top - (np.log(np.log(n)) + np.log(4 * np.pi)) / (2 * top)
two_terms += np.euler_gamma / top

# %%
import matplotlib.pyplot as plt

fig, (count, share) = plt.subplots(2, 1, figsize=(6.4, 4.8), sharex=True)
count.semilogy(g, keys)
count.axhline(1, linestyle=":", color="C0")
count.text(8.9, 2, "one key", ha="right", color="C0")
count.axvline(top, color="C3", linestyle="--")
count.text(top + 0.1, 70, "√(2 ln n)", color="C3")
count.set(ylabel="keys at g, of 512", ylim=(1e-4, 1e3))
for s, colour in zip(spreads, ["C0", "C2", "C4", "C1"], strict=True):
    there = g <= top
    share.semilogy(g[there], weight[s][there], color=colour)
    share.plot(g[~there], weight[s][~there], ":", color=colour)
    share.text(s + 0.2, 1.6, f"σ = {s}" if s > 1 else "σ = 1", color=colour)
share.axvline(top, color="C3", linestyle="--")
share.set(ylabel="their weight", ylim=(1e-6, 20))
share.set(xlabel="level g of the score, in standard deviations")
plt.show()

# %% says
assert best < top < n, "The count is generous, as you see from the table"
assert beyond[3] < 1, "Few of 512 are beyond 3"
assert n * norm.sf(top) < 1 / 5, "Few of 512 are beyond 3, and none, as a rule"
assert 90 < keys[0] < 110, "from about a hundred at 0"
assert 3 < one_left < 3.2, "falls to one a little above 3"
peaks = [g[weight[s].argmax()] for s in spreads]
assert np.all(abs(np.array(peaks) - [1, 2, 4, 8]) < 0.01), (
    "parabolas with their peaks there"
)
assert peaks[1] < top < peaks[2] < peaks[3], (
    "The last two peaks lie beyond the line"
)
for s in (4, 8):
    assert np.all(np.diff(weight[s][g < top]) > 0), (
        "left of the line both only rise"
    )
assert abs(two_terms - best) < abs(top - best) / 10, "two terms give"
