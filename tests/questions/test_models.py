"""The divisors of known models: by drawing vectors, with a wrong divisor that fails."""

import numpy as np
import pytest

from tests.questions.draws import SAMPLES, has_spread, scores, vectors
from tests.tolerance import close


def zeros(*arrays, width):
    """Pad arrays with zeros to so many coordinates, as fused kernels do."""
    return [np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in arrays]


def test_padding_adds_nothing_to_a_score(snippet):
    q, k = zeros(*vectors(80), width=128)
    assert has_spread(scores(q, k) / np.sqrt(128), snippet("questions/models").padded)
    assert has_spread(scores(q, k) / np.sqrt(80), 1)
    assert not has_spread(scores(q, k) / np.sqrt(128), 1)


@pytest.mark.parametrize(
    ("name", "d", "under_the_root"),
    [("gemma2", 128, 144), ("gemma2_first", 256, 224), ("gemma3", 128, 168), ("width", 192, 40)],
)
def test_a_number_of_its_own_under_the_root(snippet, name, d, under_the_root):
    """The numbers are those that the threads name; the spread is drawn."""
    spread = getattr(snippet("questions/models"), name)
    assert has_spread(scores(*vectors(d)) / np.sqrt(under_the_root), spread)
    assert not has_spread(scores(*vectors(d)) / np.sqrt(d), spread)


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


def test_a_factor_on_each_side_counts_twice(snippet):
    result = snippet("questions/models")
    # ln 32 is 5/12 of ln 4096, both being powers of 2.
    assert close(result.attention_factor, (1 + 5 / 12) ** 0.5)
    q, k = vectors(64) * result.attention_factor
    assert has_spread(scores(q, k) / 8, result.long)
    assert not has_spread(scores(q, k) / 8, result.attention_factor)


def test_the_layer_does_not_change_a_score(snippet):
    """Layer after layer LayerNorm gives back the length, and so the variance."""
    rng = np.random.default_rng(9)
    x = rng.standard_normal((400, 64)) * 30  # what a deep layer may have added up to
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    W = rng.standard_normal((2, 400, 64, 64)) / 8
    logits = scores(np.einsum("ni,nij->nj", x, W[0]), np.einsum("ni,nij->nj", x[::-1], W[1])) / 8
    assert has_spread(logits, 1)
    assert has_spread(logits / 24, snippet("questions/models").layer)
