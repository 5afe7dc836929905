"""Rotary positions: by turning drawn vectors, with a wrong variance that fails."""

import numpy as np
import pytest

from tests.questions.draws import has_spread, vectors
from tests.tolerance import close


def turned(vector, m, theta):
    """Turn pairs of coordinates, as rotary embeddings do, by matrices instead of formulas."""
    cos, sin = np.cos(m * theta), np.sin(m * theta)
    first, second = vector[:, ::2], vector[:, 1::2]
    return np.stack([cos * first - sin * second, sin * first + cos * second], -1)


@pytest.mark.parametrize("m", [0, 7, 60])
@pytest.mark.parametrize("uneven", [0, 0.5, 1])
def test_the_variance_of_a_turned_score(snippet, m, uneven):
    result = snippet("questions/rotation")
    scale = np.sqrt(1 + uneven * np.tile([1, -1], 32))
    q, k = vectors(64) * scale
    drawn = np.sum(turned(q, 5, result.theta) * turned(k, 5 + m, result.theta), axis=(1, 2))
    exact = result.curves[uneven][10 * m]
    assert has_spread(drawn / 8, np.sqrt(exact))
    assert not has_spread(drawn / 8, np.sqrt(1.15 * exact))


def test_the_ends_of_the_curves(snippet):
    """Turned by a right angle, as many pairs as can be, it is lowest."""
    result = snippet("questions/rotation")
    # E q₁²k₁² and so on, over turns of k: cos², sin² and variances, for each pair.
    big, small = 1.5, 0.5
    cos = np.cos(np.outer(np.arange(4097), result.theta)) ** 2
    curve = np.mean((big**2 + small**2) * cos + 2 * big * small * (1 - cos), axis=1) / 2
    assert close(curve[0], result.near[0.5])
    for last, nearer in ((60, 6), (4096, 60)):
        assert close(curve[: last + 1].min(), result.lowest[last])
        assert not close(curve[: nearer + 1].min(), result.lowest[last], 1e-3)
