"""Known models at the start: by drawing their weights, and by their makers' own numbers."""

import math

import numpy as np
import pytest

from tests.tolerance import agrees, variance_and_error

# At a sixteenth of the size, which keeps every ratio: DeepSeek-V3's queries are made from a latent,
# its keys from another and from the width.
QUERY, KEY, WIDTH, PLAIN, TURNED = 96, 32, 448, 8, 4


def normed(x):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True))


def latent_scores(deviation, norms=(True, True)):
    """Draw q·k/√d with DeepSeek-V3's kind of queries and keys, one for each draw of the weights."""
    rng, draws = np.random.default_rng(2), 8000
    x = normed(rng.standard_normal((2, WIDTH)))
    # Gaussian matrices make Gaussian latents: only their length counts, which a norm then sets.
    of_q, of_k = (
        deviation * math.sqrt(WIDTH) * rng.standard_normal((draws, rank)) for rank in (QUERY, KEY)
    )
    of_q, of_k = (
        normed(latent) if norm else latent for latent, norm in zip((of_q, of_k), norms, strict=True)
    )

    def project(source, size):
        weights = deviation * rng.standard_normal((draws, size, source.shape[-1]))
        return np.einsum("nij,nj->ni", weights, np.broadcast_to(source, (draws, source.shape[-1])))

    q = project(of_q, PLAIN + TURNED)
    k = np.concatenate([project(of_k, PLAIN), project(x[1], TURNED)], axis=1)
    return np.sum(q * k, axis=1) / math.sqrt(PLAIN + TURNED)


def test_one_width_stands_for_the_latents_of_deepseek(snippet, module):
    models, deviation = module("your-model/models"), 0.05
    variance, error = variance_and_error(latent_scores(deviation))
    # A sixteenth of the width gives a sixteenth of the spread.
    given = models.LATENT / 16 * deviation**2
    assert agrees(variance, given**2, error)
    assert not agrees(variance, (WIDTH * deviation**2) ** 2, error), "the whole width"
    variance, error = variance_and_error(latent_scores(deviation, norms=(False, False)))
    assert not agrees(variance, given**2, error), "without the latents' norms"
    shown = snippet("your-model/calculator").latent
    assert models.MODELS["DeepSeek-V3"]["D"] == models.LATENT == shown


@pytest.mark.parametrize(
    ("name", "spread"),
    {
        "GPT-2": 768 / 2500,
        "Llama 3": 4096 / 2500,
        "Qwen3": 1,
        "Gemma 2": 4608 / 2500 * math.sqrt(128 / 144),
        "Gemma 3": math.sqrt(128 / 168),
        "DeepSeek-V3": 2048 * 36e-6,
        "ViT": 1,
        "CLIP": 1,
        "T5": 1,
    }.items(),
)
def test_how_known_models_begin_by_hand(snippet, module, name, spread):
    page, models = snippet("your-model/calculator"), module("your-model/models")
    (row,) = [row for label, row in page.known if label.startswith(f"[{name}](https://")]
    assert row["spread"] == pytest.approx(spread)
    exact = module("saturation/gaussian_logits").participation
    assert row["keys"] == pytest.approx(exact(row["n"], spread), rel=1e-4)
    assert row["keys"] != pytest.approx(exact(row["n"], 1.05 * spread), rel=1e-4)
    assert models.MODELS.keys() == models.SOURCES.keys()
    # The width over the heads is the size of a head, but where the makers chose otherwise.
    model = models.MODELS[name]
    chosen = {"Gemma 2", "Gemma 3", "DeepSeek-V3"}
    assert (model["h"] * model["d"] == model["D"]) == (name not in chosen)
    # Gemma's number is the width over the heads.
    if "number" in model:
        assert model["number"] == pytest.approx((model["D"] / model["h"]) ** -0.5)
