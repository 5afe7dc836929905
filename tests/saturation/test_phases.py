"""Where models start: their weights drawn, and the freezing variance."""

import math

import numpy as np
import pytest

from tests.saturation.draws import close, draw, is_mean
from tests.saturation.quadrature import power_sums


def test_the_freezing_variance(snippet):
    page = snippet("saturation/phases")
    for n, critical in page.critical.items():
        assert close(math.exp(critical / 2), n)
    assert close(2 * math.log(page.keys_to_thaw_64), 64)  # so many that they freeze there
    for n in (16, 512):
        p = draw(11, n, math.sqrt(page.half[n]), 4000)[1].max(axis=1)
        assert is_mean(0.5, p)
        assert not is_mean(0.5, draw(11, n, 1, 4000)[1].max(axis=1))


def initial_scores(width, d, sd_q, sd_k, sets=2000):
    """Draw bare scores of one head: a token of length √width, times weights of these spreads.

    A coordinate of Wx is Gaussian, with the variance of W's entries times |x|².
    """
    rng = np.random.default_rng(35)
    x = rng.standard_normal(width)
    x *= math.sqrt(width) / np.linalg.norm(x)
    q, k = (sd * np.linalg.norm(x) * rng.standard_normal((sets, d)) for sd in (sd_q, sd_k))
    return np.sum(q * k, axis=1)


@pytest.mark.parametrize(
    ("name", "n", "width", "d", "sd_q", "sd_k"),
    [
        ("T5", 512, 512, 64, (512 * 64) ** -0.5, 512**-0.5),
        ("GPT-2", 1024, 768, 64, 0.02, 0.02),
        ("GPT-2 XL", 1024, 1600, 64, 0.02, 0.02),
        ("OPT-175B", 2048, 12288, 128, 0.006, 0.006),
        ("GPT-3, if 0.02", 2048, 12288, 128, 0.02, 0.02),
    ],
)
def test_where_models_start(snippet, name, n, width, d, sd_q, sd_k):
    page = snippet("saturation/phases")
    assert page.models[name][0] == n
    assert close(page.freezes_at[name], 2 * math.log(n))
    if name in page.drawn:
        assert page.drawn[name][3] == sd_q
    square = initial_scores(width, d, sd_q, sd_k) ** 2
    assert is_mean(page.bare[name], square)
    assert close(page.bare[name], d * (width * sd_q * sd_k) ** 2)
    assert not is_mean(d, square), "variances of 1"
    assert close(page.bare[name] / page.divided[name], d)
    counts = page.taking_part[name]
    for kind, other in [("bare", "divided"), ("divided", "bare")]:
        same = power_sums(n, getattr(page, kind)[name] ** 0.5)[0]
        assert close(1 / counts[kind], same, 1e-6)
        assert not close(1 / counts[other], same, 1e-6)


def test_initialisations_are_those_of_the_audit(snippet):
    page, audit = snippet("saturation/phases"), snippet("scales/audit")
    assert close(page.bare["GPT-2"], (8 * audit.logit_sd["GPT-2"]) ** 2)
    assert close(page.bare["T5"], audit.logit_sd["T5"] ** 2)  # which has no divisor
    for wrong, keys in enumerate((page.rows_above, page.rows_above + 1)):  # of a causal row
        assert (page.bare["GPT-2"] > 2 * math.log(keys)) == (not wrong)
    assert close(page.first_transformer, 64 * audit.var_q["Xavier, fused"] ** 2)
    assert not close(page.first_transformer, 64 * audit.var_q["LeCun"] ** 2)
