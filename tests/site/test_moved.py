"""An address at which an answer once stood leads to the page where it stands now."""

from tests.site.browser import BASE

MOVED = "questions/#hopfield", "questions-similarity/#hopfield"


def test_an_old_address_leads_on(visit):
    old, new = MOVED
    page = visit(BASE + old).page
    page.wait_for_url(f"**/{new}")
    assert page.locator("#hopfield").evaluate("heading => heading.tagName") == "H2"
    page.goto(page.url.partition(BASE)[0] + BASE + "questions/")
    page.evaluate("location.hash = '#mup'")
    page.wait_for_url("**/questions-training/#mup")
    page.go_back()  # not to the address that leads on
    assert page.url.endswith("/questions/")


def test_the_overview_itself_leads_nowhere_else(visit):
    page = visit(BASE + "questions/#in-code").page
    page.wait_for_timeout(300)
    assert page.url.endswith("questions/#in-code")


def test_without_scripts_it_is_one_press_away(browser, origin):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(origin + BASE + MOVED[0])
    link = page.locator("a#hopfield")
    assert "rgba(0, 0, 0, 0)" not in link.locator("..").evaluate(
        "item => getComputedStyle(item).backgroundColor"
    )
    link.click()
    page.wait_for_url(f"**/{MOVED[1]}")
    context.close()
