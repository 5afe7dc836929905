"""What the glossary says of numbers, and cases that show why it says so and no more."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.conftest import PROJECT
from tests.tolerance import agrees, mean_and_error
from weave.embeds.glossary import terms_with_lines


@pytest.fixture(scope="module")
def means():
    """Give what the glossary says of a word."""
    return {term.name: term.definition for _, term in terms_with_lines(PROJECT)}


def test_saturated_rows_can_answer_strongly(means, snippet):
    """Not each is stiff: of 512 keys a few hold the weight, and the derivatives are larger."""
    row, size = snippet("saturation/certainty"), snippet("saturation/gradients")
    assert row.best_two[512] > 0.8
    assert size.median_at[512][8] > 2 * size.median_at[512][1]
    assert size.median_at[3][8] < 0.01 < size.median_at[3][1]
    assert "With a single winner" in means["Saturated"]
    assert "with rivals" in means["Saturated"]
    # Most rows of three have next to no derivative, and few of 512.
    assert size.near_zero_at[3][8] > 0.5 > 0.1 > size.near_zero_at[512][8]
    assert "most rows of three random keys, but not of hundreds" in means["Vanishing gradient"]


def test_a_frozen_row_need_not_have_few_keys(means, snippet):
    """By the limit 1/(1 - α), for any large number of keys."""
    beyond = snippet("saturation/freezing").beyond
    assert beyond[2] == 2
    assert round(beyond[1.1], 9) == 11
    assert "about two at twice the freezing point, and larger close to it" in means["Frozen"]


def test_the_standard_deviation_is_not_where_most_draws_are(means, snippet):
    tails = snippet("variance/tails")
    assert tails.zero > 0.99  # although the standard deviation is 8
    assert "most draws can lie much closer" in means["Standard deviation"]


def test_isserlis_needs_jointly_gaussian_numbers(means):
    """q and k = εq with a random sign are Gaussian each, and uncorrelated: E(q·k)² is not d."""
    rng, d = np.random.default_rng(4), 6
    q = rng.standard_normal((100_000, d))
    k = rng.choice([-1, 1], (100_000, 1)) * q
    mean, error = mean_and_error(np.sum(q * k, axis=1) ** 2)
    assert agrees(mean, d * (d + 2), error)  # 48
    assert not agrees(mean, d, error)  # by pairs of covariances
    assert "jointly Gaussian" in means["Isserlis's theorem"]


def test_the_geometric_mean_is_not_carried_by_a_few(means):
    p = softmax(8 * np.random.default_rng(2).standard_normal(512))
    assert np.exp(np.mean(np.log(p))) < p.mean() / 1e6
    assert "not carried by the few largest" in means["Geometric mean"]
