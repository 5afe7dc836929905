"""The layer of associative recall, trained as the textbook says."""

import numpy as np


def train(recall, d, seed, s, steps, labels=None, batch=None, eta=0.1, **how):
    """Train as the textbook says, one flat vector of weights, moments kept as sums."""
    X, W = recall.init(d, seed, **how)
    w, history, target = np.concatenate([a.ravel() for a in W]), [], np.eye(16)
    asked = np.full(16, 1 / 16)
    for t in range(1, steps + 1):
        if labels is not None:  # each query type tosses for its keys, four times
            target = np.stack([labels.multinomial(4, [1 / 16] * 16) for _ in range(16)]) / 4
        if batch is not None:  # four sequences, each asks for one key
            asked = batch.multinomial(4, [1 / 16] * 16) / 4
        V = w.reshape(2, d, -1)
        q, k = np.einsum("iad,td->ita", V, X, optimize=True)
        a = np.einsum("ta,ua->tu", q, k) / s
        p = np.exp(a) / np.exp(a).sum(axis=1)[:, np.newaxis]
        error = np.diag(asked) @ (p - target) / s
        grads = (
            np.einsum("tu,ua,td->ad", error, k, X, optimize=True),
            np.einsum("tu,ta,ud->ad", error, q, X, optimize=True),
        )
        history.append(np.concatenate([a.ravel() for a in grads]))
        m = sum(0.1 * 0.9 ** (t - 1 - i) * g for i, g in enumerate(history)) / (1 - 0.9**t)
        v = sum(0.001 * 0.999 ** (t - 1 - i) * g**2 for i, g in enumerate(history))
        # A weight without a gradient yet, m = v = 0, stays where it is.
        w = w - eta / X.shape[1] * m / np.sqrt(np.where(v > 0, v, 1) / (1 - 0.999**t))
    return X, w.reshape(2, d, -1)


def scores(X, W):
    """Give q·k for every query type (row) and key type (column)."""
    return np.einsum("ad,td,ae,ue->tu", W[0], X, W[1], X, optimize=True)


def probabilities(X, W, s):
    """Give the attention that each query type (row) pays to each key type."""
    p = np.exp(scores(X, W) / s)
    return p / p.sum(axis=1)[:, np.newaxis]
