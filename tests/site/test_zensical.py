"""Zensical, Material's successor, makes the same pages: words, figures, code, mathematics.

Skipped where Zensical is not installed: `make zensical` installs it.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.site.browser import ROOT

TO_TAKE_AWAY = re.compile(
    r'<p class="take">.*?</p>', re.DOTALL
)  # slides, which MkDocs' plugin makes
PAGES = sorted(path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md"))
NOT_COPIED = shutil.ignore_patterns(".venv", ".git", "site", "__pycache__", "*.egg-info")


def find_zensical() -> str | None:
    """Find Zensical: the variable ZENSICAL, what `make zensical` installed, or the path."""
    beside = Path(sys.prefix) / "zensical" / "bin" / "zensical"
    return os.environ.get("ZENSICAL") or (
        str(beside) if beside.is_file() else shutil.which("zensical")
    )


class Woven(HTMLParser):
    """What weave put into a page, in order, and all words of its article."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.parts: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        _, tag, rest = page.read_text("utf-8").partition("<article")
        self.feed(tag + TO_TAKE_AWAY.sub("", rest.partition("</article>")[0]))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is None:  # no script
            self.words += data.split()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if tag == "figure":
            self.parts.append(("figure", given.get("id")))
        elif tag == "svg" and given.get("role") == "img":
            self.parts.append(("svg", given.get("aria-labelledby")))
        elif tag == "math":
            self.parts.append(("formula", given.get("alttext")))
        elif tag == "data":
            self.parts.append(("value", given.get("value")))
        elif tag == "a" and "computed" in classes:
            self.parts.append(("value", given.get("data-value")))
        elif tag == "div" and "highlight" in classes:
            self.parts.append(("code", None))
        elif "weave-error" in classes:
            self.parts.append(("error", None))
        elif tag == "a" and {"term", "work"}.intersection(classes):
            self.parts.append((classes[0], given.get("href")))
        elif tag in {"li", "tr"} and given.get("id"):
            self.parts.append(("entry", given["id"]))


def page_of(site: Path, source: Path) -> Path:
    """Give the file that a page is built to."""
    folder = source.with_suffix("")
    return site / (folder.parent if folder.name == "index" else folder) / "index.html"


@pytest.mark.long
def test_zensical_weaves_what_mkdocs_weaves(site, tmp_path):
    """In a copy of the project, whose snippets need not run again."""
    if not (zensical := find_zensical()):
        pytest.skip("no Zensical: `make zensical` installs it")
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
    environment = os.environ | {"PYTHONPATH": str(copy)}  # the copy's weave
    command = [zensical, "build", "--strict"]
    run = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for source in PAGES:
        ours, theirs = (Woven(page_of(folder, source)) for folder in (site, copy / "site"))
        assert theirs.parts == ours.parts, source
        assert theirs.words == ours.words, source
        assert len(ours.words) > 500
        assert ("error", None) not in theirs.parts
