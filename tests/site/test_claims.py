"""The page of claims can be narrowed to a verdict or a source, with scripts or without."""

from collections import Counter

import pytest

from tests.site.browser import BASE

with_and_without = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture
def claims(visit):
    """Open the page; `claims(False)` without scripts."""

    def opened(scripts: bool = True):
        return visit(f"{BASE}claims/", java_script_enabled=scripts).page

    return opened


def shown(page) -> list[tuple[str, str]]:
    """Give (source, verdict) of each row that can be seen."""
    rows = page.evaluate(
        """() => [...document.querySelectorAll('tr[data-verdict]')]
            .filter(e => e.checkVisibility()).map(e => [e.id.split('-')[0], e.dataset.verdict])"""
    )
    return [tuple(row) for row in rows]


@with_and_without
def test_all_claims_are_shown_at_first(claims, scripts):
    page = claims(scripts)
    assert len(shown(page)) == page.locator("tr[data-verdict]").count() > 100


@with_and_without
@pytest.mark.parametrize(
    ("value", "verdicts"),
    [
        ("true", {"true"}),
        ("true if", {"true if"}),
        ("wrong", {"wrong"}),
        ("vague", {"vague"}),
        ("no code", {"history", "opinion"}),
    ],
)
def test_a_verdict_narrows_the_tables(claims, scripts, value, verdicts):
    page = claims(scripts)
    every = Counter(verdict for _, verdict in shown(page))
    page.locator(f'.filter [value="{value}"]').check()
    left = Counter(verdict for _, verdict in shown(page))
    assert left == {verdict: every[verdict] for verdict in verdicts if every[verdict]}


@pytest.mark.parametrize(
    ("value", "number"),
    [("note", "000"), ("variance_thread", "001"), ("root_thread", "002"), ("article", "003")],
)
def test_a_source_and_a_verdict_narrow_together(claims, value, number):
    page = claims()
    every = Counter(shown(page))
    page.locator(f'.filter [value="{value}"]').check()
    assert {source for source, _ in shown(page)} == {number}
    page.locator('.filter [value="wrong"]').check()
    assert Counter(shown(page)) == {(number, "wrong"): every[number, "wrong"]}


@with_and_without
def test_a_source_without_such_a_claim_says_so(claims, scripts):
    page = claims(scripts)
    page.locator('.filter [value="variance_thread"]').check()
    said = "e => getComputedStyle(e, '::after').content"
    assert page.locator(".source:visible").evaluate(said) == "none"
    page.locator('.filter [value="no code"]').check()
    assert page.locator(".source:visible").evaluate(said) == '"No such claim in this source."'
    assert not page.locator(".source table:visible").count()


def test_the_keyboard_narrows_too(claims):
    page = claims()
    page.locator(".filter input").first.focus()
    page.keyboard.press("ArrowRight")
    assert {verdict for _, verdict in shown(page)} == {"true"}
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert {source for source, _ in shown(page)} == {"000"}


def test_every_row_links_to_a_chapter_that_links_back(claims, visit):
    page = claims()
    link = page.locator("tr[id='000-38'] .back a").first
    address = link.evaluate("e => e.href")
    path, _, anchor = address.partition("#")
    back = visit(path.partition(BASE)[0] and BASE + path.partition(BASE)[2]).page
    assert back.locator(f"[id='{anchor}']").evaluate("e => e.href").endswith("claims/#000-38")
