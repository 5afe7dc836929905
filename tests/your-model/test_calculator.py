"""The set-ups of the calculator's table by hand, and where rows go flat or freeze."""

import re
from pathlib import Path

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


def test_the_two_lines_print_the_numbers_beside_them(snippet, capsys):
    """For Gaussian logits without a mask; the mean of 1/Σp² over rows would be another number."""
    torch = pytest.importorskip("torch", reason="no PyTorch: `make torch` installs it")
    page = snippet("your-model/calculator")
    text = Path("docs/your-model.md").read_text("utf-8")
    lines = re.search(r"```text\n(print\(scores.*?)```", text, re.DOTALL)[1]
    for name in ("forgotten", "linear, forgotten"):
        drawn = np.random.default_rng(5).standard_normal((4000, page.n_keys))
        scores = torch.from_numpy(page.start[name] * drawn)
        exec(lines, {"scores": scores})
        spread, keys = (float(each) for each in re.findall(r"[\d.]+\d", _numbers(capsys)))
        concentration = scores.softmax(-1).square().sum(-1).numpy()
        error = concentration.std() / np.sqrt(len(drawn)) * page.keys[name] ** 2
        assert spread == pytest.approx(page.start[name], rel=5e-3)
        assert abs(keys - page.keys[name]) < 4 * error
        assert abs(np.mean(1 / concentration) - page.keys[name]) > 8 * error


def _numbers(capsys):
    """Give what was printed, without the kind of its numbers."""
    return re.sub(r", dtype=torch.\w+", "", capsys.readouterr().out)
