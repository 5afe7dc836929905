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


def draw(rng, shape, rule):
    """Draw a matrix as the library does, from the rule's own definition."""
    rows, columns = shape
    gaussian = {"LeCun": columns**-0.5, "T5": (columns * rows) ** -0.5, "GPT-2": 0.02}
    if rule in gaussian:
        return gaussian[rule] * rng.standard_normal(shape)
    bound = {
        "Xavier, one head": np.sqrt(6 / (rows + columns)),
        # Rows of a square matrix, and of one with two or three of them below each other.
        "Xavier": np.sqrt(6 / (columns + columns)),
        "Xavier, K and V": np.sqrt(6 / (2 * columns + columns)),
        "Xavier, fused": np.sqrt(6 / (3 * columns + columns)),
        # kaiming_uniform_ with a = √5: gain √(2/(1 + 5)), bound gain·√(3/fan_in).
        "nn.Linear": np.sqrt(2 / (1 + 5)) * np.sqrt(3 / columns),
    }[rule]
    return rng.uniform(-bound, bound, shape)
