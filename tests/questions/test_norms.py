"""Norms over other axes, on one side, before a turn, and on weights: by drawing."""

import numpy as np
import pytest

from tests.questions.draws import has_spread, scores, vectors
from tests.tolerance import close

RNG = np.random.default_rng(0)


@pytest.fixture
def result(snippet):
    return snippet("questions/norms")


def rms(x):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True))


def largest(W):
    """Give the largest singular value."""
    return np.sqrt(np.linalg.eigvalsh(W @ W.T)[-1])


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def heads_of(times, per_head, samples=3000):
    """Draw queries and keys with one large head, norm them, and give the logits of all heads."""
    x = RNG.standard_normal((2, samples, 32, 128))
    x[:, :, 0] *= times
    x = rms(x) if per_head else rms(x.reshape(2, samples, -1)).reshape(x.shape)
    return scores(*x) / np.sqrt(128)


def test_a_norm_over_the_whole_width(result):
    logits = heads_of(6, per_head=False)
    assert abs(logits[:, 0].std() / result.large[6] - 1) < 0.06
    assert abs(logits[:, 1:].std() / result.others[6] - 1) < 0.02
    each = heads_of(6, per_head=True)
    assert abs(each[:, 0].std() - 1) < 0.06
    assert abs(each[:, 0].std() / result.large[6] - 1) > 0.5
    assert abs(heads_of(1, per_head=False).std() - 1) < 0.01
    x = rms(RNG.standard_normal((20_000, 4096)))[:, :128]
    varies = np.linalg.norm(x, axis=1).std() / np.sqrt(128)
    assert abs(varies / result.length_varies - 1) < 0.03


def test_the_bound_is_reached_by_one_head(result):
    for group in (1, 4, 32):
        q = np.zeros(group * 128)
        q[5] = 3.0
        q = rms(q)
        assert close(q[:128] @ q[:128] / np.sqrt(128), result.bound[group])
    parts = rms(RNG.standard_normal((4, 32))).ravel()
    assert close(parts @ parts / np.sqrt(128), result.bound[1])
    assert not close(result.bound[4], result.bound[1])


def test_one_side_and_other_lengths(result):
    assert result.size == 64
    q, k = vectors(result.size)
    assert has_spread(scores(2 * rms(q), rms(k)) / 8, result.one_side[2])
    assert has_spread(scores(q, rms(k)) / 8, 1)
    assert has_spread(scores(unit(q), unit(k)), result.spread["L2"])
    assert has_spread(scores(rms(q), rms(k)), result.spread["RMS"])
    assert has_spread(scores(unit(q), rms(k)), result.spread["one each"])
    assert has_spread(8 * scores(unit(q), unit(k)), result.multiplied)
    assert has_spread(scores(unit(q), unit(k)) / 8, result.l2_divided)
    assert has_spread(10 * scores(unit(q), unit(k)), result.ten)
    assert not has_spread(scores(unit(q), unit(k)) / 8, result.multiplied)


def turn(x, angle):
    c, s = np.cos(angle), np.sin(angle)
    first, second = x[..., ::2], x[..., 1::2]
    return np.stack([c * first - s * second, s * first + c * second], -1).reshape(x.shape)


def test_norms_and_turns(result):
    q, k = vectors(64)
    assert close(rms(turn(q, 0.7)), turn(rms(q), 0.7))
    gains = np.tile([1.5, 0.5], 32)
    for angle, spread in ((0, result.near), (np.pi / 2, result.quarter)):
        logits = scores(gains * rms(q), turn(gains * rms(k), angle)) / 8
        assert has_spread(logits, spread)
        c, s = np.cos(angle), np.sin(angle)
        M = np.diag(gains[:2]) @ [[c, -s], [s, c]] @ np.diag(gains[:2])
        assert close(np.linalg.norm(M), np.sqrt(2) * spread), "of one pair"
        last = scores(gains * rms(q), gains * rms(turn(k, angle))) / 8
        assert has_spread(last, result.near), "the gains last: the spread stays"
    pair = np.array([1.0, 0.0])
    for angle, score in ((0, result.first), (np.pi / 2, result.further)):
        assert close(np.sum((gains[:2] * turn(pair, angle)) ** 2), score)
    centred = q - q.mean(axis=1, keepdims=True)
    other = turn(q, 0.7) - turn(q, 0.7).mean(axis=1, keepdims=True)
    assert not close(turn(centred, 0.7), other, 1e-3), "LayerNorm's mean is turned too"


def bare_spread(weights, d, draws):
    """Give the spread of undivided scores with weights that are made of Gaussian ones.

    Tokens of length √D in random directions have E[xx'] = I, so given the weights the mean square
    of a score is ‖W_Q'W_K‖².
    """
    squares = []
    for _ in range(draws):
        W = RNG.standard_normal((2, d, 512)) / np.sqrt(512)
        A, B = (w @ w.T for w in map(weights, W))
        squares.append(np.sum(A * B))
    return np.sqrt(np.mean(squares))


@pytest.mark.parametrize(("at", "draws"), [(0, 150), (1, 80), (2, 40)])
def test_weights_of_spectral_norm_1(result, at, draws):
    d = result.sizes[at]
    assert d == (64, 128, 256)[at]
    spread = bare_spread(lambda w: w / largest(w), d, draws)
    assert abs(spread / result.norm_1[d] - 1) < 0.008
    assert abs(spread / np.sqrt(d) / result.norm_1_divided[d] - 1) < 0.008
    assert abs(spread / np.sqrt(d) - 1) > 0.3, "it is no substitute for the root"


def test_the_mean_square_of_a_score_by_drawing_tokens(result):
    x = rms(RNG.standard_normal((2, 3000, 512)))
    W = RNG.standard_normal((2, 64, 512)) / np.sqrt(512)
    q, k = (t @ w.T / largest(w) for t, w in zip(x, W, strict=True))
    assert abs(np.std(scores(q, k)) / result.norm_1[64] - 1) < 0.1


def test_orthogonal_weights_and_rows_of_length_1(result):
    orthogonal = bare_spread(lambda w: np.linalg.qr(w.T)[0].T, 64, 5)
    rows = bare_spread(unit, 64, 40)
    for spread in (orthogonal, rows):
        assert abs(spread / result.rows_of_1[64] - 1) < 0.08
        assert abs(spread / result.norm_1[64] - 1) > 0.3
    assert close(orthogonal, result.rows_of_1[64])


def test_the_matrix_of_all_heads(result):
    squares = [largest(RNG.standard_normal((512, 512))) ** 2 / 512 for _ in range(12)]
    assert abs(1 / np.mean(squares) - result.fused_divided) < 0.003
    assert close(np.sqrt(512) * np.sqrt(512) / 8, result.room)


def test_channels_that_attend_to_channels(result):
    """Products over tokens: by drawing, with and without the norm over them."""
    rng = np.random.default_rng(7)
    q, k = rng.standard_normal((2, 400, result.channels, result.tokens))
    bare, normed = q @ k.swapaxes(1, 2), unit(q) @ unit(k).swapaxes(1, 2)
    assert close(bare.std(), result.over_tokens, 0.01)
    assert close(normed.std(), result.cosine_over_tokens, 0.001)
    assert not close(normed.std(), result.channels**-0.5, 0.001), "the tokens, not the channels"
    p = np.exp(normed) / np.exp(normed).sum(axis=-1, keepdims=True)
    assert close(1 / np.mean(np.sum(p**2, axis=-1)), result.channels_taking_part, 0.005)
