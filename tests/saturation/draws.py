"""What several tests of the chapter draw, and how a sample meets a value."""

import math
from functools import cache

import numpy as np
from scipy.special import softmax

from tests.tolerance import agrees


def close(value, exact, tolerance=1e-9):
    """Tell whether two exact routes meet, up to a relative error, however small the values."""
    return bool(np.allclose(value, exact, rtol=tolerance, atol=0))


def is_mean(value, sample):
    return agrees(np.mean(sample), value, np.std(sample) / np.sqrt(len(sample)))


def is_share(value, hits, draws_behind_value=math.inf):
    error = np.sqrt(value * (1 - value) * (1 / len(hits) + 1 / draws_behind_value))
    return agrees(np.mean(hits), value, error)


def draw(seed, n, sigma, draws):
    """Draw Gaussian levels, all n of them, and their weights."""
    g = np.random.default_rng(seed).standard_normal((draws, n))
    return g, softmax(sigma * g, axis=1)


def jacobian_squares(p):
    """Give ‖J‖² of each row of weights by its definition, without the cancelling formula."""
    square = p**2
    rest = 1 - p
    top = np.argmax(p, axis=1)
    rows = np.arange(len(p))
    others = p.copy()
    others[rows, top] = 0
    rest[rows, top] = others.sum(axis=1)
    diagonal = np.sum((p * rest) ** 2, axis=1)
    # Off the diagonal: the largest with each other, and the others among themselves.
    small = others**2
    pairs = 2 * square[rows, top] * small.sum(axis=1)
    pairs += np.maximum(small.sum(axis=1) ** 2 - np.sum(small**2, axis=1), 0)
    return diagonal + pairs


@cache
def three_keys():
    """Give a grid of the two gaps between three sorted Gaussians, and the mass of each cell."""
    step = 0.01
    gap = step * (np.arange(1000) + 0.5)
    first, second = np.meshgrid(gap, gap, indexing="ij")
    density = np.exp(-(first**2 + first * second + second**2) / 3) * math.sqrt(3) / math.pi
    scores = np.stack([np.zeros_like(first), -first, -first - second], axis=-1).reshape(-1, 3)
    return scores, density.ravel() * step**2
