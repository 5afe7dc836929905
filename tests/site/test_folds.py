"""What is folded is text until somebody wants it, and then it is all there."""

import pytest

from tests.site.browser import BASE, settle, wait_until_quiet

PAGE = BASE + "theorem/"
KEPT = "document.querySelectorAll('details > noscript').length"
FILLED = f"() => {KEPT} === 0"
HOLDING = "details:has(> noscript)"


def test_folds_are_text_until_the_reader_does_something(visit):
    tab = visit(PAGE)
    wait_until_quiet(tab)
    page = tab.page
    settle(page)
    before = page.evaluate(KEPT)
    assert before > 20
    assert page.locator("details .highlight").count() == 0
    page.evaluate("dispatchEvent(new MouseEvent('mousemove'))")  # as when the page is laid out anew
    page.evaluate("() => new Promise(done => requestIdleCallback(() => requestIdleCallback(done)))")
    assert page.evaluate(KEPT) == before
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


def deep_in(page) -> str:
    """Find what lies in a fold within a fold."""
    return page.evaluate(
        """() => {
            const kept = [...document.querySelectorAll('details > noscript')]
            const pages = kept.map(e => new DOMParser().parseFromString(e.textContent, 'text/html'))
            const deep = 'details :is(h3, h4, figure, details)[id], details p [id]'
            return pages.map(p => p.querySelector(deep)?.id).find(Boolean)
        }"""
    )


def in_sight(page, name: str) -> bool:
    page.locator(f"[id='{name}']").wait_for(timeout=5000)  # by no script: the policy forbids eval
    settle(page)
    return page.evaluate(
        f"""() => {{
            const {{top, bottom}} = document.getElementById('{name}').getBoundingClientRect()
            return bottom > 0 && top < innerHeight
        }}"""
    )


@pytest.mark.parametrize("how", ["address", "link", "typed"])
def test_a_link_leads_into_a_fold_within_a_fold(visit, how):
    page = visit(PAGE).page
    deep = deep_in(page)
    if how == "address":
        page = visit(f"{PAGE}#{deep}").page
    elif how == "link":
        page.evaluate(
            f"document.querySelector('article p').innerHTML = '<a href=#{deep}>there</a>'"
        )
        page.get_by_text("there", exact=True).click()
    else:
        page.evaluate(f"location.hash = '{deep}'")
    assert in_sight(page, deep)


def test_folds_are_not_shown_as_text_where_their_script_does_not_come(visit):
    page = visit("/bad.html").page
    page.route("**/unfold*.js", lambda route: route.abort())
    page.goto(page.url.replace("/bad.html", PAGE))
    page.locator(HOLDING).first.locator("summary").click()
    assert "<span" not in page.locator("article").inner_text()


def test_on_paper_nothing_is_missing(visit):
    page = visit(PAGE).page
    page.pdf()
    assert page.evaluate(KEPT) == 0
    page.emulate_media(media="print")
    hidden = "all => all.filter(e => !e.checkVisibility()).length"
    assert page.locator("details:is(.depth, .proof) > p").evaluate_all(hidden) == 0


def test_folded_code_is_copied(visit):
    tab = visit(PAGE, permissions=["clipboard-read", "clipboard-write"])
    fold = tab.page.locator(".snippet details").first
    fold.locator("summary").click()
    code = fold.locator("code").first
    fold.locator(".md-code__button").first.click()
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == code.inner_text().strip()
    assert len(copied) > 100
