"""Factors that a model brings along: as vectors and weights have them, left out or misplaced."""

import math

import numpy as np
import pytest

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture
def result(snippet):
    return snippet("questions/ported")


def factor(t, begin, beta=0.1):
    """Count the whole stretches before a position, one by one."""
    stretches = sum(1 for _ in range(begin, t + 1, begin))
    return 1 + beta * math.log1p(stretches)


def test_the_factor_of_a_position(result):
    assert close(result.llama4, factor(131_072, 8192))
    assert close(result.ministral, factor(131_072, 16_384))
    assert close(result.in_pieces, factor(131_072 % 4096, 8192))
    assert not close(result.in_pieces, factor(131_072, 8192)), "of the whole text"
    assert close(result.last_of_16, factor(16 * 16_384 - 1, 16_384))
    assert not close(result.last_of_16, factor(16 * 16_384, 16_384)), "one token on"
    # The number in vLLM's report.
    assert close(result.yarn_of_16, 1.2772588722239782)


def test_it_counts_once_and_yarn_twice(result):
    q, k = vectors(64)
    assert has_spread(scores(result.llama4 * q, k) / 8, result.llama4)
    both = scores(result.yarn_of_16 * q, result.yarn_of_16 * k) / 8
    assert has_spread(both, result.yarn_of_16_logits)
    assert not has_spread(both, result.yarn_of_16)
    assert close(result.yarn_of_16_logits, 1.2772588722239782**2)


def attend(logits, values):
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights, weights @ values


def test_a_factor_on_values_is_none_on_logits(result):
    rng = np.random.default_rng(2)
    logits, values = rng.standard_normal((40, 65_536)), rng.standard_normal((65_536, 4))
    W = rng.standard_normal((4, 3))
    weights, out = attend(logits, values)
    flat, other = attend(0.707 * logits, values)
    same_weights, scaled = attend(logits, 0.707 * values)
    assert close(weights, same_weights)
    assert close(scaled, 0.707 * out)
    assert close(scaled @ W, out @ (0.707 * W)), "folded into what follows"
    assert not close(other, scaled, 1e-4)
    assert close(out, result.dropped * scaled)
    for p, share in ((weights, result.share_right), (flat, result.share_wrong)):
        squares, error = mean_and_error(np.sum(p**2, axis=-1) * p.shape[-1])
        assert agrees(squares, 1 / share, error)
    squares, error = mean_and_error(np.sum(flat**2, axis=-1) * flat.shape[-1])
    assert not agrees(squares, 1 / result.share_right, error)


def test_a_small_copy(result):
    drawn = scores(*vectors(2))
    assert has_spread(drawn * 256**-0.5, result.small_copy)
    assert has_spread(drawn * 2**-0.5, result.small_mended)
    assert not has_spread(drawn * 256**-0.5, result.small_mended)


def test_scales_of_stored_numbers_come_back_once(result):
    q, k = vectors(64, 500)
    k *= 9 / np.abs(k).max()
    stored = k / result.k_scale
    assert close(np.abs(stored).max(), 448)
    right = scores(q, k) / 8
    assert close(scores(q, stored) * (result.k_scale / 8), right)
    assert close(scores(q, stored) / 8, right * result.too_large)
    assert close(scores(q, k) * (result.k_scale / 8), right * result.too_small)


@pytest.mark.parametrize(
    ("name", "d", "scale"),
    [
        ("1, heads of 512", 512, 1),
        ("1, heads of 256", 256, 1),
        ("8/d, heads of 128", 128, 8 / 128),
    ],
)
def test_a_kernel_that_always_divides(result, name, d, scale):
    torch = pytest.importorskip("torch")
    q, k, v = torch.randn(3, 1, 1, 9, d, dtype=torch.float64)
    attention = torch.nn.functional.scaled_dot_product_attention
    wanted = attention(q, k, v, scale=scale)
    assert torch.allclose(attention(q * result.ahead[name], k, v), wanted)
    assert not torch.allclose(attention(q * scale, k, v), wanted), "the division is still there"
