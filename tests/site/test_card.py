"""A mark shows its claim in a card, a number its source; what is folded opens when it has to."""

import pytest
from playwright.sync_api import Page

from tests.site.browser import BASE

PAGE = BASE + "variance/"
MARK = "a.claim[aria-label][href$='#003-27']"  # in the text of the chapter
CARD = ".card:popover-open"


def says_the_claim(page: Page) -> bool:
    """Tell whether the card has the claim's words, its verdict, and a link to its check."""
    card = page.locator(CARD)
    card.wait_for(timeout=2000)
    text = card.inner_text()
    assert card.locator("details").count() == 0
    assert card.locator("a.more").get_attribute("href").endswith("/claims/#003-27")
    return "always exactly equal" in text and "true" in text


def test_a_mouse_that_rests_on_a_mark_sees_its_claim(visit):
    tab = visit(PAGE)
    page = tab.page
    assert not any("/claims/" in url for url in tab.requests)  # before somebody asks
    page.hover(MARK)
    assert says_the_claim(page)
    page.mouse.move(5, 500)
    page.locator(CARD).wait_for(state="detached", timeout=2000)


def test_the_keyboard_opens_a_card_reaches_its_links_and_closes_it(visit):
    page = visit(PAGE).page
    page.focus(MARK)
    page.keyboard.press("Enter")
    assert says_the_claim(page)
    assert page.get_attribute(MARK, "aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("s => !!document.activeElement.closest(s)", CARD)
    page.keyboard.press("Escape")
    assert page.locator(CARD).count() == 0
    page.wait_for_selector(f"{MARK}[aria-expanded=false]", timeout=2000)  # said a moment later
    assert page.url.endswith(PAGE)


def test_a_finger_opens_a_card_within_the_screen(visit):
    page = visit(PAGE, has_touch=True).page
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(MARK).scroll_into_view_if_needed()
    page.tap(MARK)
    assert says_the_claim(page)
    box = page.locator(CARD).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_a_number_says_which_script_computed_it(visit):
    page = visit(PAGE).page
    number = page.locator("a.computed").first
    value = number.get_attribute("data-value")
    number.click()
    page.locator(CARD).wait_for()
    assert value in page.locator(CARD).inner_text()
    assert page.locator(CARD + " a[download]").get_attribute("href").endswith(".py")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_link_into_what_is_folded_opens_it(visit, scripts):
    page = visit(PAGE + "#one-product", java_script_enabled=scripts).page
    assert page.locator("#one-product").is_visible()
    assert page.locator("details:not([open])").count() > 10  # and nothing else


def test_without_scripts_a_mark_leads_to_its_claim(visit):
    page = visit(PAGE, java_script_enabled=False).page
    page.click(MARK)
    assert page.locator("[id='003-27']").is_visible()
    assert page.url.endswith("/claims/#003-27")


def test_on_paper_depth_is_open_and_code_is_not(visit):
    page = visit(PAGE).page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen = "s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()).length"
    assert page.evaluate(seen, "details.proof p") > 3
    assert page.evaluate(seen, ".snippet details .highlight, .numbers li") == 0
