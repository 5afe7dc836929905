"""Softmax attention beside kernel regression, both computed from the vectors."""

import numpy as np
from scipy import special

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import close


def kernel_weights(q, keys, h):
    k = np.exp(-np.sum((q - keys) ** 2, axis=1) / (2 * h**2))
    return k / k.sum()


def test_the_root_is_the_square_of_the_bandwidth(snippet):
    result = snippet("questions/bandwidth")
    (q, *_), keys = vectors(64, 500)
    keys *= 8 / np.linalg.norm(keys, axis=1, keepdims=True)
    weights = special.softmax(keys @ q / 8)
    assert close(kernel_weights(q, keys, result.bandwidth), weights, 1e-8)
    assert not close(kernel_weights(q, keys, np.sqrt(8) * result.bandwidth), weights, 1e-8)
    rbf = np.exp(-result.gamma * np.sum((q - keys) ** 2, axis=1))
    assert close(rbf / rbf.sum(), weights, 1e-8)
    keys[::2] *= 1.5
    assert not close(
        kernel_weights(q, keys, result.bandwidth), special.softmax(keys @ q / 8), 1e-3
    ), "keys of unequal length pass"


def test_distances_and_rules_of_thumb(snippet):
    result = snippet("questions/bandwidth")
    q, k = vectors(64)
    assert abs(np.sqrt(np.mean(np.sum((q - k) ** 2, axis=1))) / result.distance - 1) < 0.01
    assert close(np.median(np.linalg.norm(q - k, axis=1)), result.distance, 0.01)
    assert has_spread(2 / 64 * scores(q, k), result.of_scale)
    assert has_spread(scores(q, k) / result.divisor_of_median, result.of_median)
    assert not has_spread(scores(q, k) / 8, result.of_median)


def test_a_gaussian_kernel_favours_short_keys(snippet):
    result = snippet("questions/bandwidth")
    q, k = np.random.default_rng(1).standard_normal((2, 4000, 50, 64))
    half = np.sum((q[:, :1] - k) ** 2, axis=2) / (2 * result.bandwidth**2)
    within = np.sqrt(half.var(axis=1, ddof=1).mean())
    assert abs(within / result.gaussian - 1) < 0.02
    assert abs(within - 1) > 0.1


def test_where_the_distances_lie(snippet):
    result = snippet("questions/bandwidth")
    q, k = (8 * x / np.linalg.norm(x, axis=1, keepdims=True) for x in vectors(64))
    apart = np.linalg.norm(q - k, axis=1)
    drawn, edges = np.histogram(apart, bins=20, density=True)
    middle = (edges[1:] + edges[:-1]) / 2
    assert np.allclose(drawn, np.interp(middle, result.r, result.density), atol=0.04)
    assert not np.allclose(drawn, np.interp(middle + 1, result.r, result.density), atol=0.04)
    assert apart.min() > 2 * result.bandwidth
    assert close(np.median(apart), result.distance, 0.01)
    assert close(
        np.exp(-(np.median(apart) ** 2) / (2 * result.distance**2)), result.at_median, 0.02
    )
    assert result.at_root < 0.1 * result.at_median
