"""The divisors of known models: by drawing vectors, with a wrong divisor that fails."""

import numpy as np

from tests.questions.draws import SAMPLES, has_spread, scores, vectors
from tests.tolerance import close


def test_three_terms_without_the_three(snippet):
    rng = np.random.default_rng(7)
    q, k, position_q, position_k = rng.standard_normal((4, SAMPLES, 64))
    logits = (scores(q, k) + scores(q, position_k) + scores(position_q, k)) / 8
    result = snippet("questions/models")
    assert has_spread(logits, result.one)
    assert has_spread(logits / np.sqrt(3), result.three)
    assert not has_spread(logits, result.three)


def test_mla_forms_the_same_score_from_more_terms(snippet):
    """128 coordinates merged into 512, and 64 turned ones beside them."""
    rng = np.random.default_rng(8)
    q, latent = rng.standard_normal((2000, 128)), rng.standard_normal((2000, 512))
    W = rng.standard_normal((128, 512)) / np.sqrt(512)
    q_turned, k_turned = rng.standard_normal((2, 2000, 64))
    merged = scores(np.hstack([q @ W, q_turned]), np.hstack([latent, k_turned]))
    plain = scores(np.hstack([q, q_turned]), np.hstack([latent @ W.T, k_turned]))
    assert close(merged, plain)
    # One W for all: its own chance moves the variance by a few per cent.
    assert abs(np.std(merged / np.sqrt(192)) - 1) < 0.1
    assert abs(np.std(merged / np.sqrt(576)) - snippet("questions/models").merged) < 0.06


def test_a_padded_head(snippet):
    result = snippet("questions/models")
    for d, factor in ((80, result.padded), (96, result.padded_96)):
        q, k = (np.pad(v, ((0, 0), (0, 128 - d))) for v in vectors(d))
        assert has_spread(scores(q, k) / np.sqrt(128), factor)
        assert not has_spread(scores(q, k) / np.sqrt(d), factor)


def test_a_factor_on_each_side_counts_twice(snippet):
    result = snippet("questions/models")
    # ln 32 is 5/12 of ln 4096, both being powers of 2.
    assert close(result.attention_factor, (1 + 5 / 12) ** 0.5)
    q, k = vectors(64) * result.attention_factor
    assert has_spread(scores(q, k) / 8, result.long)
    assert not has_spread(scores(q, k) / 8, result.attention_factor)
