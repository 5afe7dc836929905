"""The four rows stand for all draws, and are softmax of the same scores."""

import numpy as np
from scipy.special import softmax

from tests.saturation.draws import close, is_share


def test_rows(snippet):
    page = snippet("saturation/rows")
    # The picks stand for a quarter of all draws each: 1/8, 3/8, … have a smaller largest weight.
    rng = np.random.default_rng(34)
    root = np.sqrt(rng.chisquare(page.d, size=(20_000, 1)))  # the query's length
    largest = softmax(root * rng.standard_normal((20_000, page.n)), axis=1).max(axis=1)
    for place, p in enumerate(page.bare):
        share = (2 * place + 1) / 8
        assert is_share(share, largest < p.max(), page.draws)
        assert not is_share(share + 0.1, largest < p.max(), page.draws)
    # The same scores, divided by √d: the bare weights are the divided ones to the power 8.
    power = page.divided**8 / np.sum(page.divided**8, axis=1, keepdims=True)
    assert close(power, page.bare)
    wrong = page.divided**64 / np.sum(page.divided**64, axis=1, keepdims=True)
    assert not close(wrong, page.bare), "divided by d"
    for lead, times in page.times.items():
        first, second = softmax([lead, 0])
        assert close(times, first / second)
