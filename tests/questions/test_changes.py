"""What changes the spread, and what does not: by drawing it, and with a wrong spread that fails."""

import numpy as np
import pytest

from tests.questions.draws import SAMPLES, has_spread, scores, vectors


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


def test_eight_cosines(snippet):
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors(256))
    assert has_spread(8 * scores(q, k), snippet("questions/changes").eight_cosines[256])
