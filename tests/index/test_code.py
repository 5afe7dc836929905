"""The lines of code on the front page compute what PyTorch does in one call."""

import html
import math
import re

import pytest

from tests.conftest import PROJECT

torch = pytest.importorskip("torch")

LINES = re.compile(r"<pre><code>(.*?)</code></pre>", re.DOTALL)
CALL = re.compile(r"^ *out = (F\.scaled_dot_product_attention\(q, k, v\)) ", re.MULTILINE)


def lines() -> list[str]:
    """Give the lines of code as they are typed, without what colours them."""
    page = (PROJECT.root / "docs/index.md").read_text("utf-8")
    [code] = LINES.findall(page)
    return html.unescape(re.sub("</?b>", "", code)).splitlines()


def run(code: list[str]):
    """Run some lines for four heads of 16 dimensions; give `out`, and what the call gives."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 6, 16, generator=generator, dtype=torch.float64)
    names = {"q": q, "k": k, "v": v, "math": math, "F": torch.nn.functional}
    exec("\n".join(code), names)
    [call] = CALL.findall((PROJECT.root / "docs/index.md").read_text("utf-8"))
    return names["out"], eval(call, names)


def test_the_lines_are_the_call():
    out, called = run(lines())
    assert torch.allclose(out, called, atol=1e-12)


def test_without_the_line_in_colour_they_are_not():
    first, divides, last = lines()
    assert "math.sqrt" in divides
    for wrong in ([first, last], [first, divides, divides, last]):
        out, called = run(wrong)
        assert not torch.allclose(out, called, atol=1e-3)
