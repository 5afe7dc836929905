"""Without softmax: slopes, sums and shares by drawing, with the wrong logits that fail."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import scores, vectors
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("d", [1, 64, 1024])
def test_the_slope_of_a_sigmoid(snippet, d):
    result = snippet("questions/sigmoid")
    q, k = vectors(d)
    # Of length √d: then the scores of Gaussian keys are Gaussian.
    z = scores(q * np.sqrt(d) / np.linalg.norm(q, axis=1, keepdims=True), k)
    for logits, exact in ((z, result.bare[d]), (z / np.sqrt(d), result.divided)):
        mean, error = mean_and_error(special.expit(logits) * special.expit(-logits))
        assert agrees(mean, exact, error)
    assert d == 1 or not agrees(mean, result.bare[d], error)


def test_the_sum_of_sigmoid_weights(snippet):
    result = snippet("questions/sigmoid")
    z = np.random.default_rng(10).standard_normal((4000, 512))
    for name, logits in (
        ("divided", z - np.log(512)),
        ("bare", 8 * z - np.log(512)),
        ("no bias", z),
    ):
        mean, error = mean_and_error(special.expit(logits).sum(axis=1))
        assert agrees(mean, result.sum_of_weights[name], error)
    assert not agrees(mean, result.sum_of_weights["bare"], error)


def test_linear_attention_is_even(snippet):
    result = snippet("questions/sigmoid")
    rng = np.random.default_rng(11)
    phi_q, phi_k = (
        np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
        for x in (rng.standard_normal((500, 1, 64)), rng.standard_normal((500, 512, 64)))
    )
    weights = np.sum(phi_q * phi_k, axis=2)
    weights /= weights.sum(axis=1, keepdims=True)
    # A factor cancels; the exact value is for a great many keys, up to 1/n.
    assert close(3 * weights / np.sum(3 * weights, axis=1, keepdims=True), weights)
    assert abs(1 / np.mean(np.sum(weights**2, axis=1)) - result.linear) < 0.3
    assert result.linear < 511
