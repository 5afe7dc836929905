"""The site keeps its Content-Security-Policy: nothing is refused, whatever a reader does."""

import re

import pytest

from tests.site.browser import BASE, PAGES, settle

HEARD = """
window.refused = []
addEventListener("securitypolicyviolation",
    e => refused.push(`${e.effectiveDirective} ${e.blockedURI} ${e.sample}`))
"""


def refused(page) -> list[str]:
    settle(page)
    return page.evaluate("refused")


def use(page) -> None:
    """Search, change the palette, unfold and fold, copy code."""
    page.keyboard.press("/")
    page.keyboard.type("variance", delay=20)
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("Escape")
    for _ in range(3):
        page.locator(".palette label:visible").click()
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = !e.open })")
    settle(page)
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = !e.open })")
    for button in page.locator(".md-code__button:visible").all()[:2]:
        button.click()


@pytest.fixture
def heard(browser, origin):
    """Open pages, and listen from the start for what is refused there."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(HEARD)
    yield lambda path: open_page(context, origin + path)
    context.close()


def open_page(context, url: str):
    page = context.new_page()
    page.goto(url)
    return page


# Of each kind one: the others, which have the same scripts, are for `make long`.
QUICK = {"", "saturation/", "claims/", "labs/variance/", "404.html"}
EACH_PAGE = [
    pytest.param(path, id=path or "index", marks=[] if path in QUICK else pytest.mark.long)
    for path in PAGES
]


@pytest.mark.parametrize("path", EACH_PAGE)
def test_nothing_is_refused(heard, path):
    page = heard(BASE + path)
    use(page)
    assert refused(page) == []


def test_what_the_policy_forbids_is_refused_and_heard(heard):
    page = heard(BASE + "glossary/")
    page.evaluate(
        """() => {
            const script = document.createElement("script")
            script.textContent = "window.ran = true"
            document.head.append(script)
            document.head.append(document.createElement("style"))
            document.head.lastChild.textContent = "body { color: red }"
        }"""
    )
    found = " ".join(refused(page))
    assert "script-src-elem inline" in found
    assert "style-src-elem inline" in found
    assert page.evaluate("window.ran") is None


def test_each_page_states_it(site):
    for page in site.rglob("*.html"):
        html = page.read_text("utf-8")
        (stated,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
        assert stated.replace("style-src-attr 'unsafe-inline'", "").count("unsafe") == 0
        assert not re.search(r"<style|<[a-z][^<>]* on[a-z]+=", html)


def test_every_custom_property_that_a_sheet_uses_is_there(site):
    """Those sheets too that only a few pages load; scripts set some."""
    sheets = "".join(sheet.read_text("utf-8") for sheet in site.glob("assets/**/*.css"))
    scripts = "".join(script.read_text("utf-8") for script in site.glob("assets/**/*.js"))
    known = {*re.findall(r"(--[\w-]+)\s*:", sheets), *re.findall(r"--[\w-]+", scripts)}
    uses = {*re.findall(r"var\(\s*(--[\w-]+)\s*\)", sheets)}
    assert "--series-5" in uses
    assert uses <= known
