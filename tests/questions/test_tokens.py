"""Tokens of unequal variance, through weights of variance 1/D that are drawn."""

import numpy as np
from scipy import special

from tests.questions.draws import has_spread, scores
from tests.tolerance import agrees, mean_and_error

D, SAMPLES = 64, 4000


def through_weights(x, y, seed=0, d=64):
    """Draw bare scores of tokens with these standard deviations, with weights of their own each."""
    rng = np.random.default_rng(seed)
    out = []
    for size in (x, y):
        tokens = size * np.sqrt(D) * unit(rng.standard_normal((SAMPLES, D)))
        W = rng.standard_normal((SAMPLES, d, D)) / np.sqrt(D)
        out.append(np.einsum("nij,nj->ni", W, tokens))
    return scores(*out)


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def test_the_spread_between_modalities(snippet):
    result = snippet("questions/tokens")
    mixed, images = through_weights(1, 2), through_weights(2, 2, seed=1)
    assert has_spread(mixed / 8, result.spread["text to image"])
    assert has_spread(images / 8, result.spread["image to image"])
    assert has_spread(mixed / result.divisor, 1)
    assert not has_spread(mixed / 8, 1)
    assert not has_spread(images / result.divisor, 1), "one divisor does not suit all pairs"


def test_the_larger_tokens_take_more(snippet):
    result = snippet("questions/tokens")
    z = np.random.default_rng(2).standard_normal((20_000, 512))
    z[:, :256] *= 2
    mean, error = mean_and_error(special.softmax(z, axis=1)[:, :256].sum(axis=1))
    assert agrees(mean, result.images_take, error)
    z[:, :256] /= 2
    assert not agrees(special.softmax(z, axis=1)[:, :256].sum(axis=1).mean(), mean, error)


def test_streams_without_a_norm(snippet):
    result = snippet("questions/tokens")
    stream = np.random.default_rng(3).standard_normal((13, 100_000)).sum(axis=0)
    assert has_spread(stream, result.residual)
    assert has_spread(through_weights(1, np.sqrt(13), seed=4) / 8, result.residual)
    assert has_spread(through_weights(0.02, 0.02, seed=5) / 8, result.embedded)
    assert has_spread(through_weights(1, 10, seed=6) / 8, result.longer)
    assert not has_spread(through_weights(1, 10, seed=6) / 8, 1), "no norm follows"
