"""One score of our row, in whole tenths, where nothing is rounded; another key's fails."""

import numpy as np
import pytest


@pytest.fixture
def tenths(module):
    row = module("common/our_row")
    return [[round(10 * x) for x in row.query[:64]]], [
        [round(10 * x) for x in key[:64]] for key in row.keys
    ]


def test_what_pushes_up_and_what_pushes_down(snippet, tenths):
    page, ((query,), keys) = snippet("variance/one_score"), tenths

    def sums(key):
        products = [q * k for q, k in zip(query, key, strict=True)]
        ups, downs = ([x for x in products if sign * x > 0] for sign in (1, -1))
        return len(ups), len(downs), sum(ups) / 100, -sum(downs) / 100

    shown = (page.n_up, page.n_down, page.ups, page.downs)
    assert np.allclose(shown, sums(keys[1]))
    assert not np.allclose(shown, sums(keys[2]))


def test_how_many_scores_lie_within_a_spread(snippet, tenths):
    (query,), keys = tenths
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
    assert snippet("variance/one_score").inside == sum(abs(score) < 800 for score in scores)
    assert sum(score < 800 for score in scores) != snippet("variance/one_score").inside
