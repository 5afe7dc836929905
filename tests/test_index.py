"""The claims of docs/index.md: each by a second route, each with a wrong variant that fails."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import softmax

from tests.checks import agrees, close, is_median
from tests.conftest import PROJECT


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


@pytest.mark.parametrize("d", [4, 64, 1024])
def test_medians_to_the_last_digit(snippet, d):
    # Given the query's length the scores are Gaussian.
    page, rng = snippet("index/attention"), np.random.default_rng(6)
    length = np.sqrt(rng.chisquare(d, (60_000, 1)))
    scores = length * rng.standard_normal((60_000, page.n_keys))
    sample = softmax(scores / np.sqrt(d), axis=1).max(axis=1)
    assert is_median(page.median_scaled_max[d], sample, page.draws)
    for unit in (-0.01, 0.01):
        assert not is_median(page.median_scaled_max[d] + unit, sample, page.draws)


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


def test_the_draw_to_drag_is_typical_at_64(snippet):
    page = snippet("index/attention")
    g = page.explore["g"]
    shown = softmax(8 * g).max()
    sample = largest_weights(3, 64, page.n_keys, 2000, 1)
    assert is_median(shown, sample, page.draws)
    assert not is_median(softmax(4 * g).max(), sample, page.draws)


def test_what_a_lead_does(snippet):
    page = snippet("index/attention")
    assert close(page.slight_lead, 1 / (1 + 3 / 1.1051709180756477))
    assert close(np.log(page.times_at_8), 8)


def test_the_picture_of_the_spread(snippet):
    picture = snippet("index/picture_variance")
    rng = np.random.default_rng(4)
    for d in picture.dims:
        mass, square = (trapezoid(picture.bare[d] * picture.x**k, picture.x) for k in (0, 2))
        sample = np.sum(np.prod(rng.standard_normal((2, 4000, d)), axis=0), axis=1)
        within = sample[np.abs(sample) < 20] ** 2
        error = within.std() / np.sqrt(len(within))
        assert abs(mass - np.mean(np.abs(sample) < 20)) < 0.03
        assert agrees(square, within.mean(), error, errors=6)
        assert not agrees(square * 1.3, within.mean(), error, errors=6)


def test_the_picture_of_the_weights(snippet, module):
    picture = snippet("index/picture_saturation")
    largest = module("saturation/gaussian_logits").largest
    for values, sigma in ((picture.bare, 8), (picture.divided, 1)):
        exact = [largest(int(n), sigma) for n in picture.counts]
        assert np.allclose(values, exact, atol=0.07)
        assert not np.allclose(values, [largest(int(n), 3) for n in picture.counts], atol=0.07)


def test_the_picture_of_the_rivals(snippet):
    picture = snippet("index/picture_scales")
    level = [name for name, line in picture.spread.items() if np.ptp(line) < 1e-9]
    assert level == ["√d"]


def test_the_picture_of_the_turn(snippet, module):
    picture, moments = snippet("index/picture_theorem"), module("theorem/moments")
    for angle, exact, printed in zip(picture.angle, picture.exact, picture.published, strict=True):
        C = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        assert close(exact, moments.second_moment(np.eye(2), np.eye(2), C))
        assert close(printed, moments.published(np.eye(2), np.eye(2), C))


def test_the_picture_of_a_step(snippet):
    picture = snippet("index/picture_training")
    assert np.all(np.diff(picture.moved) > 0)
    assert not np.all(np.diff(picture.start) > 0)
    assert np.abs(picture.start[:, -1]).max() < picture.moved[:, -1].min()


def test_the_picture_of_a_selection(snippet):
    picture = snippet("index/picture_trained")
    rng = np.random.default_rng(5)
    z = rng.standard_normal((400, 2000))
    for values, weights in ((picture.every, np.ones_like(z)), (picture.picked, softmax(z, axis=1))):
        drawn = np.average(z, axis=1, weights=weights)
        mean, error = drawn.mean(), drawn.std() / np.sqrt(len(drawn))
        # The curve ends at 5, and a row of 2000 keys has few that far out: a fiftieth at most.
        assert agrees(trapezoid(values * picture.score, picture.score), mean, error + 0.02, 3)
        assert not agrees(0.5, mean, error + 0.02, 3)


def test_every_distinct_error_is_named(snippet):
    """The list on the front page has as many slips as the ledger counts."""
    text = (PROJECT.root / "docs/index.md").read_text("utf-8")
    slips = text.partition("They come to")[2].partition("More often")[0].count("\n- **")
    assert slips == snippet("claims/verdicts").distinct_errors
