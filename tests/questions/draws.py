"""What the tests of this chapter draw, and how they judge a spread."""

import numpy as np

from tests.tolerance import agrees, variance_and_error

SAMPLES = 20_000


def vectors(d, samples=SAMPLES, seed=0):
    """Draw Gaussian queries and keys with independent coordinates of variance 1."""
    return np.random.default_rng(seed).standard_normal((2, samples, d))


def scores(q, k):
    return np.sum(q * k, axis=-1)


def has_spread(logits, spread):
    """Tell whether logits have this standard deviation, up to the error of their variance."""
    variance, error = variance_and_error(logits)
    return agrees(variance, spread**2, error)
