"""QK-clip, a cap behind a norm, and merged tokens: done to weights and to rows."""

import numpy as np
import pytest

from tests.questions.draws import vectors
from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture
def result(snippet):
    return snippet("questions/clipped")


def softmax(z):
    weights = np.exp(z - np.max(z))
    return weights / weights.sum()


def test_weights_that_are_clipped_shrink_every_logit(result):
    rng = np.random.default_rng(1)
    x, W_Q, W_K, bias = (rng.standard_normal(s) for s in ((30, 20), (20, 8), (20, 8), 8))

    def logits(on_query, on_key, on_bias):
        q, k = x @ (W_Q * on_query) + bias * on_bias, x @ (W_K * on_key)
        return q @ k.T / np.sqrt(8)

    before = logits(1, 1, 1)
    W_Q, bias = W_Q * 400 / np.abs(before).max(), bias * 400 / np.abs(before).max()
    before = logits(1, 1, 1)
    after = logits(result.on_query, result.on_key, result.on_query)
    assert close(np.abs(after).max(), 100)
    assert close(after, result.gamma * before)
    assert close(logits(result.only_query, 1, result.only_query), after)
    assert not close(logits(result.on_query, result.on_key, 1), after, 0.01), "bias left out"
    # Another head with the same keys, whose largest logit was 50.
    assert close(50 * result.on_key, result.neighbour)
    # A norm takes the factor out again.
    normed = [q / np.linalg.norm(q, axis=1, keepdims=True) for q in (x @ W_Q, x @ W_Q * 0.25)]
    assert close(*normed)


def test_a_norm_bounds_logits_and_a_cap_hardly_acts(result):
    q, k = (x / np.sqrt(np.mean(x**2, axis=1, keepdims=True)) for x in vectors(128, 400))
    k[:200] = q[:200]
    logits = q @ k.T / np.sqrt(128)
    assert close(logits.max(), result.bound)
    capped = 50 * np.tanh(logits / 50)
    assert close(capped.max(), result.capped_bound)
    assert close(1 - capped.max() / logits.max(), result.lost)
    assert close((50 * np.tanh(5 * logits / 50)).max(), result.capped_grown)
    assert close(5 * logits.max(), result.grown)
    assert not close(result.capped_grown, result.grown, 0.1)


def test_a_merged_key_weighs_as_much_as_all_that_it_stands_for(result):
    rng = np.random.default_rng(3)
    others, one = rng.standard_normal(496), 0.7
    apart = softmax(np.append(others, np.full(16, one)))[-16:].sum()
    assert close(softmax(np.append(others, one + np.log(16)))[-1], apart)
    assert not close(softmax(np.append(others, one))[-1], apart, 0.01)
    inside = np.append(others, one + np.log(16) / 8)
    assert close(softmax(inside)[-1], softmax(np.append(others, one + np.log(result.inside)))[-1])
    assert close(softmax(np.zeros(512))[:16].sum(), result.true_share)
    assert close(softmax(np.zeros(497))[0], result.bare_share)
    assert close(softmax(others + np.log(16)), softmax(others)), "all merged alike"


@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_keys_that_are_not_quite_equal_weigh_more(result, spread):
    drawn = np.exp(spread * np.random.default_rng(5).standard_normal(200_000))
    weight, error = mean_and_error(drawn)
    assert agrees(weight, result.more[spread], error)
    assert not agrees(weight, 1, error)


def test_the_caption_of_merged_keys(result):
    logits = np.append(np.zeros(496), np.log(16) / 8)
    assert close(softmax(logits)[-1], result.inside_share)
    assert not close(softmax(np.append(np.zeros(496), np.log(16)))[-1], result.inside_share, 0.01)
