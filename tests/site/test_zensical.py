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

pytestmark = pytest.mark.long

PAGES = sorted(path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md"))
LABS = sorted(path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.ipynb"))
NOT_COPIED = shutil.ignore_patterns(".*", "site", "__pycache__", "*.egg-info")
CHANGE = "# Changed."
GENERATED = ("docs/snippets", "docs/assets/fonts")  # weave makes them, whichever engine runs it


def find_zensical() -> str | None:
    """Find Zensical: the variable ZENSICAL, what `make zensical` installed, or the path."""
    beside = Path(sys.prefix) / "zensical" / "bin" / "zensical"
    return os.environ.get("ZENSICAL") or (
        str(beside) if beside.is_file() else shutil.which("zensical")
    )


@pytest.fixture(scope="module")
def built(site, once):
    """Build a copy of the project with Zensical, beside the site that MkDocs has built."""
    if not find_zensical():
        pytest.skip("no Zensical: `make zensical` installs it")
    return {"mkdocs": site, "zensical": once("zensical", build_copy) / "site"}


def build_copy(copy: Path) -> None:
    """Copy the project into a folder, and build its site there with Zensical."""
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
    for folder in GENERATED:
        shutil.rmtree(copy / folder, ignore_errors=True)
    # What MkDocs has computed need not be computed again. That Zensical can, one chapter shows.
    shutil.copytree(ROOT / ".cache", copy / ".cache")
    for script in (copy / "snippets/index").glob("*.py"):
        script.write_text(script.read_text("utf-8") + CHANGE + "\n", "utf-8")
    # Zensical lists the files before it weaves the pages, so a clone's first build makes the fonts
    # and scripts, and its second publishes them.
    for _ in range(2):
        run = subprocess.run(
            [find_zensical(), "build", "--strict"],
            cwd=copy,
            # The copy's weave, which takes the project that it lies in for its root.
            env=os.environ | {"PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            pytest.fail(run.stdout + run.stderr, pytrace=False)


class Woven(HTMLParser):
    """What weave put into a page, in order, and all words of its article."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.parts: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        _, tag, rest = page.read_text("utf-8").partition("<article")
        self.feed(tag + rest.partition("</article>")[0])

    @property
    def text(self) -> str:
        return " ".join(self.words)

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
        elif tag == "a" and (given.get("href") or "").endswith(".py"):
            self.scripts.append(given["href"] or "")


def page_of(site: Path, source: Path) -> Path:
    """Give the file that a page is built to."""
    folder = source.with_suffix("")
    return site / (folder.parent if folder.name == "index" else folder) / "index.html"


@pytest.mark.parametrize("source", PAGES, ids=str)
def test_zensical_weaves_what_mkdocs_weaves(built, source):
    ours = Woven(page_of(built["mkdocs"], source))
    theirs = Woven(page_of(built["zensical"], source))
    assert theirs.parts == ours.parts
    assert theirs.text.replace(f" {CHANGE}", "") == ours.text
    assert len(ours.words) > 1000
    assert ("error", None) not in theirs.parts
    wanted = (ROOT / "docs" / source).read_text("utf-8")
    kinds = {kind for kind, _ in theirs.parts}
    for mark, kind in {
        r"\n::: [\w-]+/": "figure",
        r"\n::: (claims .*\w|references)\n": "entry",
        r"\{= ": "value",
        r"\n\$\$": "formula",
        r"\[@[a-z]": "work",
    }.items():
        assert kind in kinds or not re.search(mark, wanted), mark


def test_zensical_shows_a_snippet_that_was_changed(built):
    shown = {engine: Woven(page_of(site, Path("index.md"))).text for engine, site in built.items()}
    assert CHANGE in shown["zensical"]
    assert CHANGE not in shown["mkdocs"]


@pytest.mark.parametrize("source", PAGES, ids=str)
def test_zensical_offers_the_scripts(built, source):
    page = page_of(built["zensical"], source)
    ours = [link for link in Woven(page).scripts if not link.startswith("https:")]
    assert [link for link in ours if not (page.parent / link).is_file()] == []


@pytest.mark.parametrize("lab", LABS, ids=str)
def test_zensical_offers_the_labs_to_download(built, lab):
    """It runs no notebook: its contents and the chapter link to the file."""
    assert (built["zensical"] / lab).read_bytes() == (ROOT / "docs" / lab).read_bytes()
    chapter = built["zensical"] / lab.stem / "index.html"
    assert chapter.read_text("utf-8").count(f'href="../{lab.as_posix()}"') >= 2


def test_zensical_publishes_the_fonts(built):
    fonts = {
        engine: {path.name for path in (site / "assets" / "fonts").glob("*.woff2")}
        for engine, site in built.items()
    }
    assert fonts["mkdocs"]
    assert fonts["zensical"] == fonts["mkdocs"]


def test_what_is_missing_shows(tmp_path):
    whole = """<article><figure id="a"><svg role="img"></svg></figure><data value="1">1</data>
        <math></math><p>All of it.</p><script>none of it</script></article>"""
    (tmp_path / "whole.html").write_text(whole, "utf-8")
    (tmp_path / "bare.html").write_text(whole.replace("<math></math>", ""), "utf-8")
    page = Woven(tmp_path / "whole.html")
    assert page.parts != Woven(tmp_path / "bare.html").parts
    assert page.text == "1 All of it."
