"""The pictures of the chapters, each by another route, with something wrong that fails."""

import numpy as np
from scipy.integrate import trapezoid
from scipy.special import softmax

from tests.tolerance import agrees, close, variance_and_error


def test_the_picture_of_growth(snippet):
    """By taking the steps, with a step that turns round and fails."""
    picture = snippet("index/picture_growth")

    def climbed(steps, sign=1):
        q = np.full(picture.d, picture.step * steps)
        return q @ (sign * q) / np.sqrt(picture.d)

    assert close(picture.logit["√d"][-1], climbed(3000))
    assert not close(picture.logit["√d"][-1], climbed(3000, -1), 0.1)
    assert picture.bounded.max() <= picture.bound < picture.logit["d"].max()


def test_the_picture_of_mistakes(snippet):
    """By running a row in each pair of codes, with codes in another order that fails."""
    picture = snippet("index/picture_mistakes")
    z = np.random.default_rng(0).standard_normal(400)
    spread = np.array(
        [[(run * z / own).std() / z.std() for run in picture.factor] for own in picture.factor]
    )
    assert np.allclose(np.abs(np.log2(spread)), picture.apart)
    assert not np.allclose(np.abs(np.log2(spread[::-1])), picture.apart)


def test_the_picture_of_flat_and_frozen(snippet, module):
    """By an integral, with another number of keys that fails."""
    picture = snippet("index/picture_model")
    participation = module("saturation/gaussian_logits").participation
    exact = [participation(64, sigma) / 64 for sigma in picture.spread]
    assert np.allclose(picture.share, exact, atol=0.01)
    fewer = [participation(32, sigma) / 32 for sigma in picture.spread]
    assert not np.allclose(picture.share, fewer, atol=0.01)


def test_the_picture_of_the_weights(snippet, module):
    """By an integral, with another spread that fails."""
    picture = snippet("index/picture_saturation")
    largest = module("saturation/gaussian_logits").largest
    for values, sigma in ((picture.bare, 8), (picture.divided, 1)):
        exact = [largest(int(n), sigma) for n in picture.counts]
        assert np.allclose(values, exact, atol=0.07)
        assert not np.allclose(values, [largest(int(n), 3) for n in picture.counts], atol=0.07)


def test_the_picture_of_the_rivals(snippet):
    """By drawing scores, with another divisor that fails."""
    picture = snippet("index/picture_scales")
    rng = np.random.default_rng(7)
    for place, d in ((0, 4), (-1, 4096)):
        scores = np.sum(np.prod(rng.standard_normal((2, 2000, d)), axis=0), axis=1)
        for name, divisor in {"1": 1, "log d": np.log(d), "√d": np.sqrt(d), "d": d}.items():
            variance, error = variance_and_error(scores / divisor)
            assert agrees(variance, picture.spread[name][place] ** 2, error), name
            assert not agrees(variance, (1.3 * picture.spread[name][place]) ** 2, error), name


def test_the_picture_of_the_turn(snippet, module):
    """By traces of matrices, with the other formula that fails."""
    picture, moments = snippet("index/picture_theorem"), module("theorem/moments")
    for angle, exact, printed in zip(picture.angle, picture.exact, picture.published, strict=True):
        C = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        assert close(exact, moments.second_moment(np.eye(2), np.eye(2), C))
        assert close(exact, printed) == (abs(np.sin(angle)) < 1e-9), "they part as soon as it turns"
        assert close(printed, moments.published(np.eye(2), np.eye(2), C))


def test_the_picture_of_a_selection(snippet):
    """By drawing rows of scores, with another mean that fails."""
    picture = snippet("index/picture_trained")
    rng = np.random.default_rng(5)
    z = rng.standard_normal((400, 2000))
    for values, weights in ((picture.every, np.ones_like(z)), (picture.picked, softmax(z, axis=1))):
        drawn = np.average(z, axis=1, weights=weights)
        mean, error = drawn.mean(), drawn.std() / np.sqrt(len(drawn))
        # The curve ends at 5, and a row of 2000 keys has few that far out: a fiftieth at most.
        assert agrees(trapezoid(values * picture.score, picture.score), mean, error + 0.02, 3)
        assert not agrees(0.5, mean, error + 0.02, 3)


def test_the_picture_of_a_step(snippet):
    """By taking a tiny one, with a step of another optimiser that fails."""
    picture = snippet("index/picture_training")
    q, k = np.random.default_rng(0).standard_normal((2, 3, picture.d))

    def gained(along_q, along_k, tiny=1e-6):
        terms = (q + tiny * along_q) * (k + tiny * along_k) - q * k
        return picture.step * np.cumsum(terms, axis=1) / tiny

    assert close(gained(np.sign(k), np.sign(q)), picture.moved, 1e-4)
    assert not close(gained(k, q), picture.moved, 0.1), "SGD takes the gradient itself"


def test_the_picture_of_the_spread(snippet):
    """By drawing scores, with a variance that fails."""
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
