"""What is folded is text until somebody wants it, and then it is all there."""

import pytest

from tests.site.browser import BASE, SOURCES, address, settle

PAGE = BASE + "theorem/"
KEPT = "document.querySelectorAll('details > noscript').length"
FILLED = f"() => {KEPT} === 0"
HOLDING = "details:has(> noscript)"


def test_folds_are_text_until_the_reader_does_something(visit):
    page = visit(PAGE).page
    page.wait_for_load_state("networkidle")
    settle(page)
    before = page.evaluate(KEPT)
    assert before > 20
    assert page.locator("details .highlight").count() == 0
    page.keyboard.press("Shift")
    page.wait_for_function(FILLED)
    assert page.locator("details .highlight").count() > 20


def test_a_fold_that_opens_holds_what_it_says(visit):
    page = visit(PAGE).page
    fold = page.locator(HOLDING).first
    within = fold.element_handle()
    fold.locator("summary").click()
    assert within.evaluate("e => e.open && e.lastElementChild.checkVisibility()")
    assert not within.evaluate("e => !!e.querySelector('noscript')")


def test_a_script_that_opens_a_fold_fills_it(visit):
    page = visit(PAGE).page
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true })")
    page.wait_for_function(FILLED)


@pytest.mark.parametrize("how", ["address", "link", "step back"])
def test_a_link_leads_into_a_fold_within_a_fold(visit, how):
    page = visit(PAGE).page
    deep = page.evaluate(
        """() => {
            const kept = [...document.querySelectorAll('details > noscript')]
            const pages = kept.map(e => new DOMParser().parseFromString(e.textContent, 'text/html'))
            return pages.map(p => p.querySelector('details [id]')?.id).find(Boolean)
        }"""
    )
    if how == "address":
        page.goto(page.url + "#" + deep)
        page.reload()
    elif how == "link":
        page.evaluate(
            f"document.querySelector('article p').innerHTML = '<a href=#{deep}>there</a>'"
        )
        page.get_by_text("there", exact=True).click()
    else:
        page.goto(page.url + "#" + deep)
    page.wait_for_function(f"document.getElementById('{deep}')?.checkVisibility()")


def test_on_paper_nothing_is_missing(visit):
    page = visit(PAGE).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(KEPT) == 0


def test_folded_code_is_copied(visit):
    tab = visit(PAGE, permissions=["clipboard-read", "clipboard-write"])
    fold = tab.page.locator(".snippet details").first
    fold.locator("summary").click()
    code = fold.locator("code").first
    fold.locator(".md-code__button").first.click()
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == code.inner_text().strip()
    assert len(copied) > 100


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_lost_on_the_way(visit, source):
    """With scripts, once all is unfolded, a page has what it has without (but what one drags)."""
    counts = []
    for scripts in (True, False):
        page = visit(BASE + address(source), java_script_enabled=scripts).page
        if scripts:
            page.evaluate("unfoldAll()")
        counts.append(
            page.locator(
                "article :is(math, svg, figure, tr, li, p, pre, summary, h2, h3, h4)"
            ).evaluate_all(
                """all => all.filter(e => {
                    for (let box = e; box; box = box.parentElement)
                        if (box.localName.startsWith('why-')) return false
                    return true
                }).map(e => e.localName).sort()"""
            )
        )
    assert counts[0] == counts[1]
