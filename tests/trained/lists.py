"""The terms of Theorem 1 over lists of pairs, by numpy's own covariance."""

import numpy as np


def listed(q, k, w):
    """Give the pairs of a sentence with a weight as lists: q, k, weight."""
    i, j = np.nonzero(w)
    return q[i], k[j], w[i, j]


def by_list(parts, frobenius=False):
    """Give E[S²] and its three parts from lists of pairs, by numpy's own covariance."""
    q, k, w = (np.concatenate(part) for part in zip(*parts, strict=True))
    d = q.shape[1]
    mean = np.average(np.hstack([q, k]), axis=0, weights=w)
    cov = np.cov(np.hstack([q, k]).T, aweights=w, ddof=0)
    A, B, C, a, b = cov[:d, :d], cov[d:, d:], cov[:d, d:], mean[:d], mean[d:]
    square = np.average(np.einsum("nd,nd->n", q, k) ** 2, weights=w)
    zero_C = np.sum(A * B)
    means = (a @ b) ** 2 + a @ B @ a + b @ A @ b
    middle = np.sum(C**2) if frobenius else np.sum(C * C.T)
    # The whole from mean and variance of S, as the chapter on Theorem 1 has them.
    whole = (a @ b + np.trace(C)) ** 2 + zero_C + middle + means - (a @ b) ** 2 + 2 * a @ C.T @ b
    return {
        "size": np.sqrt(square),
        "baseline": zero_C / square,
        "means": means / square,
        "C": (whole - zero_C - means) / square,
        "formula": whole / square,
    }


def content(ran, layer, head):
    """Give q, k and the attention weights of each text without [CLS] and [SEP]."""
    for _, *parts in ran:
        q, k, p = (part[layer, head] for part in parts)
        p = p[1:-1, 1:-1]
        yield q[1:-1], k[1:-1], p / p.sum(axis=1, keepdims=True)


KINDS = {
    "distinct": lambda p: (1 - np.eye(len(p))) / (len(p) - 1),
    "same": lambda p: np.eye(len(p)),
    "attended": lambda p: p,
}
