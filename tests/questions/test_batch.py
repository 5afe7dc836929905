"""The loss of a batch at the start: by drawing batches, with a wrong spread that fails."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("d", [4, 64, 768])
def test_the_loss_at_the_start(snippet, d):
    result = snippet("questions/batch")
    z = np.random.default_rng(d).standard_normal((20_000, 128))
    for spread, loss in ((np.sqrt(d), result.bare[d]), (1, result.divided)):
        # Less the match's own logit, whose mean is 0.
        mean, error = mean_and_error(special.logsumexp(spread * z, axis=1))
        assert agrees(mean, loss, error)
        assert not agrees(mean, 1.02 * loss, error)
    assert close(result.even, special.logsumexp(np.zeros(128)))


def test_the_loss_of_vectors(snippet):
    """Real vectors are not quite Gaussian scores: at 768 dimensions it hardly matters."""
    rng = np.random.default_rng(8)
    losses = []
    for _ in range(100):
        q, k = rng.standard_normal((2, 128, 768))
        S = q @ k.T
        losses.append(np.mean(special.logsumexp(S, axis=1) - np.diag(S)))
    mean, error = mean_and_error(np.array(losses))
    assert abs(mean - snippet("questions/batch").bare[768]) < 5 * error + 0.5


def test_cosines(snippet):
    result = snippet("questions/batch")
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors(384))
    assert has_spread(scores(q, k), result.cosine)
    assert has_spread(20 * scores(q, k), result.scaled)
    assert not has_spread(20 * scores(q, k), result.cosine)
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors(768))
    assert has_spread(20 * scores(q, k), result.scaled_768)
    assert not has_spread(20 * scores(q, k), result.scaled)


def test_the_best_loss_that_a_factor_allows(snippet):
    """Orthonormal vectors, each with itself as its match."""
    S = np.eye(128) @ np.eye(128).T
    for factor, loss in snippet("questions/batch").best.items():
        found = -np.diag(special.log_softmax(factor * S, axis=1))
        assert np.allclose(found, loss, rtol=1e-6, atol=0)
        assert not np.allclose(found, np.log1p(128 * np.exp(-factor)), rtol=1e-3, atol=0)
