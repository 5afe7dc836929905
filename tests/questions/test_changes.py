"""What changes the spread, and what does not: by drawing it, and with a wrong spread that fails."""

import numpy as np
import pytest
from scipy import special

from tests.questions.draws import SAMPLES, has_spread, scores, vectors
from tests.tolerance import agrees, close, mean_and_error


def xavier(width, rng, outputs=512, d=64, samples=400):
    """Draw tokens of length √width, and what Xavier's rule makes of them for one head."""
    x = rng.standard_normal((samples, width))
    x *= np.sqrt(width) / np.linalg.norm(x, axis=1, keepdims=True)
    sd = np.sqrt(2 / (width + outputs))
    # Each token with weights of its own: averages run over the weights.
    return np.stack([rng.normal(0, sd, (d, width)) @ token for token in x])


def settings():
    """Draw logits in each of the settings, by what is done to the vectors."""
    q, k = vectors(64)
    rng = np.random.default_rng(1)
    kept_q, kept_k = rng.random((2, SAMPLES, 64)) > 0.1
    rms = [v * np.sqrt(64) / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)]
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)]
    return {
        "plain": scores(q, k) / 8,
        "normed": scores(*rms) / 8,
        "dropout": scores(q * kept_q / 0.9, k * kept_k / 0.9) / 8,
        "cross": scores(xavier(512, rng), xavier(768, rng)) / 8,
        "heads": scores(q[:, :32], k[:, :32]) / 8,
        "by_width": scores(q, k) / np.sqrt(512),
        "unit": scores(*unit) / 8,
    }


@pytest.fixture(scope="module")
def drawn():
    return settings()


@pytest.mark.parametrize(
    "setting", ["plain", "normed", "dropout", "cross", "heads", "by_width", "unit"]
)
def test_each_setting_has_the_spread_that_is_drawn(snippet, drawn, setting):
    spread = getattr(snippet("questions/changes"), setting)
    assert has_spread(drawn[setting], spread)
    assert not has_spread(drawn[setting], spread * np.sqrt(2)), "a wrong spread passes"


def projected(draw, width=512, samples=2000, d=64):
    """Draw bare scores of pairs of tokens of length √width, with weights of their own each."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, samples, width))
    x *= np.sqrt(width) / np.linalg.norm(x, axis=2, keepdims=True)
    q, k = (np.stack([draw(rng, (d, width)) @ token for token in tokens]) for tokens in x)
    return scores(q, k)


def linear(rng, shape):
    return rng.uniform(-1, 1, shape) / np.sqrt(shape[1])


def test_scores_of_a_start_that_is_not_scaled(snippet):
    result, ends = snippet("questions/changes"), {}
    ends["linear"] = projected(linear)
    ends["raw_weights"] = projected(lambda rng, shape: rng.standard_normal(shape)) / 8
    ends["inverse"] = scores(*vectors(64)) / 64**-0.5
    ends["undivided"] = scores(*vectors(512))
    for name, drawn in ends.items():
        assert has_spread(drawn, getattr(result, name)), name
        assert not has_spread(drawn, 1.2 * getattr(result, name)), name


def test_weights_tell_how_much_logits_differ(snippet):
    """With the identity as values the outputs are the weights; within a row their logs differ as
    the logits do."""
    q, k = vectors(64, 64)

    def attend(scale, v):
        return special.softmax(scale * q @ k.T, axis=1) @ v

    once, twice = (np.log(attend(scale, np.eye(64))) for scale in (1 / 8, 1 / 64))
    ratio = (twice - twice[:, :1])[:, 1:] / (once - once[:, :1])[:, 1:]
    assert close(ratio, snippet("questions/changes").factor, 1e-6)
    assert not close((twice / once)[:, 1:], ratio, 0.1), "they have the row's sum in them"


def test_eight_cosines(snippet):
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors(256))
    assert has_spread(8 * scores(q, k), snippet("questions/changes").eight_cosines[256])


def test_dropout_is_off_in_evaluation(snippet):
    """Scores with dropout are those without it on average, so one divisor serves both."""
    result = snippet("questions/changes")
    q, k = np.random.default_rng(7).standard_normal((2, 64))
    kept = np.random.default_rng(8).random((2, 200_000, 64)) > 0.1
    dropped = scores(q * kept[0] / 0.9, k * kept[1] / 0.9)
    mean, error = mean_and_error(dropped)
    assert agrees(mean, q @ k, error)
    assert not agrees(0.9 * mean, q @ k, error), "without the division by 0.9 it passes"
    assert has_spread(scores(*vectors(64)) / (8 / 0.9), result.evaluated)
    assert not has_spread(scores(*vectors(64)) / 8, result.evaluated)
