"""What several tests of the chapter draw or build."""

import math

import numpy as np


def blocks(cov):
    """Give Σ_q, Σ_k and C."""
    d = len(cov) // 2
    return cov[:d, :d], cov[d:, d:], cov[:d, d:]


def scores(seed, L, samples=100_000):
    """Draw scores of q and k with the covariance LLᵀ."""
    w = np.random.default_rng(seed).standard_normal((samples, L.shape[1])) @ L.T
    d = len(L) // 2
    return np.sum(w[:, :d] * w[:, d:], axis=1)


def turns(d):
    """Give quarter turns in d/2 planes."""
    return np.kron(np.eye(d // 2), [[0, -1], [1, 0]])


def all_coordinates(rng, d, rho, samples):
    """Draw scores for C = ρI coordinate by coordinate."""
    q, other = rng.standard_normal((2, samples, d))
    return np.sum(q * (rho * q + math.sqrt(1 - rho**2) * other), axis=1)
