"""What rules of initialisation give, with matrices drawn as the libraries draw them."""

import math

import numpy as np
import pytest

from tests.scales.draws import N, draw, sd_and_error, tokens
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
MIXED = {"T5": ("T5", "LeCun"), "first cross": ("Xavier", "Xavier, K and V")}


def test_rows_of_the_audit_by_closed_forms(snippet, other):
    page = snippet("scales/audit")
    assert VARIANCES.keys() == page.logit_sd.keys()
    for rule, (q, k) in VARIANCES.items():
        assert close([page.var_q[rule], page.var_k[rule]], [q, k])
        sigma = math.sqrt(q * k) * (8 if rule == "T5" else 1)
        assert close(page.logit_sd[rule], sigma)
        assert close(page.effective[rule] / other.participation(N, sigma), 1, 1e-6)
        assert not close(page.effective[rule] / other.participation(N, 1.01 * sigma), 1, 1e-6)
    for width, variance in page.fixed.items():
        assert close(variance, width / 2500)
        assert close(page.fixed_effective[width] / other.participation(N, variance), 1, 1e-6)
    assert close(math.exp(page.frozen**2 / 2), N)


@pytest.mark.parametrize("rule", VARIANCES)
@pytest.mark.parametrize("same", [False, True], ids=["two tokens", "one token"])
def test_audit(snippet, rule, same):
    page, rng = snippet("scales/audit"), np.random.default_rng(6)
    D, d = (768 if rule == "GPT-2" else 512), 64
    x, y = tokens(0.3, 2, D)
    y = x if same else y
    of_q, of_k = MIXED.get(rule, (rule, rule))
    q, k = np.array(
        [(draw(rng, (d, D), of_q) @ x, draw(rng, (d, D), of_k) @ y) for _ in range(150)]
    ).swapaxes(0, 1)
    variance, error = mean_and_error(q.ravel() ** 2)
    assert agrees(variance, page.var_q[rule], error)
    assert not agrees(variance, 2 * page.var_q[rule], error)
    if rule not in ("LeCun", "first cross"):
        assert not agrees(variance, 1, error), "'safe to assume unit variance'"
    variance, error = mean_and_error(k.ravel() ** 2)
    assert agrees(variance, page.var_k[rule], error)
    if rule != "LeCun" and rule != "T5":
        assert not agrees(variance, 1, error)
    score = np.sum(q * k, axis=1) * (1 if rule == "T5" else 1 / 8)
    sd, error = sd_and_error(score)
    assert agrees(sd, page.logit_sd[rule], error)
    assert not agrees(sd / np.sqrt(8), page.logit_sd[rule], error), "√D for √d"


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
    q = np.array([draw(rng, (64, D), "Xavier, fused") @ token for token in x[:100]])
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
    assert not agrees(sd, page.cross_sd * 1.2**1.5, error)
