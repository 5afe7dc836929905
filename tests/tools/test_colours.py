"""A snippet's colours are those of the style, which serve both palettes, or greys."""

import ast
import re

import pytest

from tests.site.browser import ROOT

pytestmark = pytest.mark.alone

OURS = re.compile(r"C[0-5]?|0\.\d+|none")


def foreign(code: str) -> list[str]:
    """List the colours that a script writes out, and the maps of colours that it names."""
    written = [
        each.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.keyword) and re.search("colou?r|cmap", node.arg or "")
        for each in ast.walk(node.value)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return [colour for colour in written if not OURS.fullmatch(colour)]


def test_snippets_draw_in_the_colours_of_the_style():
    found = {
        str(script.relative_to(ROOT)): colours
        for script in sorted((ROOT / "snippets").glob("*/*.py"))
        if (colours := foreign(script.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize("colour", ["red", "#d1562b", "C7", "tab:blue"])
def test_another_colour_is_noticed(colour):
    assert foreign(f'plt.plot(x, color="{colour}")') == [colour]
    assert foreign('plt.plot(x, color="C0" if up else "C1", edgecolor="none")') == []
