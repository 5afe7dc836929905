"""The claims of docs/index.md: each by a second route, each with a wrong variant that fails."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import softmax

from tests.conftest import PROJECT
from tests.tolerance import agrees, close, is_median


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


def test_an_aligned_key_comes_first_by_either_divisor(snippet):
    """As docs/saturation.md says of the states that it links to."""
    g = snippet("index/attention").explore["g"]

    def share(d, divisor, rho=0.3):
        # The last key is ρq and a part of its own, and |q|² = d.
        own = rho * d + np.sqrt((1 - rho**2) * d) * g[-1]
        weights = softmax(np.append(np.sqrt(d) * g[:-1], own) / divisor)
        return weights[-1], weights.argmax() == len(g) - 1

    assert share(1024, 32)[0] > 0.95
    little, first = share(1024, 1024)
    assert first
    assert 1 / 32 < little < 1.5 / 32
    assert not share(1024, 32, rho=0)[1]


def test_weights_collapse_without_the_divisor_only(snippet):
    page = snippet("index/attention")
    rows = [largest_weights(2, d, page.n_keys, 400, np.sqrt(d)) for d in page.dims]
    bare = [largest_weights(2, d, page.n_keys, 400, 1) for d in page.dims]
    medians, errors = np.median(rows, axis=1), 1.25 * np.std(rows, axis=1) / 20
    assert np.all(abs(medians - page.median_scaled_max) < 4.5 * errors)
    assert not np.all(abs(np.median(bare, axis=1) - page.median_scaled_max) < 4.5 * errors)
    assert page.median_unscaled_max[1024] > 0.999


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
