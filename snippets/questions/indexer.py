r"""Whichever key wins where ReLUs of two heads are added wins with any factor;
where exponentials are added, the factor decides.

The sum over two heads for a key with logits of {= high } and {= low }, divided
by that of a key with {= one } and {= other }, against the factor from
{= times[0] :.3f } to {= times[-1] :.0f }. Of ReLUs it is level at
{= of_relus :.2f }. Of exponentials it is first {= of_exponentials[0] :.2f }
and at last {= of_exponentials[-1] :.2f }, and passes a dashed line at 1 with a
factor of {= crossing :.2f }.
"""

# %%
import numpy as np
from scipy import optimize

heads, d, n, chosen = 64, 128, 4096, 512
factor = heads**-0.5 * d**-0.5  # what DeepSeek's code multiplies by
# In a row, ReLU of q·k with variance d varies by d (½ − 1/2π); 64 such terms
# are weighed by numbers of variance 1, and added.
of_relu = 1 / 2 - 1 / (2 * np.pi)
spread = {"bare": np.sqrt(heads * d * of_relu)}
spread["scaled"] = spread["bare"] * factor
spread["without ReLU"] = np.sqrt(heads * d) * factor
# How many keys a softmax of these would take in, for a loss that compares it
# with attention; and where it freezes to one key.
taking_part = n * np.exp(-(spread["scaled"] ** 2))
frozen = np.sqrt(2 * np.log(n))

rng = np.random.default_rng(57)
q, k = rng.standard_normal((heads, d)), rng.standard_normal((n, d))
weights = rng.standard_normal(heads)


def best(by):
    """Return which keys are chosen, with the scores multiplied first."""
    score = weights @ np.maximum(by * (q @ k.T), 0)
    return set(np.argsort(score)[-chosen:].tolist())


same = len(best(1) & best(factor))

# Exponentials that are added over two heads: the factor decides the order.
high, low, one, other = 3, 0, 2, 1.9
added = {
    by: [
        np.exp(by * np.array(each)).sum()
        for each in ([high, low], [one, other])
    ]
    for by in (1, 1 / 8)
}

# The same against the factor, as a share of what the other key gets.
times = np.linspace(1 / 8, 1, 50)


def of(factor):
    """Return the first key's sum of exponentials divided by the second's."""
    first = np.exp(factor * high) + np.exp(factor * low)
    return first / (np.exp(factor * one) + np.exp(factor * other))


of_exponentials = of(times)
of_relus = (high + low) / (one + other)
crossing = optimize.brentq(lambda factor: of(factor) - 1, 1 / 8, 1)

# Bits of a random projection (LSH): the same signs.
planes = rng.standard_normal((16, d))
bits = np.mean(np.sign(planes @ q.T) == np.sign(planes @ (factor * q).T))

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.4))
axes.plot(times, of_exponentials, "C1")
axes.plot(times, np.full(len(times), of_relus), "C0")
axes.axhline(1, color="C5", linestyle="--")
axes.text(0.75, 1.35, "exponentials added", color="C1", ha="right")
axes.text(
    0.98, of_relus - 0.03, "ReLUs added", color="C0", ha="right", va="top"
)
axes.set(xlabel="factor in front of the logits", ylim=(0.6, 1.6))
axes.set(ylabel="first key ÷ second")
plt.show()

# %% says
assert of_exponentials[0] < 1 < of_exponentials[-1], (
    "Of exponentials it is first"
)
assert of_relus < 1, "Of ReLUs it is level"
assert same == chosen == 512, "it chooses the same"
assert bits == 1, "and for a hash (LSH) whose bits are signs"
assert spread["scaled"] < 1, "at the start they have a spread of"
assert spread["bare"] > 10 * frozen, "the softmax would be frozen on one key"
assert added[1][0] > added[1][1], "a key with logits of 3 and 0 wins with"
assert added[1 / 8][0] < added[1 / 8][1], (
    "at an eighth of the logits it loses with"
)
assert taking_part > n / 2, "most of 4096 keys take part"
assert np.isclose(spread["without ReLU"], 1), (
    "with the factor $1/\\sqrt{64\\cdot 128}$"
)
