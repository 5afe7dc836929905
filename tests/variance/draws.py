"""What several tests of the chapter draw or go through."""

import itertools

import numpy as np


def dots(seed, d, samples=20_000):
    """Draw dot products of independent Gaussian q and k."""
    q, k = np.random.default_rng(seed).standard_normal((2, samples, d))
    return np.sum(q * k, axis=1)


def signs(count):
    """Give all 2^count ways to choose signs, each as likely as the others."""
    return np.array(list(itertools.product([-1, 1], repeat=count)))


def standardise(A):
    return (A - A.mean((-2, -1), keepdims=True)) / A.std((-2, -1), keepdims=True)


def products_of_2x2(seed, samples, change=lambda A: A):
    Q, K = change(np.random.default_rng(seed).standard_normal((2, samples, 2, 2)))
    return np.var(Q @ K, axis=(1, 2))
