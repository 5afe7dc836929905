"""A turn of pairs of coordinates, as rotary positions make it."""

import math

import numpy as np

from tests.tolerance import agrees, mean_and_error


def test_a_turn_leaves_isotropic_queries_alone():
    angle = 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    rng = np.random.default_rng(15)
    for scale in (np.ones(2), np.sqrt([1.5, 0.5])):
        q, k = scale * rng.standard_normal((2, 200_000, 2))
        square, error = mean_and_error(np.sum(q * (k @ turn.T), axis=1) ** 2)
        exact = 2 + 0.5 * math.cos(2 * angle) * (scale[0] != 1)
        assert agrees(square, exact, error)
        assert agrees(square, np.sum(scale**4), error) == (scale[0] == 1)
