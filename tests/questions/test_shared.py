"""Keys that are queries: by drawing them, with weights a hundredth off that fail."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import scores
from tests.tolerance import agrees, mean_and_error


@pytest.mark.parametrize(("d", "n"), [(16, 32), (64, 512), (64, 64)])
def test_a_token_attends_to_itself(snippet, d, n):
    result = snippet("questions/shared")
    rng = np.random.default_rng([d, n])
    draws = 2000
    q = rng.standard_normal((draws, d))
    others = np.concatenate(
        [
            np.einsum("ad,and->an", part, rng.standard_normal((len(part), n - 1, d)))
            for part in np.array_split(q, 40)
        ]
    )
    logits = np.column_stack([scores(q, q), others]) / np.sqrt(d)
    mean, error = mean_and_error(special.softmax(logits, axis=1)[:, 0])
    assert agrees(mean, result.itself[d][n], error)
    own, own_error = mean_and_error(logits[:, 0])
    assert agrees(own, result.own_logit[d], own_error)
    # A token with another one is not preferred.
    mean, error = mean_and_error(special.softmax(logits, axis=1)[:, 1])
    assert not agrees(mean, result.itself[d][n], error)


def test_how_much_a_token_attends_to_itself_to_a_hundredth(snippet):
    """Given the length, the scores of the others are Gaussian."""
    own, rng = [], np.random.default_rng(12)
    for r in np.split(rng.chisquare(64, 20_000) / 64, 20):
        others = np.sqrt(r)[:, np.newaxis] * rng.standard_normal((len(r), 511))
        own.append(special.expit(8 * r - special.logsumexp(others, axis=1)))
    mean, error = mean_and_error(np.concatenate(own))
    itself = snippet("questions/shared").itself[64][512]
    assert agrees(mean, itself, error)
    for wrong in (-0.01, 0.01):
        assert not agrees(mean, itself + wrong, error)
