"""What the checks enumerate or draw, and the errors of what they draw."""

import csv
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special
from scipy.stats import qmc


def vectors(values: Iterable[Any], d: int) -> np.ndarray:
    """List all vectors of d independent coordinates, equally likely.

    Args:
        values: of a coordinate, each as likely as the others.
        d: how many coordinates.

    Returns:
        One vector in each row.
    """
    return np.array(list(product(values, repeat=d)))


@cache
def gaussians(keys: int, power: int, seed: int) -> np.ndarray:
    """Draw standard Gaussians, 2^power rows of them, the largest first.

    From Sobol's points, not random ones: they fill the cube evenly, so that a
    median is as good as from a hundred times as many random draws. The largest
    score comes from the first coordinate, the next from the second: the
    largest of n uniform numbers are e^-s with s = E_1/n + E_2/(n-1) + …, E
    exponential (Rényi).
    """
    uniform = qmc.Sobol(keys, bits=40, rng=seed).random_base2(power)
    steps = np.log1p(-uniform) / (keys - np.arange(keys))
    return special.ndtri(np.exp(np.cumsum(steps, axis=1)))


def draw(keys: int, sd: float, power: int = 12, seed: int = 0) -> np.ndarray:
    """Draw attention weights of independent Gaussian scores with mean 0.

    Args:
        keys: how many scores compete, n.
        sd: their standard deviation: 1 with the divisor, the root of d without.
        power: of 2, which is how many queries there are.
        seed: of the random numbers.

    Returns:
        Weights of shape (2^power, n), in each row the largest first.
    """
    weights = sd * gaussians(keys, power, seed)
    weights -= weights[:, :1].copy()
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Give the Frobenius norm of diag(p) - p pᵀ for each row of weights.

    The textbook form, the root of Σp² - 2Σp³ + (Σp²)², cancels to nothing when
    one weight is nearly 1. Here that weight, which stands first, is set apart,
    and 1 minus it is the sum of the rest.
    """
    first, rest = weights[:, 0], weights[:, 1:]
    square = rest**2
    left, squares = rest.sum(axis=1), square.sum(axis=1)
    cubes = np.einsum("ij,ij->i", square, rest)
    own = (first * left) ** 2 + squares - 2 * cubes
    return np.sqrt(own + 2 * first**2 * squares + squares**2)


def mean_and_error(sample: np.ndarray) -> tuple[float, float]:
    """Give a sample's mean and its standard error."""
    return float(sample.mean()), float(
        sample.std(ddof=1) / np.sqrt(len(sample))
    )


def stored(name: str, **where: str) -> list[dict[str, str]]:
    """List the rows of a measured table, as text.

    Args:
        name: of the table, such as `training/learning.csv`.
        where: which rows, by column.
    """
    return [row for row in table(name) if where.items() <= row.items()]


@cache
def table(name: str) -> list[dict[str, str]]:
    """Read a measured table, once for all the columns that are asked for."""
    path = Path(__file__).parents[1] / name
    lines = path.read_text("utf-8").splitlines()
    return [*csv.DictReader(line for line in lines if line[0] != "#")]
