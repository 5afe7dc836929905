"""The keys that take part under a mask: by drawing, and by an integral of another chapter."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import scores
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("n", [2, 8, 64, 512])
def test_the_keys_that_take_part_fit_a_simulation_of_vectors(snippet, n):
    """Logits of Gaussian keys and a query of length √d, not Gaussian numbers."""
    result = snippet("questions/causal")
    rng = np.random.default_rng(n)
    q = rng.standard_normal((1000, 1, 64))
    q *= 8 / np.linalg.norm(q, axis=-1, keepdims=True)
    bare = np.concatenate(
        [scores(part, rng.standard_normal((len(part), n, 64))) for part in np.split(q, 10)]
    )
    for logits, exact in ((bare / 8, result.divided[n]), (bare, result.bare[n])):
        mean, error = mean_and_error(np.sum(special.softmax(logits, axis=1) ** 2, axis=1))
        assert agrees(mean, 1 / exact, error)
    mean, error = mean_and_error(np.sum(special.softmax(bare / 4, axis=1) ** 2, axis=1))
    assert not agrees(mean, 1 / result.divided[n], error), "another divisor"


def test_the_mask_agrees_with_the_other_chapters(snippet, module):
    result, other = snippet("questions/causal"), module("scales/gaussian_logits")
    for n in (8, 128, 4096):
        assert close(result.divided[n], 1 / other.mean_square_weights(n, 1.0), 1e-6)
        assert not close(result.divided[n], 1 / other.mean_square_weights(n, 1.01), 1e-6)
    for n in (8, 4096):
        assert close(result.bare[n], 1 / other.mean_square_weights(n, 8.0), 1e-6)
        assert not close(result.bare[n], 1 / other.mean_square_weights(n, 8.1), 1e-6)
    share = np.e / (128 * other.mean_square_weights(128, 1.0))
    assert close(result.above[128], share - 1, 1e-6)
