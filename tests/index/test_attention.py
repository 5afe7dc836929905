"""The weights that pile up: by drawing whole keys, with a wrong length and divisor that fail."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import is_median


def largest_weights(seed, d, n_keys, draws, divisor, length=1):
    """Draw whole queries of length √d and whole keys, and give the largest weight of each draw."""
    rng = np.random.default_rng(seed)
    scores = np.empty((draws, n_keys))
    for row in scores:
        query = rng.standard_normal(d)
        query *= length * np.sqrt(d) / np.linalg.norm(query)
        row[:] = rng.standard_normal((n_keys, d)) @ query
    return softmax(scores / divisor, axis=1).max(axis=1)


@pytest.mark.parametrize(("d", "draws"), [(4, 8000), (64, 2000), (1024, 400)])
def test_medians(snippet, d, draws):
    page = snippet("index/attention")
    unscaled = largest_weights(1, d, page.n_keys, draws, 1)
    scaled = largest_weights(1, d, page.n_keys, draws, np.sqrt(d))
    by_d = largest_weights(1, d, page.n_keys, draws, d)
    longer = largest_weights(1, d, page.n_keys, draws, 1, length=1.3)
    assert is_median(page.median_unscaled_max[d], unscaled, page.draws)
    assert is_median(page.median_scaled_max, scaled, page.draws)
    assert not is_median(page.median_unscaled_max[d], longer, page.draws), "another length"
    assert not is_median(page.median_scaled_max, unscaled, page.draws), "no divisor"
    assert not is_median(page.median_scaled_max, by_d, page.draws), "d for √d"


def test_medians_with_a_query_that_is_drawn(snippet):
    """Whole queries of four dimensions, whose lengths vary."""
    page, rng = snippet("index/attention"), np.random.default_rng(4)
    query, keys = rng.standard_normal((8000, 4, 1)), rng.standard_normal((8000, page.n_keys, 4))
    scores = (keys @ query)[..., 0]
    largest = {
        name: softmax(scores / by, axis=1).max(axis=1) for name, by in (("bare", 1), ("divided", 2))
    }
    for name, sample in largest.items():
        assert is_median(page.drawn_query[name], sample, page.draws)
    assert not is_median(page.median_unscaled_max[4], largest["bare"], page.draws), "one length"


def test_medians_to_the_last_digit(snippet):
    page = snippet("index/attention")
    sample = largest_weights(6, 4, page.n_keys, 40_000, 2)
    assert is_median(page.median_scaled_max, sample, page.draws)
    for unit in (-0.01, 0.01):
        assert not is_median(page.median_scaled_max + unit, sample, page.draws)


def test_what_is_dragged_shows_the_medians_of_the_text(snippet):
    page = snippet("index/attention")
    g = page.explore["g"]
    assert g.shape == (page.n_keys,)
    for d in page.dims:
        shown = softmax(np.sqrt(d) * g)
        assert abs(shown.max() - page.median_unscaled_max[d]) < 0.005
        assert np.allclose(page.unscaled[d], np.sort(shown)[::-1])
        assert abs(softmax(1.3 * np.sqrt(d) * g).max() - shown.max()) > 1e-5
    assert abs(softmax(g).max() - page.median_scaled_max) < 0.005
    assert np.allclose(page.scaled, np.sort(softmax(g))[::-1])


def test_three_keys_a_spread_apart(snippet):
    rows = {name: weights for name, *weights in snippet("index/attention").rows}
    for name, gap in {"undivided": 8, "÷ √d": 1, "÷ d": 1 / 8}.items():
        by_hand = np.array([1, np.exp(-gap), np.exp(-2 * gap)])
        assert np.allclose(rows[name], by_hand / by_hand.sum())
        assert not np.allclose(rows[name], (by_hand / by_hand.sum())[::-1])


def test_the_exponentials_of_three_scores(snippet):
    page, e = snippet("index/attention"), math.e
    assert np.allclose(page.exponentials, [e**8, 1, 1 / e**8])
    assert not np.allclose(page.exponentials, [e, 1, 1 / e]), "of the divided scores"


@pytest.mark.parametrize("rho", [0, 0.01, 0.3, 1])
@pytest.mark.parametrize("n_keys", [2, 8, 32])
def test_the_caption_at_the_states_of_its_sliders(snippet, rho, n_keys):
    """Random keys pile up undivided, not divided by √d; an aligned one may take all with both."""
    g = snippet("index/attention").explore["g"][:n_keys]
    dims = 2.0 ** np.arange(0, 10.1, 0.1)
    first = {0: [], 0.5: []}
    for power, found in first.items():
        for d in dims:
            others = softmax(np.sqrt(d) * g[: n_keys - (rho > 0)] / d**power)
            found.append(others.max())  # their weights beside each other, whatever else has some
    if n_keys - (rho > 0) > 1:
        assert np.all(np.diff(first[0]) >= 0)
        assert first[0][-1] > first[0][0]
        assert np.ptp(first[0.5]) < 1e-12
    if rho >= 0.3:  # "with it they do not" fails of all keys
        own = rho * 1024 + np.sqrt((1 - rho**2) * 1024) * g[-1]
        scores = np.append(np.sqrt(1024) * g[:-1], own)
        assert softmax(scores / 32)[-1] > 0.99
