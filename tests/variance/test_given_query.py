"""The scores of one query: keys drawn anew, and a query in another direction."""

import numpy as np
from scipy import stats

from tests.tolerance import agrees, variance_and_error


def test_given_query(snippet):
    page = snippet("variance/given_query")
    rng = np.random.default_rng(3)
    for name, variance in page.variance.items():
        query = np.sqrt(variance) * np.ones(page.d)  # another direction, the same length
        scores = rng.standard_normal((page.n_keys, page.d)) @ query / np.sqrt(page.d)
        assert stats.kstest(scores, stats.norm(scale=np.sqrt(variance)).cdf).pvalue > 1e-4
        assert agrees(page.simulated[name], variance, page.standard_error[name])
        if name != "middling":
            assert not agrees(page.simulated[name], 1, page.standard_error[name])
            assert stats.kstest(scores, stats.norm.cdf).pvalue < 1e-4


def test_spread_of_the_query_length(snippet):
    page = snippet("variance/given_query")
    query = np.random.default_rng(4).standard_normal((20_000, page.d))
    assert abs(np.linalg.norm(query, axis=1).std() / 8 - page.length_spread) < 0.003
    variance, error = variance_and_error(np.sum(query**2, axis=1) / page.d)
    assert agrees(variance, page.norm_spread**2, error)
    assert not agrees(variance, 1 / page.d, error)
