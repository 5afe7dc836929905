"""Other attentions' divisors: by drawing vectors, with a wrong divisor that fails."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import SAMPLES, has_spread, scores, vectors
from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture
def result(snippet):
    return snippet("questions/elsewhere")


def test_a_token_beside_its_position(result):
    rng, place = np.random.default_rng(0), np.arange(100)[:, np.newaxis]
    angles = place / 10_000 ** (2 * np.arange(256) / 512)
    position = np.hstack([np.sin(angles), np.cos(angles)])
    assert np.allclose(np.linalg.norm(position, axis=1), result.length["position"])
    token = rng.standard_normal((2000, 512)) / np.sqrt(512)
    for factor, name in ((1, "token"), (np.sqrt(512), "multiplied")):
        mean, error = mean_and_error(np.linalg.norm(factor * token, axis=1) ** 2)
        assert agrees(mean, result.length[name] ** 2, error)
    assert not agrees(mean, result.length["position"] ** 2, error)


@pytest.mark.parametrize("terms", [8, 128])
def test_additive_scores_have_one_spread(result, terms):
    a, b, v = np.random.default_rng(terms).standard_normal((3, SAMPLES, terms))
    score = np.sum(v / np.sqrt(terms) * np.tanh(a + b), axis=1)
    assert has_spread(score, result.additive)
    assert not has_spread(score * np.sqrt(terms), result.additive)
    # Within a row a is given: the variance over b, averaged over a, by a sum on a grid.
    z = np.linspace(-9, 9, 1001)
    p = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    tanh = np.tanh(z[:, np.newaxis] + z)
    assert close(np.sqrt(p @ (tanh**2 @ p - (tanh @ p) ** 2)), result.additive_row)
    assert not close(result.additive, result.additive_row, 0.1)


def test_channels_sum_over_positions(result):
    rng = np.random.default_rng(1)
    few = np.array([scores(*rng.standard_normal((2, 4, 4096))) for _ in range(1000)]).ravel()
    assert has_spread(few, result.channel)
    assert not has_spread(few, np.sqrt(64)), "not over 64 channels"
    assert result.channel * result.channel_cosine == 1


def test_the_root_of_all_heads_is_a_temperature(result):
    assert has_spread(scores(*vectors(32)) / np.sqrt(128), result.sets)
    assert not has_spread(scores(*vectors(32)) / np.sqrt(32), result.sets)
    z = np.random.default_rng(2).standard_normal((200, 20_000))
    for spread, name in ((1, "root"), (result.sets, "sets")):
        square = np.sum(special.softmax(spread * z, axis=1) ** 2, axis=1)
        assert abs(1 / square.mean() / 20_000 / result.share[name] - 1) < 0.01
    assert abs(result.share["sets"] / result.share["root"] - 1) > 0.5


def test_half_of_the_weight_goes_to_the_stored_pattern(result):
    """Of 512 Gaussian patterns of 64 coordinates, one of length 8 is asked for."""
    z = np.random.default_rng(3).standard_normal((4000, 511))

    def weight(beta):
        return special.expit(64 * beta - special.logsumexp(8 * beta * z, axis=1)).mean()

    assert abs(weight(result.beta) - 1 / 2) < 0.01
    assert weight(result.beta_of_root) > 0.6 > 0.4 > weight(0.09)
    assert 8 * result.beta_of_root == 1


def test_gains_multiply_coordinate_by_coordinate(result):
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) * 8 for v in vectors(64))
    assert has_spread(scores(1.5 * q, 1.5 * k) / 8, result.both)
    assert not has_spread(scores(1.5 * q, k) / 8, result.both)
    half = np.repeat([2, 0], 32)
    assert np.all(scores(q * half, k * half[::-1]) == result.apart)
    assert has_spread(scores(q * half, k * half) / 8, np.sqrt(8)), "not apart"


def test_heads_of_8(result):
    q, _ = vectors(8, 200_000)
    length = np.linalg.norm(q, axis=1)
    assert abs(length.std() / length.mean() - result.small_length) < 0.003
    # E S⁴ of 8 products: E q⁴k⁴ = 9 of each, and 3 of each two.
    assert result.small_kurtosis == (8 * 9 + 3 * 8 * 7) / 8**2 - 3
    # Of very many Gaussian keys exp(-|q|²/d) take part of the query's row.
    mean, error = mean_and_error(np.exp(length**2 / 8))
    assert agrees(mean, 1 / result.small_share, error)
    assert not agrees(mean, 1 / result.share["root"], error)
    # The share of a query by itself, averaged, is not one over that.
    mean, error = mean_and_error(np.exp(-(length**2) / 8))
    assert agrees(mean, result.small_mean, error)
    assert not agrees(mean, result.small_share, error)


def test_heads_of_8_with_512_keys(result):
    """So it is, nearly, where the keys can be counted: 42% by each query's own, 34% by the mean."""
    rng = np.random.default_rng(5)
    length = np.linalg.norm(rng.standard_normal((4000, 8)), axis=1, keepdims=True)
    logits = length / np.sqrt(8) * rng.standard_normal((4000, 512))
    square = np.sum(special.softmax(logits, axis=1) ** 2, axis=1)
    assert abs(np.mean(1 / square) / 512 - result.small_mean) < 0.03
    assert abs(1 / np.mean(square) / 512 - result.small_share) < 0.03


def test_a_common_mean(result):
    q, k = vectors(64) + 0.5
    logits = scores(q, k) / 8
    mean, error = mean_and_error(logits)
    assert agrees(mean, result.mean_logit, error)
    assert has_spread(logits, result.all_spread)
    assert has_spread(logits - scores(q, np.full(64, 0.5)) / 8, result.row_spread)
    assert not has_spread(logits, result.row_spread)
    assert has_spread(scores(np.full(64, 0.5), k) / 8, result.of_key)
