"""What the checks enumerate or draw, and the errors of what they draw."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from scipy import special


def vectors(values: Iterable[Any], d: int) -> np.ndarray:
    """List all vectors of d independent coordinates, equally likely.

    Args:
        values: of a coordinate, each as likely as the others.
        d: how many coordinates.

    Returns:
        One vector in each row.
    """
    return np.array(list(product(values, repeat=d)))


def draw(keys: int, sd: float, draws: int = 4000, seed: int = 0) -> np.ndarray:
    """Draw attention weights of independent Gaussian scores with mean 0.

    Args:
        keys: how many scores compete, n.
        sd: their standard deviation: 1 with the divisor, the root of d without.
        draws: how many queries.
        seed: of the random numbers.

    Returns:
        Weights of shape (draws, n), in each row the largest first.
    """
    scores = sd * np.random.default_rng(seed).standard_normal((draws, keys))
    return np.sort(special.softmax(scores, axis=1), axis=1)[:, ::-1]


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Give the Frobenius norm of diag(p) - p pᵀ for each row of weights.

    The textbook form, the root of Σp² - 2Σp³ + (Σp²)², cancels to nothing when
    one weight is nearly 1. Here that weight, which stands first, is set apart,
    and 1 minus it is the sum of the rest.
    """
    first, rest = weights[:, 0], weights[:, 1:]
    left = rest.sum(1)
    squares, fourths = (rest**2).sum(1), (rest**4).sum(1)
    diagonal = (first * left) ** 2 + ((rest * (1 - rest)) ** 2).sum(1)
    return np.sqrt(diagonal + 2 * first**2 * squares + squares**2 - fourths)


def mean_and_error(sample: np.ndarray) -> tuple[float, float]:
    """Give a sample's mean and its standard error."""
    return float(sample.mean()), float(
        sample.std(ddof=1) / np.sqrt(len(sample))
    )
