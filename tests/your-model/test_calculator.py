"""The set-ups of the calculator's table by hand, and where rows go flat or freeze."""

import numpy as np
import pytest

from tests.tolerance import close


def test_the_set_ups_of_the_table(snippet, module):
    page = snippet("your-model/calculator")
    expected = {
        "right": 1,
        "linear": 1 / 3,
        "fixed": 768 * 0.02**2,
        "forgotten": np.sqrt(64),
        "linear, forgotten": np.sqrt(64) / 3,
        "width": 1 / np.sqrt(12),
        "twice": 1 / 8,
        "normed": 1,
        "unit": 1 / 64,
        "cosine": 1,
    }
    assert page.start == {name: pytest.approx(value) for name, value in expected.items()}
    exact = module("saturation/gaussian_logits").participation
    for name in expected:
        assert close(page.keys[name], exact(page.n_keys, expected[name]), 1e-5)
        assert not close(page.keys[name], exact(page.n_keys, expected[name] * 1.1), 1e-5)
    assert page.n_keys in page.counts
    assert (page.d, page.heads * page.d) == (page.start["forgotten"] ** 2, page.width)
    assert page.start["fixed"] == pytest.approx(page.width * page.deviation**2)
    assert page.kept == {size: pytest.approx(np.sqrt(size / 64)) for size in page.kept}


def test_from_how_many_heads_the_root_of_the_width_is_flat(snippet, module):
    page, exact = (
        snippet("your-model/calculator"),
        module("saturation/gaussian_logits").participation,
    )
    for rule, by in {"LeCun": 1, "nn.Linear": 3}.items():
        many = page.flat_heads[rule]
        share = [exact(512, heads**-0.5 / by) / 512 for heads in (many - 1, many)]
        assert share[0] < 0.95 < share[1]


def test_where_rows_are_flat_and_where_they_freeze(snippet, module):
    """At that spread 95 % of many keys take part."""
    page = snippet("your-model/calculator")
    exact = module("saturation/gaussian_logits").participation
    assert exact(16384, page.flat) / 16384 == pytest.approx(page.flat_share, abs=1e-4)
    assert exact(16384, 1.2 * page.flat) / 16384 < 0.94
    for n, limit in page.freezes.items():
        assert close(np.exp(limit**2 / 2), n)
        # Beyond it few are left.
        assert np.interp(limit, page.sigma, page.share[n]) < 0.2
