"""Associative recall with one attention layer: the model, its gradients, and
Adam, in NumPy.

A sequence shows 16 keys, in any order, each with a value of its own, and then
one of the keys again; the layer must answer with that key's value. Values pass
through unchanged, and there are no positions, so the probability of the right
answer is the attention weight on the right key. The loss is the mean of −ln of
it, taken exactly over all sequences unless a batch of them is drawn. Token
vectors are fixed and have x·x = D, as LayerNorm leaves them. The model has one
head and is D = 4d wide unless said otherwise. Training is in single precision.
"""

from collections import deque
from functools import cache

import numpy as np

TYPES = 16
RIGHT = np.eye(TYPES)


@cache
def draw(d, seed, D):
    """Return 17 vectors of length 1 at right angles (rows), and W_Q and W_K."""
    rng = np.random.default_rng([seed, d])
    right_angles = np.linalg.qr(rng.standard_normal((TYPES + 1, D)).T)[0].T
    return right_angles, rng.standard_normal((2, d, D)) / np.sqrt(D)


def init(d, seed, zero_query=False, cosine=0, width=None):
    """Return tokens X (16 × D) and weights [W_Q, W_K] (d × D each), with
    entries N(0, 1/D): the coordinates of q and k then have variance 1.

    Any two tokens have the same cosine: what they share is one direction more.
    """
    D = width or 4 * d
    right_angles, (W_Q, W_K) = draw(d, seed, D)
    own, shared = right_angles[:TYPES], right_angles[TYPES]
    X = np.sqrt(D) * (np.sqrt(1 - cosine) * own + np.sqrt(cosine) * shared)
    return X, [np.zeros_like(W_Q) if zero_query else W_Q, W_K]


def scores(X, W):
    """Return q·k for every query type (row) and key type (column)."""
    return ((W[0] @ X.T).T @ (W[1] @ X.T)).astype(float)


def log_softmax(logits):
    """Return the logarithm of the softmax of each row."""
    logits = logits - logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def loss(X, W, s, target=RIGHT):
    """Return the mean of −ln p at the target; s is the divisor of q·k."""
    return -np.sum(target * log_softmax(scores(X, W) / s)) / TYPES


def gradients(X, W, s, target=RIGHT, asked=1):
    """Return the gradients of the loss with respect to W_Q and W_K.

    `asked` weighs the query types (16 × 1), with mean 1.
    """
    Q, K = W[0] @ X.T, W[1] @ X.T  # a column for each type
    p = np.exp(log_softmax((Q.T @ K).astype(float) / s))
    # ∂loss/∂(q·k), for each pair of types.
    g = (asked * (p - target) / (TYPES * s)).astype(X.dtype)
    return [K @ g.T @ X, Q @ g @ X]


def train(d, seed, s, steps, eta=0.1, labels=None, batch=None, **how):
    """Train by Adam with learning rate eta/D; yield X and W before the first
    step and after each one.

    `labels`, a random generator, makes the target a coin toss: four fresh draws
    for each query type at each step. `batch`, another, draws the sequences of
    each step, four of them. `how` goes to `init`.
    """
    X, W = init(d, seed, **how)
    X, W = X.astype(np.float32), [w.astype(np.float32) for w in W]
    mean, square = np.zeros((2, 2, *W[0].shape), np.float32)
    target, asked, even = RIGHT, 1, np.full(TYPES, 1 / TYPES)
    yield X, [*W]
    for t in range(1, steps + 1):
        if labels is not None:
            target = labels.multinomial(4, even, TYPES) / 4
        if batch is not None:
            asked = batch.multinomial(4, even)[:, np.newaxis] * TYPES / 4
        rate = eta / X.shape[1] * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
        for i, g in enumerate(gradients(X, W, s, target, asked)):
            step = adam(g, mean[i], square[i], rate)
            W[i] = np.subtract(W[i], step, out=step)
        yield X, [*W]


def adam(g, mean, square, rate):
    """Return the step for a gradient, and bring its two averages up to date.

    In place, as fresh memory for each term would take twice the time: the
    gradient is used up, and becomes the step.
    """
    other = g - mean
    mean += np.multiply(0.1, other, out=other)
    np.multiply(g, g, out=g)
    g -= square
    square += np.multiply(0.001, g, out=g)
    # Adam's ε: far below any gradient, and no division by 0.
    np.sqrt(square, out=other)
    other += 1e-12
    np.multiply(rate, mean, out=g)
    g /= other
    return g


def ends(run):
    """Return the first and the last of what `train` yields."""
    first = next(run)
    return first, deque(run, maxlen=1).pop()


def logits(X, W, s):
    """Return the scaled scores less their row's mean, which softmax ignores."""
    S = scores(X, W) / s
    return S - S.mean(axis=1, keepdims=True)


def at_random(rng, change, axis=None):
    """Return a random direction with the length of the change, row by row if
    `axis` is 1.
    """
    length = np.linalg.norm(change, axis=axis, keepdims=True)
    noise = rng.standard_normal(change.shape)
    return noise / np.linalg.norm(noise, axis=axis, keepdims=True) * length


def rms(a):
    """Return the root of the mean square."""
    return np.sqrt(np.mean(np.square(a)))


def exponent(dims, sizes):
    """Return the slope of ln size in ln d, and its standard error.

    `sizes` has a row for each seed and a column for each d. Each seed gets a
    line by least squares; the error comes from the scatter of the slopes.
    """
    slope = np.polyfit(np.log(dims), np.log(sizes).T, 1)[0]
    return slope.mean(), slope.std(ddof=1) / np.sqrt(len(slope))
