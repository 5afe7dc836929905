"""A number shows its source in a card; what is folded opens when it has to."""

from tests.site.browser import BASE

PAGE = BASE + "variance/"
NUMBER = "a.computed >> nth=0"
CARD = ".card:popover-open"


def says_the_source(page) -> bool:
    """Tell whether the card names the result and links to its script."""
    card = page.locator(CARD)
    card.wait_for(timeout=2000)
    script = card.locator("a[download]").get_attribute("href")
    return page.get_attribute(NUMBER, "data-value") in card.inner_text() and script.endswith(".py")


def test_a_mouse_that_rests_on_a_number_sees_its_source(visit):
    page = visit(PAGE).page
    page.hover(NUMBER)
    assert says_the_source(page)
    page.mouse.move(5, 500)
    page.locator(CARD).wait_for(state="detached", timeout=2000)


def test_a_finger_opens_a_card_within_the_screen_and_escape_closes_it(visit):
    page = visit(PAGE, has_touch=True).page
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(NUMBER).scroll_into_view_if_needed()
    page.tap(NUMBER)
    assert says_the_source(page)
    box = page.locator(CARD).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert page.locator(CARD).count() == 0


def test_without_scripts_a_number_leads_to_its_source(visit):
    page = visit(PAGE, java_script_enabled=False).page
    page.click(NUMBER)
    assert page.locator("details.numbers").is_visible()
    assert "#numbers-" in page.url


def test_without_scripts_a_link_into_what_is_folded_opens_it(visit):
    page = visit(PAGE + "#one-product", java_script_enabled=False).page
    assert page.locator("#one-product").is_visible()
    assert page.locator("details:not([open])").count() > 10  # and nothing else
