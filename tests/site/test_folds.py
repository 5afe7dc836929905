"""What is folded is text until somebody wants it, and then it is all there."""

from html.parser import HTMLParser

import pytest

from tests.conftest import PROJECT
from tests.site.browser import BASE, ROOT, SOURCES, address, settle

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
    page.evaluate("dispatchEvent(new MouseEvent('mousemove'))")  # as when the page is laid out anew
    page.evaluate("() => new Promise(done => requestIdleCallback(() => requestIdleCallback(done)))")
    assert page.evaluate(KEPT) == before
    page.keyboard.press("Shift")
    page.wait_for_function(FILLED)
    assert page.locator("details .highlight").count() > 20


def test_the_browser_s_search_has_all_of_it_a_second_after_a_key(visit):
    """What it searches is what the document holds as text, in closed folds too."""
    page = visit(PAGE).page
    inside = "[...document.querySelectorAll('details .highlight')].length"
    assert (page.evaluate(KEPT) > 20, page.evaluate(inside)) == (True, 0)  # a second before it
    page.keyboard.press("Control")
    page.wait_for_timeout(1000)
    assert page.evaluate(KEPT) == 0
    assert page.evaluate(inside) > 20


def test_a_mouse_that_moves_begins_it(visit):
    page = visit(PAGE).page
    for place in (100, 200, 300):  # of its first move, it is not known how far it was
        page.mouse.move(place, place)
    page.wait_for_function(FILLED)


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


def test_a_step_back_leads_into_a_fold(visit):
    page = visit(PAGE).page
    deep = deep_in(page)
    page.goto(f"{page.url}#{deep}")
    page.goto(page.url.replace("theorem/", "glossary/").partition("#")[0])
    page.go_back()  # where the page was scrolled to, the browser restores in its own time
    page.locator(f"[id='{deep}']").wait_for(timeout=5000)


def test_a_stray_sign_in_an_address_stops_nothing(visit):
    page = visit(PAGE + "#%").page
    page.keyboard.press("Shift")
    page.wait_for_function(FILLED)


def test_a_mark_shows_its_card_before_anything_else_is_done(visit):
    page = visit(BASE + "saturation/").page
    page.locator("article a.computed").first.hover()
    page.locator(".card:popover-open").wait_for()


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


class Reader(HTMLParser):
    """Reads a page's words and anchors, in their order."""

    def __init__(self, html: str):
        super().__init__()
        self.read: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.read += [f"#{value}" for name, value in attrs if name == "id"]

    def handle_data(self, data):
        self.read += data.split()


def lost(before: str, after: str) -> list[str]:
    """Words and anchors of a page's text that the built page has not, or not in their order."""
    left = iter(Reader(after).read)
    return [word for word in Reader(before).read if word not in left]


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_lost_on_the_way(visit, site, source):
    name = source.relative_to(ROOT / "docs").as_posix()
    woven = PROJECT.store.read("page", name, "html")
    page = visit(BASE + address(source)).page
    page.evaluate("unfoldAll()")
    shown = page.locator("article").evaluate("e => e.innerHTML")
    if "<why-" in woven:  # what one drags stands in the place of its drawing
        shown = (site / address(source) / "index.html").read_text("utf-8")
    assert lost(woven, shown) == []


def test_a_lost_word_is_noticed():
    page = "<p id='a'>one two</p><p id='b'>three</p>"
    assert lost(page, page.replace("<p id='b'>", "<div><p id='b'>")) == []
    assert lost(page, page.replace("two", "")) != []
    assert lost(page, page.replace(" id='b'", "")) == ["#b", "three"]
    assert lost(page, "<p id='b'>three</p><p id='a'>one two</p>") != []
