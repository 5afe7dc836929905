"""Our row beside three real ones: weights as shares of powers of two, winners counted."""

import math
import statistics

import numpy as np
import pytest

from tests.tolerance import close
from tests.trained.tables import column, rows

HEADS = ["5.9", "1.10", "0.2"]


def stored_rows(head):
    layer, at = head.split(".")
    found = rows("beside.csv", layer=layer, head=at)
    return [[float(score) for score in row["scores"].split()] for row in found]


def shares(scores, d):
    powers = [2 ** (score / math.sqrt(d) / math.log(2)) for score in scores]
    return np.array(powers) / sum(powers)


@pytest.mark.parametrize("head", HEADS)
def test_a_real_row(snippet, head):
    page = snippet("trained/beside")
    asked = [row["query"] for row in rows("beside.csv", layer="0", head="2")]
    at = asked.index("river")
    assert page.words == ["[CLS]", *asked, "[SEP]"]
    scores = stored_rows(head)
    assert (len(scores), len(scores[0])) == (page.asking, page.keys)
    assert close(page.weights[head], shares(scores[at], 32))
    assert not close(page.weights[head], shares(scores[at], 64), 1e-3)
    assert not close(page.weights[head], shares(scores[at + 1], 32), 1e-3), "the next word asks"
    assert close(page.spread[head], statistics.pstdev(scores[at]) / math.sqrt(32))
    won = [row.index(max(row)) for row in scores]
    assert list(page.won[head]) == won
    assert page.oftenest[head] == max(map(won.count, won))


def test_our_row_beside_it(snippet, module):
    page, ours = snippet("trained/beside"), module("common/our_row")
    scores = [math.fsum(ours.query[:64] * key[:64]) for key in ours.keys]
    assert close(page.weights["our row"], shares(scores, 64))
    assert close(page.spread["our row"], statistics.pstdev(scores) / 8)
    assert page.our_winner == 1 + scores.index(max(scores))


def test_other_queries_scatter_the_winners_in_any_draw(snippet, module):
    """A key seldom wins for more than a few queries; if the queries share a half, it does."""
    page, ours = snippet("trained/beside"), module("common/our_row")
    rng = np.random.default_rng(4)

    def oftenest(shared):
        asked = rng.standard_normal((500, page.asking, 64))
        asked = np.sqrt(1 - shared) * asked
        asked += np.sqrt(shared) * rng.standard_normal((500, 1, 64))
        won = (asked @ ours.keys[:, :64].T).argmax(axis=-1)
        return np.array([np.bincount(each).max() for each in won])

    seldom, most = np.quantile(oftenest(0), [0.005, 0.995])
    assert seldom <= page.oftenest["our row"] <= most
    assert np.median(oftenest(1 / 2)) > most
    assert page.oftenest["5.9"] > most


def test_median_heads(snippet):
    page = snippet("trained/beside")
    for what, shown in (("trained", page.as_trained), ("start", page.at_start)):
        assert close(shown, statistics.median(column("winners.csv", what)))
    assert not close(page.as_trained, page.at_start, 0.1)
