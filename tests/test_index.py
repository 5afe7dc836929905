"""The claims of docs/index.md: each by a second route, each with a wrong variant that fails."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.checks import is_median


def largest_weights(seed, d, n_keys, draws, divisor):
    """Draw whole queries and keys, and give the largest attention weight of each draw."""
    rng = np.random.default_rng(seed)
    scores = np.empty((draws, n_keys))
    for row in scores:
        row[:] = rng.standard_normal((n_keys, d)) @ rng.standard_normal(d)
    return softmax(scores / divisor, axis=1).max(axis=1)


@pytest.mark.parametrize(("d", "draws"), [(4, 4000), (64, 2000), (1024, 400)])
def test_medians(snippet, d, draws):
    page = snippet("index/attention")
    unscaled = largest_weights(1, d, page.n_keys, draws, 1)
    scaled = largest_weights(1, d, page.n_keys, draws, np.sqrt(d))
    by_d = largest_weights(1, d, page.n_keys, draws, d)
    assert is_median(page.median_unscaled_max[d], unscaled, page.draws)
    assert is_median(page.median_scaled_max[d], scaled, page.draws)
    assert not is_median(page.median_scaled_max[d], unscaled, page.draws), "no divisor"
    assert not is_median(page.median_scaled_max[d], by_d, page.draws), "d for √d"


def test_the_draws_shown_are_typical(snippet):
    page = snippet("index/attention")
    for d in page.dims:
        for weights in (page.unscaled[d], page.scaled[d]):
            assert weights.shape == (page.n_keys,)
            assert np.isclose(weights.sum(), 1)
            assert np.all(np.diff(weights) <= 0)
        assert np.isclose(page.unscaled[d][0], page.median_unscaled_max[d])
        sample = largest_weights(2, d, page.n_keys, 400, np.sqrt(d))
        assert 0.1 < np.mean(sample < page.scaled[d][0]) < 0.9
        # Both rows are of one draw: undo the divisor on the logarithms of the weights.
        log = np.log(page.scaled[d]) * np.sqrt(d)
        assert np.allclose(softmax(log), page.unscaled[d])
        assert not np.allclose(softmax(log / np.sqrt(d)), page.unscaled[d])


def test_weights_collapse_without_the_divisor_only(snippet):
    page = snippet("index/attention")

    def steady(medians):  # the largest weight varies less between d than it differs from even
        values = [medians[d] for d in page.dims]
        return max(values) - min(values) < min(values) - 1 / page.n_keys

    assert steady(page.median_scaled_max)
    assert not steady(page.median_unscaled_max)
    assert page.median_unscaled_max[1024] > 0.999
