"""Our row divided behind softmax, and with a bias: by plain exponentials, key by key."""

import math

import pytest

from tests.tolerance import close


def shares(logits):
    """Give the share of each logit."""
    total = math.fsum(map(math.exp, logits))
    return [math.exp(z) / total for z in logits]


def test_the_two_lines_by_hand(snippet, module):
    places, row = snippet("mistakes/places"), module("common/our_row")
    scores = [float(sum(row.query[:64] * key[:64])) for key in row.keys]
    steps_back = range(31, -1, -1)
    biased = [z / 8 - back / 4 for z, back in zip(scores, steps_back, strict=True)]
    divided = [(z - back / 4) / 8 for z, back in zip(scores, steps_back, strict=True)]
    plain = shares([z / 8 for z in scores])
    assert close(places.right["after"], plain)
    assert close(places.wrong["after"], [w / 8 for w in shares(scores)])
    assert not close(places.wrong["after"], shares(scores), 1e-2)
    assert close(places.right["bias"], shares(biased))
    assert close(places.wrong["bias"], shares(divided))
    assert not close(places.wrong["bias"], shares(biased), 1e-2)
    assert places.total == pytest.approx(1 / 8)
    for name, logits in {"right": biased, "wrong": divided}.items():
        assert places.near[name] == pytest.approx(sum(shares(logits)[24:]))
    assert places.plain == pytest.approx(sum(plain[24:]))
    assert (places.most, places.best) == (pytest.approx(max(plain)), plain.index(max(plain)) + 1)
    assert places.largest == pytest.approx(max(shares(scores)) / 8)
