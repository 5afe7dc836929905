"""A state of an explorable has an address: a link to it shows all of it, and Back leads back."""

from urllib.parse import urljoin

import pytest

from tests.site.browser import BASE, PHONE, WIDE, complains, unfold
from tests.site.explorables import CALM, PAGE, show

# A usual window of a laptop, which holds a figure and its caption, a low one, and a phone.
USUAL, LOW = WIDE | {"height": 800}, {"width": 1366, "height": 650}
MOVING = {"reduced_motion": "no-preference"}
# How much of what has to be seen is not: of the figure with its caption where it fits below the
# header, else of the panel with its number and its controls.
HIDDEN = """name => {
    const shown = document.querySelector(`why-${name}`)
    const header = document.querySelector('.md-header').getBoundingClientRect().bottom
    const [panel, figure] = [shown.querySelector('.panel'), shown.querySelector('figure')]
    const seen = figure.offsetHeight + header <= innerHeight ? figure : panel
    const { top, bottom } = seen.getBoundingClientRect()
    return Math.round(Math.max(header - top, bottom - innerHeight))
}"""
IS_SEEN = f"name => ({HIDDEN})(name) <= 1"


@pytest.mark.parametrize("name", PAGE)
def test_a_link_to_a_state_shows_all_of_it(visit, name):
    """Also once that has come which comes late, or what is above it becomes higher."""
    page = visit("/nowhere", **MOVING).page
    address = urljoin(page.url, f"{BASE}{PAGE[name]}?d=64#{name}")  # those without d pass over it
    for window in (LOW, PHONE):
        page.set_viewport_size(window)
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_function(IS_SEEN, arg=name)
        page.wait_for_timeout(600)
        assert page.evaluate(HIDDEN, name) <= 1, window
        # A browser that keeps no place by itself, and something that comes in above.
        grow = """() => {
            document.documentElement.style.overflowAnchor = 'none'
            const late = document.createElement('div')
            late.style.height = '500px'
            document.querySelector('article').prepend(late)
        }"""
        page.evaluate(grow)
        page.wait_for_function(IS_SEEN, arg=name)
        # But a reader who has begun to do something stays where that is.
        page.keyboard.press("Shift")
        page.evaluate(grow)
        page.wait_for_timeout(100)
        assert page.evaluate(HIDDEN, name) > 100


@pytest.mark.parametrize("name", ["mechanism", "calculator", "training", "divisor", "attention"])
def test_a_link_on_the_page_shows_all_of_it(visit, name):
    """From where it stands, whichever side of the picture that is on."""
    tab = visit(BASE + PAGE[name], **MOVING)
    unfold(tab)
    page = tab.page
    for window in (USUAL, PHONE):
        page.set_viewport_size(window)
        link = page.locator(f"article a[href^='?'][href$='#{name}']").last
        link.click()
        page.wait_for_function(IS_SEEN, arg=name)
        page.wait_for_timeout(600)
        assert page.evaluate(HIDDEN, name) <= 1, window


def values(page, name: str) -> dict:
    return page.evaluate(f"() => document.querySelector('why-{name}').values")


def test_back_undoes_a_link_to_a_state_and_forward_does_it_again(visit):
    tab = visit(BASE, **CALM)
    page, first = tab.page, values(tab.page, "mechanism")
    page.evaluate("() => { window.same = true }")
    page.locator("article a[href='?d=128&trained=1#mechanism']").click()
    there = first | {"d": 128, "trained": 1}
    assert values(page, "mechanism") == there != first
    page.wait_for_timeout(700)  # and when the state has been kept
    for _ in range(2):
        page.go_back()
        assert page.url.endswith(BASE)
        assert values(page, "mechanism") == first
        page.wait_for_timeout(700)
        assert page.url.endswith(BASE), "it stands for the picture as it was"
        page.go_forward()
        assert "?d=128&trained=1" in page.url
        assert values(page, "mechanism") == there
    # What the reader has moved, too.
    page.locator("why-mechanism input[type=range]").press("ArrowLeft")
    page.wait_for_function("() => location.search.includes('d=127')")
    page.locator("article a[href='?d=128&trained=1#mechanism']").click()
    page.go_back()
    assert values(page, "mechanism") == there | {"d": 127}
    assert page.evaluate("() => window.same")
    assert complains(tab) == []


