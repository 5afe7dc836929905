"""The labs as they are published: light pages, and files to take away."""

import json
import re

import pytest

from tests.site.browser import ROOT, SOURCES
from weave.pages.lab import to_script
from weave.run import notebook

LABS = [path for path in SOURCES if path.suffix == ".ipynb"]
EACH_LAB = pytest.mark.parametrize("source", LABS, ids=lambda path: path.stem)


def page_of(site, source):
    return site / source.relative_to(ROOT / "docs").with_suffix("") / "index.html"


@EACH_LAB
def test_a_lab_can_be_taken_away(site, source):
    page = page_of(site, source)
    lab, script = (page.with_name(f"{source.stem}.{kind}") for kind in ("ipynb", "py"))
    assert lab.read_bytes() == source.read_bytes()
    assert script.read_text("utf-8") == to_script(source)  # which tests/labs runs
    for file in (lab, script):
        assert f'<a href="{file.name}" download>' in page.read_text("utf-8")


@EACH_LAB
def test_search_finds_the_tasks_and_no_solution(site, source):
    script = (site / "search/index.js").read_text("utf-8")
    sections = json.loads(script.removeprefix("var SECTIONS = ").rstrip(";\n"))
    entries = [each for each in sections if each["at"].startswith(f"labs/{source.stem}/")]
    titles = {entry["title"] for entry in entries}
    text = "".join(entry["text"] for entry in entries)
    cells = {cell.id: cell.source for cell in notebook.read_notebook(source)}
    for name, source_text in cells.items():
        if re.fullmatch(r"task-\d+", name):
            title = source_text.splitlines()[0].removeprefix("## ")
            assert title.replace("'", "’") in titles or "$" in title
    assert "Solution" not in text
    assert "Hint" not in text
    assert "Exercise 1:" not in text  # as the check prints
