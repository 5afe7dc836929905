"""The page of claims can be narrowed to a verdict or a source, with scripts or without."""

from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.site.browser import BASE, open_tab


@pytest.fixture(scope="module", params=[True, False], ids=["scripts", "no scripts"])
def page(request, browser, origin):
    """The page, opened once with scripts and once without: it is large."""
    tab = open_tab(browser, origin, f"{BASE}claims/", java_script_enabled=request.param)
    yield tab.page
    tab.page.context.close()


@pytest.fixture
def claims(page):
    """The page, with all claims shown."""
    for choice in page.locator(".filter p").all():
        choice.locator("input").first.check()
    return page


def shown(page) -> list[tuple[str, str]]:
    """Give (source, verdict) of each row that can be seen."""
    rows = page.evaluate(
        """() => [...document.querySelectorAll('tr[data-verdict]')]
            .filter(e => e.checkVisibility()).map(e => [e.id.split('-')[0], e.dataset.verdict])"""
    )
    return [tuple(row) for row in rows]


def test_all_claims_are_shown_at_first(page):
    assert len(shown(page)) == page.locator("tr[data-verdict]").count() > 100


@pytest.mark.parametrize(
    ("value", "verdicts"),
    [
        ("true", {"true"}),
        ("true if", {"true if"}),
        ("wrong", {"wrong"}),
        ("vague", {"vague"}),
        ("no code", {"question", "history", "opinion"}),
    ],
)
def test_a_verdict_narrows_the_tables(claims, value, verdicts):
    every = Counter(verdict for _, verdict in shown(claims))
    claims.locator(f'.filter [value="{value}"]').check()
    left = Counter(verdict for _, verdict in shown(claims))
    assert left == {verdict: every[verdict] for verdict in verdicts if every[verdict]}
    assert left != every


@pytest.mark.parametrize(
    ("value", "number"),
    [("note", "000"), ("variance_thread", "001"), ("root_thread", "002"), ("article", "003")],
)
def test_a_source_and_a_verdict_narrow_together(claims, value, number):
    every = Counter(shown(claims))
    claims.locator(f'.filter [value="{value}"]').check()
    assert {source for source, _ in shown(claims)} == {number}
    claims.locator('.filter [value="wrong"]').check()
    assert Counter(shown(claims)) == {(number, "wrong"): every[number, "wrong"]}


def test_a_source_without_such_a_claim_says_so(claims):
    claims.locator('.filter [value="variance_thread"]').check()
    said = "e => getComputedStyle(e, '::after').content"
    assert claims.locator(".source:visible").evaluate(said) == "none"
    claims.locator('.filter [value="no code"]').check()
    assert claims.locator(".source:visible").evaluate(said) == '"No such claim in this source."'
    assert not claims.locator(".source table:visible").count()


def test_the_keyboard_narrows_too(claims):
    claims.locator(".filter input").first.focus()
    claims.keyboard.press("ArrowRight")
    assert {verdict for _, verdict in shown(claims)} == {"true"}
    claims.keyboard.press("Tab")
    claims.keyboard.press("ArrowRight")
    assert {source for source, _ in shown(claims)} == {"000"}


# --- the links back, which need no browser ------------------------------------------------------


class Marks(HTMLParser):
    """The links back from each row of a page, and the links at each place that has an id."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.back: dict[str, list[str]] = {}
        self.at: dict[str, set[str]] = {}
        self.row = ""
        self.is_back = False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "tr" and "data-verdict" in given:
            self.row = given["id"]
            self.back[self.row] = []
        elif tag == "li":  # of a chapter's verdicts
            self.row = given.get("id", "")
        elif tag == "em" and "id" in given:  # in such a row, where no text refers to the claim
            self.at[given["id"]] = {f"#{self.row}"}
        elif tag == "p":
            self.is_back = given.get("class") == "back"
        elif tag == "a" and self.is_back:
            self.back[self.row].append(given["href"])
        elif tag == "a" and "href" in given:
            self.at.setdefault(given.get("id", self.row), set()).add(given["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "p":
            self.is_back = False
        elif tag in {"tr", "li"}:
            self.row = ""


def lost(folder: Path) -> list[str]:
    """List the claims whose row has no link to a place, or one to a place with none back."""
    read = cache(Marks)
    found = []
    for key, links in read(folder / "claims/index.html").back.items():
        found += [] if links else [key]
        for link in links:
            path, _, anchor = urljoin("/claims/", link).partition("#")
            at = read(folder / path[1:] / "index.html").at
            there = at.get(anchor, set())  # links there, or by way of the row of verdicts
            there = there.union(*(at.get(row[1:], ()) for row in there if row[0] == "#"))
            if f"/claims/#{key}" not in {urljoin(path, back) for back in there}:
                found.append(f"{key}: {link}")
    return found


def test_every_row_links_to_a_place_that_links_back(site):
    assert lost(site) == []


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ('<a id="mark-1" href="../claims/#1">', []),
        ('<a id="mark-1" href="#row"><li id="row"><a href="../claims/#1">', []),
        ('<li id="row"><em id="mark-1"></em><a href="../claims/#1">', []),
        ('<a id="mark-1" href="#row"><li id="row"><a href="../claims/#2">', ["1: ../law/#mark-1"]),
        ('<a id="mark-1" href="../claims/#2">', ["1: ../law/#mark-1"]),
        ('<a href="../claims/#1">', ["1: ../law/#mark-1"]),
    ],
)
def test_a_row_that_nothing_links_back_to_is_named(tmp_path, place, problem):
    for page, text in {
        "claims": '<tr data-verdict="true" id="1"><p class="back"><a href="../law/#mark-1">',
        "law": place,
    }.items():
        (tmp_path / page).mkdir()
        (tmp_path / page / "index.html").write_text(text, "utf-8")
    assert lost(tmp_path) == problem
    (tmp_path / "claims/index.html").write_text('<tr data-verdict="true" id="1">', "utf-8")
    assert lost(tmp_path) == ["1"]
