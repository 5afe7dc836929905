r"""With the root in the weights and none in the code, Adam's first step moves a
logit {= farther[64] :.1f } times as far at 64 dimensions, and
{= farther[256] :.1f } times at 256.

How far the first step of Adam moves a logit if the root of d stands in the
weights of the query, against the same with a divisor, for heads from
{= dims[0] } to {= dims[-1] }, both axes logarithmic. A line rises from
{= farther[4] :.1f } at 4 dimensions to {= farther[1024] :.1f } at 1024.
"""

# %%
import numpy as np
from scipy import special

dims = 2 ** np.arange(2, 11)
# A step moves each weight by the rate, whatever its size. Of the two parts of
# the change, Δq·k is not divided and √d times as large, and q·Δk stays.
farther = {d: (np.sqrt(d) + 1) / 2 for d in dims}

# LoRA: W + (α/r) B A, where B begins at 0 and A at ±1/√D, uniform. Adam's first
# step makes every entry of B ±η. With |x|² = D, (A x)_j has variance 1/3, so a
# coordinate of q moves by αη √(2/π)/√3 along k, and the logit by d of these.
alpha, eta, head = 16, 2e-4, 128
lora = alpha * eta * (2 / np.pi) / np.sqrt(3) * np.sqrt(head)

# A factor in front of the logits that is learned from 1, beside q and k: the
# small layer of "undivided", with a learning rate of its own for the factor.
tokens, width, d, steps = 16, 256, 64, 200
rates = [0.001, 0.01]


def factor(rate, seed=0):
    """Train by Adam; return the factor before each step."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(width) * np.linalg.qr(rng.standard_normal((width, tokens)))[0].T
    W = [*rng.standard_normal((2, d, width)) / np.sqrt(width), np.ones(1)]
    mean, square = [0 * w for w in W], [0 * w for w in W]
    seen = []
    for step in range(1, steps + 1):
        seen.append(W[2][0])
        Q, K = X @ W[0].T, X @ W[1].T
        S = Q @ K.T / np.sqrt(d)
        g = (special.softmax(W[2] * S, axis=1) - np.eye(tokens)) / tokens
        by_score = W[2] * g / np.sqrt(d)
        gradient = [(by_score @ K).T @ X, (by_score.T @ Q).T @ X]
        gradient.append(np.array([np.sum(g * S)]))
        for i, each in enumerate(gradient):
            mean[i] = 0.9 * mean[i] + 0.1 * each
            square[i] = 0.999 * square[i] + 0.001 * each**2
            size = np.sqrt(square[i] / (1 - 0.999**step)) + 1e-30
            of = rate if i == 2 else 0.01 / width
            W[i] = W[i] - of * mean[i] / (1 - 0.9**step) / size
    return seen


learned = {rate: factor(rate)[-1] for rate in rates}

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6.4, 3.6))
axes.loglog(dims, [*farther.values()])
for d_k in (64, 256):
    axes.plot(d_k, farther[d_k], "o", color="C0")
    axes.text(d_k, farther[d_k] * 1.2, f"{farther[d_k]:.1f}", ha="right")
ticks = [4, 16, 64, 256, 1024]
axes.set(
    xlabel="dimension d of a head", ylabel="how much farther", xticks=ticks
)
axes.set(xticklabels=ticks, yticks=[1, 2, 4, 8, 16], ylim=(1, 24))
axes.set(yticklabels=[1, 2, 4, 8, 16])
axes.minorticks_off()
plt.show()

# %% says
values = [*farther.values()]
assert np.all(np.diff(values) > 0), "A line rises from"
assert farther[64] > 1, "the first step moves a logit … times as far"
assert np.isclose(lora, 16 * 0.0002 * 2 / np.pi / np.sqrt(3) * np.sqrt(128)), (
    "a rate of … = 0.0002$ and heads of 128 that is"
)
assert rates[1] == 10 * rates[0] == 0.01, "ten times that (in this draw)"
assert (steps, d, rates[0]) == (200, 64, 0.001), (
    "In a small layer of 64 dimensions, after 200 steps … a rate of 0.001"
)
assert 1 < learned[0.001] < learned[0.01], "where your temperature ends"
