"""Styles lose their comments, and none of what they say."""

import re

import pytest

from tests.site.browser import ROOT
from weave.pages.assets import minified_sheet

pytestmark = pytest.mark.alone
SHEETS = sorted((ROOT / "docs/assets/stylesheets").glob("*.css"))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
AROUND = ["{}", "@container (width < 9rem) {{ {} }}", "@layer a {{ {} }}"]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("selector", [":hover", ":is(b, i)", "::before"])
def test_a_selector_keeps_the_space_that_means_within(around, selector):
    rules = around.format(f".keys {selector} {{ color: red; }}")
    minified = minified_sheet(f"/* For a phone. */\n{rules}")
    assert ".keys *" + selector.replace(", ", ",") + "{" in minified
    assert "phone" not in minified
    assert ".keys:hover{" in minified_sheet(around.format(".keys:hover { color: red; }"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_all_rules_of_a_sheet_are_there(sheet):
    rules = sheet.read_text("utf-8")
    filled = re.compile(r"[;{]\s*(?=[^\s}])[^{}]*\}")  # rcssmin leaves out what is empty
    expected = len(filled.findall(COMMENT.sub("", rules)))
    assert len(filled.findall(minified_sheet(rules))) == expected > 0
