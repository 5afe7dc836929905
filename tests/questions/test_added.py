"""Logits that are added, and heads that are joined, by drawing them."""

import numpy as np
from scipy import special

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import agrees, close, mean_and_error


def of_layers(count, d=16):
    """Draw the divided logits of so many layers, each with queries and keys of its own."""
    return np.stack([scores(*vectors(d, seed=i)) / np.sqrt(d) for i in range(count)])


def test_layers_add_up(snippet):
    result, layers = snippet("questions/added"), of_layers(12)
    assert has_spread(layers.sum(axis=0), result.summed[12])
    assert has_spread(layers.mean(axis=0), result.mean[12])
    assert has_spread(layers.sum(axis=0) / np.sqrt(12), 1)
    assert not has_spread(layers.sum(axis=0) / 12, 1), "the mean does not keep it at 1"
    assert not has_spread(layers.sum(axis=0), 12)


def test_layers_that_go_the_same_way(snippet):
    result = snippet("questions/added")
    common, *own = np.random.default_rng(1).standard_normal((13, 20_000))
    logits = np.sqrt(1 / 2) * (common + np.stack(own))
    assert abs(np.corrcoef(logits[0], logits[1])[0, 1] - 1 / 2) < 0.02
    assert has_spread(logits.sum(axis=0), result.half_alike)
    assert has_spread(12 * common, result.alike)
    covariance = (np.ones((12, 12)) + np.eye(12)) / 2
    assert close(covariance.sum(), result.half_alike**2)
    assert not has_spread(logits.sum(axis=0), result.summed[12])


def test_what_is_left_of_a_row(snippet, module):
    result, other = snippet("questions/added"), module("scales/gaussian_logits")
    for sigma, taking in ((np.sqrt(12), result.left), (1.0, result.first)):
        assert close(1 / other.mean_square_weights(512, sigma), taking, 1e-6)
        assert not close(1 / other.mean_square_weights(512, 1.01 * sigma), taking, 1e-6)


def test_joined_heads(snippet):
    result = snippet("questions/added")
    (q1, k1), (q2, k2) = vectors(64, seed=3), vectors(64, seed=4)
    first = scores(q1, k1) / 8
    joined = scores(np.hstack([q1, q2]), np.hstack([k1, k2])) / np.sqrt(128)
    assert has_spread(joined, 1)
    assert abs(np.corrcoef(first, joined)[0, 1] - result.share) < 0.02
    assert abs(np.corrcoef(first, joined)[0, 1] - 1 / 2) > 0.1
    # The weights are products of both heads' weights to the power 1/√2.
    s1, s2 = scores(q1[:64], k1[:64]) / 8, scores(q2[:64], k2[:64]) / 8
    product = (special.softmax(s1) * special.softmax(s2)) ** (1 / np.sqrt(2))
    assert close(special.softmax(joined[:64]), product / product.sum())
    a, b = np.zeros((2, 2))
    a[0], b[0] = 4, 4
    assert close(np.diff((a + 0 * b) / np.sqrt(2)), -result.lead)
    assert close(np.diff((a + b) / np.sqrt(2)) / np.diff(a), result.both)


def test_one_divisor_for_heads_of_two_sizes(snippet):
    result = snippet("questions/added")
    assert (result.narrow, result.wide, result.twelve) == (32, 128, 12)
    for d, spread in ((result.narrow, result.small), (result.wide, result.large)):
        assert close(64 * spread**2, d), "the variance of d products, over 64"
        assert has_spread(scores(*vectors(d)) / 8, spread)
        mean, error = mean_and_error((scores(*vectors(d)) / np.sqrt(d)) ** 2)
        assert agrees(mean, 1, error)
        assert not has_spread(scores(*vectors(d)) / np.sqrt(d), spread)
