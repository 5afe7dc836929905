"""Links lead somewhere, and what is published is what is meant to be."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.conftest import PROJECT
from tests.site.browser import ADDRESSES, BASE, PAGES


class Links(HTMLParser):
    """What a page refers to, and what it can be referred to by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "src", "data", "poster"} and tag != "data":
                self.targets.append(value or "")
            elif name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")


@cache  # a large page takes a tenth of a second
def links(file: Path) -> Links:
    """Read a built page."""
    return Links(file.read_text("utf-8"))


def broken_links(folder: Path, base: str = BASE, serves: bool = True) -> list[str]:
    """List the links between files that lead nowhere, as `page: link`; a disk serves no folders."""
    pages = {file: links(file) for file in sorted(folder.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        here = file.relative_to(folder).as_posix()
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme in {"http", "https", "mailto", "data", "javascript"}:
                continue
            path = urlsplit(urljoin(base + here, target)).path if parts.path else base + here
            leads_to = folder / unquote(path.removeprefix(base))
            if serves and (path.endswith("/") or leads_to.is_dir()):
                leads_to /= "index.html"
            anchor = unquote(parts.fragment)
            if (
                not path.startswith(base)
                or not leads_to.is_file()
                or (leads_to in pages and anchor not in pages[leads_to].anchors)
            ):
                found.append(f"{here}: {target}")
    return found


def test_every_link_leads_somewhere(site):
    broken = broken_links(site)
    assert not broken, "\n".join(broken)


def test_what_others_link_to_is_still_there(site):
    """Sections and figures have been published at these addresses, and others link to them.

    One whose words now stand elsewhere gives its `{#name}` to the heading that has them.
    """
    lost, moved = [], {f"{old.rpartition('.')[0]}/" for old in PROJECT.look_up("moved").to}
    for address in (Path(__file__).parent / "addresses.txt").read_text("utf-8").split():
        page, _, anchor = address.partition("#")
        file = site / page / "index.html"
        if page in moved:
            [leads_to] = links(file).targets
            file = (file.parent / leads_to / "index.html").resolve()
        if not file.is_file() or anchor not in links(file).anchors:
            lost.append(address)
    assert not lost, "\n".join(lost)


@pytest.mark.parametrize(
    ("link", "whole"),
    [
        ("#here", True),
        ("sub/#there", True),
        ("sub/../script.py", True),
        ("https://example.org/nowhere", True),
        ("#gone", False),
        ("sub/#here", False),
        ("/sub/", False),
    ],
)
def test_a_broken_link_is_found(tmp_path, link, whole):
    (tmp_path / "sub").mkdir()
    (tmp_path / "script.py").touch()
    (tmp_path / "sub/index.html").write_text('<p id="there">', "utf-8")
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="{link}">link</a>', "utf-8")
    assert broken_links(tmp_path) == ([] if whole else [f"index.html: {link}"])


def test_the_links_that_a_script_prints_lead_somewhere(site):
    script = (site / "check_attention.py").read_text("utf-8")
    assert f'SITE = "http://127.0.0.1{BASE}"' in script
    printed = set(re.findall(r'"([\w-]+/)#([\w-]+)"', script))
    assert len(printed) > 8
    for path, anchor in printed:
        assert anchor in links(site / path / "index.html").anchors, anchor


def test_every_page_that_was_built_is_tested(site):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    built = {path for path in built if not path.startswith(("embed/", "slides/"))}  # test_take.py
    moved = {old.rpartition(".")[0] for old in PROJECT.look_up("moved").to}  # test_moved.py
    built -= {f"{old}/index.html" for old in moved}
    assert {path.removesuffix("index.html") for path in built} == set(PAGES)


def test_nothing_is_published_by_accident(site):
    files = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    assert [name for name in files if "__pycache__" in name or "/." in f"/{name}"] == []


def test_every_page_is_in_the_contents(site):
    page = links(site / "index.html")
    linked = {urlsplit(target).path.removeprefix("./") for target in page.targets}
    assert [path for path in ADDRESSES if path and path not in linked] == []
