r"""Does attention learn without the divisor? It depends on what the loss sees:
if it is the logarithm of a weight, yes; if it is the weight itself, some
queries wait long.

Two panels over the number of training steps. Left, the loss of a layer that
learns to look up 16 keys, with the minus logarithm of the right weight as its
loss: undivided it starts above 10, above the two others, and falls below them
within ten steps; divided by the root of d it starts near
{= loss["√d"][0] :.0f }, and falls more slowly; divided by d, slowest. Right, on
a logarithmic axis of steps up to 1000, the share of queries that give most of
the weight to the right one of three keys if the loss is minus the weight:
divided by the root of d the curve reaches 1 by about a hundred steps, undivided
it creeps up from a third and is at about 0.6 at the end.
"""

# %%
import numpy as np
from scipy import special

d, tokens, width, steps = 64, 16, 256, 40
divisors = {"none": 1, "√d": 8, "d": 64}


def train(divisor, seed=0):
    """Train the layer by Adam; return the loss before each step."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(width) * np.linalg.qr(rng.standard_normal((width, tokens)))[0].T
    W = rng.standard_normal((2, d, width)) / np.sqrt(width)
    mean, square, loss = np.zeros_like(W), np.zeros_like(W), []
    for step in range(1, steps + 1):
        Q, K = X @ W[0].T, X @ W[1].T
        log_p = special.log_softmax(Q @ K.T / divisor, axis=1)
        loss.append(-np.trace(log_p) / tokens)
        g = (np.exp(log_p) - np.eye(tokens)) / tokens / divisor
        gradient = np.array([(g @ K).T @ X, (g.T @ Q).T @ X])
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        size = np.sqrt(square / (1 - 0.999**step)) + 1e-30
        W = W - 0.1 / width * mean / (1 - 0.9**step) / size
    return np.array(loss)


loss = {name: train(divisor) for name, divisor in divisors.items()}
after_20 = {name: curve[20] for name, curve in loss.items()}
loss_at_start = loss["none"][0]


def found(spread, until=1000):
    """Return the share of queries that give the right key most of the weight.

    Gradient descent, with steps of 1 on the logits, on minus its weight.
    """
    logits, share = (
        spread * np.random.default_rng(1).normal(size=(3, 5000)),
        [],
    )
    for _ in range(until):
        p = special.softmax(logits, axis=0)
        share.append(np.mean(p[0] > 1 / 2))
        logits[0] += p[0]
        logits -= p[0] * p
    return np.array(share)


share = {"none": found(8), "√d": found(1)}
late = {name: curve[-1] for name, curve in share.items()}

# %%
import matplotlib.pyplot as plt

fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.6))
for name, curve in loss.items():
    colour = {"none": "C1", "√d": "C0", "d": "C2"}[name]
    label = f"÷ {name}" if name != "none" else "undivided"
    left.plot(curve, color=colour, label=label)
left.set(xlabel="step", ylabel="loss, −ln p", ylim=(0, 16))
left.legend()
right.semilogx(np.arange(1, 1001), share["none"], color="C1")
right.semilogx(np.arange(1, 1001), share["√d"], color="C0")
right.text(300, 0.46, "undivided", color="C1", ha="center")
right.text(10, 0.93, "÷ √d", color="C0", ha="right")
right.set(xlabel="step", ylabel="queries that found the key", ylim=(0, 1.05))
right.set(xticks=[1, 10, 100, 1000], xticklabels=["1", "10", "100", "1000"])
plt.show()

# %% says
assert loss["none"][0] > 10, "undivided it starts above 10"
assert loss["none"][0] > loss["√d"][0] > loss["d"][0], "above the two others"
assert loss["none"][10] < min(loss["√d"][10], loss["d"][10]), (
    "falls below them within ten steps"
)
assert after_20["none"] < after_20["√d"] < after_20["d"], (
    "after 20 steps its loss is … undivided, … with … and … with"
)
assert share["√d"][150] > 0.99, "the curve reaches 1 by about a hundred steps"
assert np.all(np.diff(share["none"]) >= -0.001), "undivided it creeps up"
assert abs(late["none"] - 0.6) < 0.02, "and is at about 0.6"
assert late["none"] < 0.7 < 0.99 < late["√d"], (
    "only about … of the queries have found the"
)
assert len(share["none"]) == 1000, "the right one after 1000 steps"
assert len(share["none"]) == 1000, "a logarithmic axis of steps up to 1000"
