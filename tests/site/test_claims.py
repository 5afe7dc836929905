"""The page of claims can be narrowed to a verdict or a source, with scripts or without."""

from collections import Counter

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
        ("wrong", {"wrong"}),
        ("no code", {"question", "history", "opinion"}),
    ],
)
def test_a_verdict_narrows_the_tables(claims, value, verdicts):
    every = Counter(verdict for _, verdict in shown(claims))
    claims.locator(f'.filter [value="{value}"]').check()
    left = Counter(verdict for _, verdict in shown(claims))
    assert left == {verdict: every[verdict] for verdict in verdicts if every[verdict]}
    assert left != every


def test_a_source_and_a_verdict_narrow_together(claims):
    every = Counter(shown(claims))
    claims.locator('.filter [value="article"]').check()
    assert {source for source, _ in shown(claims)} == {"003"}
    claims.locator('.filter [value="wrong"]').check()
    assert Counter(shown(claims)) == {("003", "wrong"): every["003", "wrong"]}


def test_a_source_without_such_a_claim_says_so(claims):
    claims.locator('.filter [value="note"]').check()
    said = "e => getComputedStyle(e, '::after').content"
    assert claims.locator(".source:visible").evaluate(said) == "none"
    claims.locator('.filter [value="withdrawn"]').check()
    assert claims.locator(".source:visible").evaluate(said) == '"No such claim in this source."'
    assert not claims.locator(".source table:visible").count()
