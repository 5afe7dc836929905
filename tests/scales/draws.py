"""What several tests of the chapter draw: rows of logits, pairs of vectors, tokens, weights."""

import numpy as np

from tests.tolerance import variance_and_error

N = 512


def sd_and_error(sample):
    """Give the standard deviation, and the error that the scatter of the squares gives it."""
    square, error = variance_and_error(sample)
    return np.sqrt(square), error / (2 * np.sqrt(square))


def rows(sigma, n=N, samples=3000, seed=0):
    return sigma * np.random.default_rng(seed).standard_normal((samples, n))


def pairs(d, rho=0.0, samples=20_000, seed=1):
    """Draw Gaussian q and k, each pair of coordinates with correlation rho."""
    q, k = np.random.default_rng(seed).standard_normal((2, samples, d))
    return q, rho * q + np.sqrt(1 - rho**2) * k


def tokens(cosine, n, D, seed=5):
    """Give n tokens that LayerNorm leaves alone, of the same cosine with each other."""
    noise = np.random.default_rng(seed).standard_normal((D, n))
    basis = np.linalg.qr(noise - noise.mean(axis=0))[0].T  # rows that add up to 0
    gram = D * (cosine + (1 - cosine) * np.eye(n))
    return np.linalg.cholesky(gram) @ basis
