"""What rules of initialisation give: in closed form, and drawn where they are mixed."""

import math

import numpy as np

from tests.scales.draws import N, sd_and_error, tokens
from tests.tolerance import agrees, close, mean_and_error

VARIANCES = {  # of a coordinate of q, and of k: D Var W
    "LeCun": (1, 1),
    "Xavier, one head": (2 * 512 / (512 + 64),) * 2,
    "Xavier, fused": (1 / 2, 1 / 2),
    "nn.Linear": (1 / 3, 1 / 3),
    "GPT-2": (768 / 2500,) * 2,
    "T5": (1 / 64, 1),
    "first cross": (1, 2 / 3),
}


def test_rows_of_the_audit_by_closed_forms(snippet, other):
    page = snippet("scales/audit")
    assert VARIANCES.keys() == page.logit_sd.keys()
    for rule, (q, k) in VARIANCES.items():
        assert close([page.var_q[rule], page.var_k[rule]], [q, k])
        sigma = math.sqrt(q * k) * (8 if rule == "T5" else 1)
        assert close([page.logit_sd[rule], page.logit_variance[rule]], [sigma, sigma**2])
        assert close(page.effective[rule] / other.participation(N, sigma), 1, 1e-6)
        assert not close(page.effective[rule] / other.participation(N, 1.01 * sigma), 1, 1e-6)
    for width, variance in page.fixed.items():
        assert close(variance, width / 2500)
        assert close(page.fixed_effective[width] / other.participation(N, variance), 1, 1e-6)
    assert close(math.exp(page.frozen**2 / 2), page.n_keys)
    assert abs(2500 * page.frozen - page.frozen_near) < 50
    assert close(page.wrong_linear, 1 / 3 / math.sqrt(8))


def test_the_rules_are_those_of_the_calculator(snippet, module):
    """Which draws each rule as libraries do: tests/your-model/test_start.py."""
    page, spread = snippet("scales/audit"), module("your-model/start").spread
    for rule in VARIANCES.keys() - {"GPT-2", "first cross"}:
        scale = "1" if rule == "T5" else "1/√d"
        assert close(page.logit_sd[rule], spread(64, 8, 512, rule, scale))
        assert not close(page.logit_sd[rule], spread(64, 8, 512, rule, "1/√width"))
    assert close(page.logit_sd["GPT-2"], spread(64, 12, 768, "deviation", "1/√d", s=0.02))


def test_the_bias_of_a_linear_layer(snippet):
    bias = np.random.default_rng(8).uniform(-1, 1, 40_000) / math.sqrt(512)
    mean, error = mean_and_error(bias**2)
    assert agrees(mean, snippet("scales/audit").linear_bias, error)
    assert not agrees(mean, 1 / 512, error), "the square of the bound"


def test_the_first_layer_of_the_first_transformer(snippet):
    # Embeddings of variance 1, and its code's sines and cosines of positions, at width 512.
    page, rng, D, n = snippet("scales/audit"), np.random.default_rng(25), 512, 400
    rate = np.exp(-np.arange(D // 2) * math.log(1e4) / (D // 2 - 1))
    angle = np.arange(n)[:, np.newaxis] * rate
    x = rng.standard_normal((n, D)) + np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    mean, error = mean_and_error(np.sum(x**2, axis=1) / D)
    assert agrees(mean, page.first_input, error)
    assert not agrees(mean, 1, error), "as after LayerNorm"
    bound = np.sqrt(6 / (3 * D + D))  # Xavier's, of W_Q, W_K and W_V below each other
    q = np.array([rng.uniform(-bound, bound, (64, D)) @ token for token in x[:100]])
    variance, error = mean_and_error(q.ravel() ** 2)
    assert agrees(variance, page.first_input * page.var_q["Xavier, fused"], error)
    assert not agrees(variance, page.var_q["Xavier, fused"], error)


def test_cross_attention(snippet):
    page, rng = snippet("scales/audit"), np.random.default_rng(10)
    x, y = tokens(0, 2, 512)[0], tokens(0, 2, 768)[0]
    score = []
    for _ in range(800):
        bounds = [np.sqrt(6 / (512 + 512)), np.sqrt(6 / (512 + 768))]
        # 64 of the 512 rows: one head.
        q = rng.uniform(-bounds[0], bounds[0], (64, 512)) @ x
        k = rng.uniform(-bounds[1], bounds[1], (64, 768)) @ y
        score.append(q @ k / 8)
    sd, error = sd_and_error(np.array(score))
    assert agrees(sd, page.cross_sd, error)
    assert close(page.cross_sd**2, 2 * 768 / (512 + 768))
    assert not agrees(sd, page.cross_sd * 1.2**1.5, error)
