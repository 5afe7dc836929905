"""The spread at the start by drawing weights, the keys that share by another quadrature."""

import numpy as np
import pytest

from tests.tolerance import agrees, close, variance_and_error

d, HEADS, D, DRAWS = 8, 3, 32, 20_000


def uniform(rng, bound, *shape):
    return rng.uniform(-bound, bound, shape)


def xavier(rng, rows, columns):
    """Draw from the interval that libraries draw from, by the shape of what is stored."""
    return uniform(rng, np.sqrt(6 / (rows + columns)), DRAWS, rows, columns)[..., :d]


# What libraries do, W_Q and W_K as D × d, one pair for each draw.
DRAWN = {
    "LeCun": lambda rng: rng.standard_normal((2, DRAWS, D, d)) / np.sqrt(D),
    "Xavier": lambda rng: [xavier(rng, D, HEADS * d) for _ in range(2)],
    "Xavier, fused": lambda rng: [xavier(rng, D, 3 * HEADS * d) for _ in range(2)],
    "Xavier, one head": lambda rng: [xavier(rng, D, d) for _ in range(2)],
    "nn.Linear": lambda rng: uniform(rng, 1 / np.sqrt(D), 2, DRAWS, D, d),
    "deviation": lambda rng: 0.1 * rng.standard_normal((2, DRAWS, D, d)),
    "T5": lambda rng: (
        rng.standard_normal((2, DRAWS, D, d))
        * np.array([(D * d) ** -0.5, D**-0.5])[:, None, None, None]
    ),
}
NORMED = {
    "none": lambda v: v,
    "RMSNorm": lambda v: v / np.sqrt(np.mean(v**2, -1, keepdims=True)),
    "LayerNorm": lambda v: (v - v.mean(-1, keepdims=True)) / v.std(-1, keepdims=True),
    "length 1": lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True),
}


def scores(rule, norm, seed=0):
    """Give q·k for two tokens of length √D, one for each draw of the weights."""
    rng = np.random.default_rng(seed)
    tokens = rng.standard_normal((2, D))
    tokens *= np.sqrt(D) / np.linalg.norm(tokens, axis=1, keepdims=True)
    q, k = (
        NORMED[norm](np.einsum("ndi,d->ni", W, x))
        for W, x in zip(DRAWN[rule](rng), tokens, strict=True)
    )
    return np.sum(q * k, axis=1)


@pytest.fixture
def start(module):
    return module("your-model/start")


@pytest.mark.parametrize("rule", DRAWN)
def test_each_rule_gives_the_spread_that_is_said(start, rule):
    variance, error = variance_and_error(scores(rule, "none"))
    given = start.spread(d, HEADS, D, rule, "1", s=0.1)
    assert agrees(variance, given**2, error)
    others = {start.spread(d, HEADS, D, other, "1", s=0.1) for other in DRAWN} - {given}
    assert not any(agrees(variance, other**2, error) for other in others)
    assert set(DRAWN) == set(start.RULES)


@pytest.mark.parametrize("norm", NORMED)
def test_each_norm_gives_the_spread_that_is_said(start, norm):
    variance, error = variance_and_error(scores("deviation", norm))
    given = {
        other: start.spread(d, HEADS, D, "deviation", "1", norm=other, s=0.1) for other in NORMED
    }
    assert agrees(variance, given[norm] ** 2, error)
    assert not any(agrees(variance, given[other] ** 2, error) for other in NORMED if other != norm)


def test_each_scale_is_what_it_is_called(start):
    def scale(name):
        return start.spread(64, 12, 768, "LeCun", name, number=0.2) / 8

    expected = {
        "1/√d": 1 / 8,
        "1": 1,
        "1/d": 1 / 64,
        "8/d": 1 / 8,
        "1/√width": 768**-0.5,
        "√d": 8,
        "number": 0.2,
    }
    assert {name: pytest.approx(scale(name)) for name in start.SCALES} == expected


@pytest.mark.parametrize("n", [2, 512, 16384])
@pytest.mark.parametrize("sigma", [0.06, 1, 8, 30])
def test_the_keys_that_share_by_another_quadrature(start, module, n, sigma):
    exact = module("saturation/gaussian_logits").participation
    assert close(start.sharing(n, sigma), exact(n, sigma), 1e-5)
    assert not close(start.sharing(n, sigma), exact(n, 1.05 * sigma), 1e-5)
