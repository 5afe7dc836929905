"""The terms of Theorem 1, means included, over weighted pairs of tokens.

Everything follows from sums over pairs, which add up over sentences: so they
can be summed again over sentences drawn at random, for a standard error.
"""

import numpy as np
from scipy.special import softmax


def sums(q, k, w):
    """Return the weighted sums over pairs that `terms` needs, as one row.

    Args:
        q: (n, d), the queries of a sentence.
        k: (m, d), its keys.
        w: (n, m), the weight of each pair.
    """
    S, of_q, of_k = q @ k.T, w.sum(axis=1), w.sum(axis=0)
    parts = [w.sum(), np.sum(w * S**2), of_q @ q, of_k @ k]
    parts += [(q.T * of_q) @ q, (k.T * of_k) @ k, q.T @ w @ k]
    return np.concatenate([np.ravel(part) for part in parts])


def trace(A, B):
    """Return tr(AB) of matrices in the last two axes."""
    return np.einsum("...ij,...ji->...", A, B)


def moments(total, d):
    """Return E[S²], the means, and the covariances about them, of `sums`."""
    mean = total[..., 1:] / total[..., :1]
    square, m_q, m_k, *M = np.split(
        mean, np.cumsum([1, d, d, d**2, d**2]), axis=-1
    )
    M_q, M_k, M_qk = (A.reshape(*A.shape[:-1], d, d) for A in M)
    a, b = m_q[..., np.newaxis], m_k[..., np.newaxis]
    cov_q, cov_k = (
        M_q - a * m_q[..., np.newaxis, :],
        M_k - b * np.swapaxes(b, -1, -2),
    )
    return square[..., 0], a, b, cov_q, cov_k, M_qk - a * np.swapaxes(b, -1, -2)


def terms(total, d):
    """Return E[S²] and, by name, the terms that make it up for Gaussians.

    `baseline` is tr(Σ_q Σ_k); `means` what means other than 0 add to it; the
    others need C: (tr C)², tr(C²), and what C adds together with the means.
    """
    square, a, b, cov_q, cov_k, C = moments(total, d)
    turned = np.swapaxes(C, -1, -2)
    dot, tr_C = np.sum(a * b, axis=(-2, -1)), np.trace(C, axis1=-2, axis2=-1)

    def form(u, A, v):
        return np.einsum("...ix,...ij,...jx->...", u, A, v)

    return square, {
        "baseline": trace(cov_q, cov_k),
        "means": dot**2 + form(a, cov_k, a) + form(b, cov_q, b),
        "tr_C_squared": tr_C**2,
        "tr_of_C_squared": trace(C, C),
        "C_and_means": 2 * dot * tr_C + 2 * form(a, turned, b),
        "norm_of_C_squared": trace(C, turned),
    }


def shares(total, d):
    """Return the root of E[S²], and the terms as shares of E[S²]."""
    square, found = terms(total, d)
    found = {name: value / square for name, value in found.items()}
    found["C"] = sum(found[name] for name in C_TERMS)
    found["formula"] = found["baseline"] + found["means"] + found["C"]
    found["printed"] = found["formula"] + (
        found["norm_of_C_squared"] - found["tr_of_C_squared"]
    )
    return {"size": np.sqrt(square)} | found


C_TERMS = ["tr_C_squared", "tr_of_C_squared", "C_and_means"]


def factors(total, d):
    """Return three factors whose product is the root of E[S²].

    `lengths`: what isotropic and independent q and k of these lengths would
    give. `alignment`: how much more it is as q and k share directions, by their
    means and covariances, if they stay independent. `pairing`: the rest.
    """
    square, a, b, cov_q, cov_k, _ = moments(total, d)
    M_q = cov_q + a * np.swapaxes(a, -1, -2)
    M_k = cov_k + b * np.swapaxes(b, -1, -2)
    both = trace(M_q, M_k)
    sizes = np.trace(M_q, axis1=-2, axis2=-1) * np.trace(
        M_k, axis1=-2, axis2=-1
    )
    return {
        "lengths": np.sqrt(sizes / d),
        "alignment": np.sqrt(both * d / sizes),
        "pairing": np.sqrt(square / both),
    }


def weights(kind, S):
    """Return a sentence's weights of pairs; each query counts as 1 in all.

    Args:
        kind: `distinct` tokens, the `same` token, or `attended`.
        S: (n, n), the logits of its content tokens.
    """
    n = len(S)
    if kind == "attended":
        return softmax(S, axis=1)
    same = np.eye(n)
    return same if kind == "same" else (1 - same) / (n - 1)


def spread(S):
    """Return the variance of each row of logits."""
    return np.var(S, axis=1)
