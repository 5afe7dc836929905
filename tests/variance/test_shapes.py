"""A score of the figure, added up by hand."""

import math

from tests.tolerance import close


def test_shapes(snippet):
    page = snippet("variance/shapes")
    by_hand = math.fsum(a * b for a, b in zip(page.Q[page.row], page.K[page.column], strict=True))
    assert close(by_hand, page.scores[page.row, page.column])
    assert not close(by_hand, page.scores[page.column, page.row])