def test_back_stops_what_plays(visit):
    page = visit(BASE + PAGE["training"], **MOVING).page
    show(page, "training", "shown => 0", steps=3)
    page.wait_for_function("() => location.search.includes('steps=3')")
    first = values(page, "training")
    page.locator("article a[href^='?'][href$='#training']").first.click()
    page.locator("why-training [data-act=play]").click()
    page.wait_for_timeout(500)
    page.go_back()
    page.wait_for_timeout(1000)
    assert values(page, "training") == first


def test_back_and_links_end_the_draws(visit):
    page = visit(BASE + "?d=63&trained=0&draw=0#mechanism", **MOVING).page
    page.wait_for_function("() => history.state?.mechanism")
    first = values(page, "mechanism")
    link = page.locator("article a[href='?d=128&trained=1#mechanism']")
    ten = page.locator("why-mechanism").get_by_role("button", name="10 times")
    link.click()
    ten.click()
    page.wait_for_timeout(700)
    page.go_back()
    page.wait_for_timeout(1000)
    assert values(page, "mechanism") == first
    ten.click()
    page.wait_for_timeout(700)
    link.click()
    draw = values(page, "mechanism")["draw"]
    page.wait_for_timeout(1000)
    assert values(page, "mechanism") == {"d": 128, "trained": 1, "draw": draw}


def test_a_link_to_one_picture_keeps_what_another_shows(visit):
    """In the address that is left and in the new one, also if it had moved just before."""
    page = visit(BASE + "saturation/", **CALM).page
    page.evaluate(
        "() => document.querySelector('article p').insertAdjacentHTML("
        "'beforeend', '<a id=there href=\"?a=0.3#plane\">there</a>')"
    )
    page.locator("why-attention input[type=range]").first.press("End")
    moved = values(page, "attention")
    page.locator("#there").click()
    page.go_back()
    assert values(page, "attention") == moved
    page.go_forward()
    page.reload()
    page.locator("why-attention").scroll_into_view_if_needed()
    page.wait_for_selector("why-attention .panel")
    assert values(page, "attention") == moved
    assert values(page, "plane")["a"] == 0.3


def test_who_scrolls_away_from_a_state_stays_away(visit):
    """Although what lies there begins, and changes the height of the page."""
    page = visit(BASE + "saturation/?a=0.3#plane", **CALM).page
    page.wait_for_selector("why-plane .panel")
    page.wait_for_timeout(500)
    page.evaluate("() => document.querySelector('why-yours').scrollIntoView()")
    page.wait_for_selector("why-yours .panel")
    page.wait_for_timeout(700)
    top = page.evaluate("() => document.querySelector('why-yours').getBoundingClientRect().top")
    assert abs(top) < 600


def test_a_link_to_a_section_leaves_every_state_alone(visit):
    """Going there and back; also if the section has a picture with a state of its own."""
    page = visit(BASE + "saturation/", **CALM).page
    plane = values(page, "plane")
    page.locator("why-attention input[type=range]").first.press("End")
    page.wait_for_function("() => location.hash === '#attention'")
    moved = values(page, "attention")
    for to in ("#plane", "#attention"):
        page.evaluate("to => document.querySelector(`article ${to} .headerlink`).click()", to)
        page.wait_for_function("to => location.hash === to", arg=to)
        assert values(page, "plane") == plane, "the query is of another"
        assert values(page, "attention") == moved
    page.locator("why-plane input[type=range]").first.press("Home")
    page.wait_for_function("() => location.hash === '#plane'")
    now = values(page, "plane")
    for go in (page.go_back, page.go_back, page.go_forward, page.go_forward):
        go()
        page.wait_for_timeout(50)
        assert values(page, "attention") == moved
        assert values(page, "plane") == now


def test_a_reader_who_comes_back_to_the_page_finds_it_as_it_was(visit):
    """From another page, or by loading it again; and where they had scrolled to."""
    page = visit(BASE + "saturation/", **CALM).page
    for name in ("attention", "plane"):
        page.locator(f"why-{name} input[type=range]").first.press("End")
        page.wait_for_function("name => location.hash === `#${name}`", arg=name)
    kept = {name: values(page, name) for name in ("attention", "plane")}
    page.evaluate("() => scrollTo(0, 500)")
    page.goto(page.url.replace("saturation/", "variance/").partition("?")[0])
    for again in (page.go_back, page.reload):
        again()
        page.wait_for_timeout(600)
        assert page.evaluate("() => scrollY") == 500
        for name, state in kept.items():
            show(page, name, "shown => 0")
            assert values(page, name) == state
        page.evaluate("() => scrollTo(0, 500)")
