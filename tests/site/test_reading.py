"""What a reader does: change the palette, search, use the keyboard, switch scripts off."""

from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page

from tests.site.browser import (
    ADDRESSES,
    BASE,
    ROOT,
    SOURCES,
    address,
    asks_elsewhere,
    background,
)


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_the_toggle_changes_the_palette_and_is_remembered(visit, palette):
    page = visit(BASE, color_scheme=palette).page
    other = {"light": "dark", "dark": "light"}[palette]
    toggle = page.locator(".palette label:visible")
    for _ in range(3):  # a third choice, the system's, may lie between
        if background(page) == palette:
            toggle.click()
    assert background(page) == other
    page.reload()
    assert background(page) == other
    for path in ("glossary/", "references/"):
        page.goto(urljoin(page.url, BASE + path))
        assert background(page) == other


def copied(page: Page) -> str:
    """Select the first paragraph that holds a formula, copy it, and read what was copied."""
    return page.evaluate(
        """() => new Promise(resolve => {
            const paragraph = document.querySelector('article p:has(math)')
            getSelection().selectAllChildren(paragraph)
            document.addEventListener('copy', event => {
                resolve(event.clipboardData.getData('text/plain'))
            }, {once: true})
            document.execCommand('copy')
        })"""
    )


def test_a_copied_formula_is_tex(visit):
    assert "$d_k$" in copied(visit(BASE + "variance/").page)


def tabbed_to(page: Page, wanted: dict[str, str], limit: int = 40) -> set[str]:
    """Press Tab until every wanted element (name: selector) had the focus; name those that had."""
    reached: set[str] = set()
    for _ in range(limit):
        page.keyboard.press("Tab")
        for name, selector in wanted.items():
            if page.evaluate("s => !!document.activeElement.closest(s)", selector):
                reached.add(name)
        if len(reached) == len(wanted):
            break
    return reached


LANDMARKS = {
    "skip link": ".md-skip",
    "search": ".md-search, [data-md-component=search], [for=__search]",
    "palette": ".palette",
}


# What they reach stands in the theme's frame, which is one for all chapters, another for 404.html.
@pytest.mark.parametrize("path", ["", "variance/", "404.html"], ids=lambda path: path or "index")
def test_the_keyboard_reaches_what_the_mouse_does(visit, path):
    page = visit(BASE + path).page
    wanted = {
        name: at for name, at in LANDMARKS.items() if path in ADDRESSES or name != "skip link"
    }
    assert tabbed_to(page, wanted) == set(wanted)


def test_the_skip_link_leads_to_the_text(visit):
    page = visit(BASE).page
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('.md-skip')")
    page.keyboard.press("Enter")
    target = page.evaluate("() => location.hash.slice(1)")
    assert page.locator(f"article [id='{target}'], main[id='{target}']").count() == 1


def test_the_palette_changes_by_keyboard(visit):
    page = visit(BASE, color_scheme="light").page
    assert tabbed_to(page, {"palette": LANDMARKS["palette"]}) == {"palette"}
    for key in ("Enter", "Space", "ArrowRight"):
        if background(page) == "light":
            page.keyboard.press(key)
    assert background(page) == "dark"


def needs_scripts(page: Page) -> list[str]:
    """Parts of a page's text that cannot be seen now, the scripts being off."""
    return page.evaluate(
        """() => {
            const text = document.querySelector('article')?.innerText || ''
            const found = text.split(/ +/).length > 20 ? [] : ['the text']
            const hidden = e => {
                const box = e.getBoundingClientRect()
                return !e.checkVisibility({visibilityProperty: true}) || !(box.width * box.height)
            }
            return found.concat([...document.querySelectorAll('figure, figure svg[role=img], math')]
                .filter(e => !e.closest('details:not([open])') && hidden(e))
                .map(e => e.outerHTML.slice(0, 80)))
        }"""
    )


@pytest.mark.parametrize(
    "source", SOURCES, ids=lambda path: path.relative_to(ROOT / "docs").as_posix()
)
def test_a_page_reads_without_scripts(visit, source):
    tab = visit(BASE + address(source), java_script_enabled=False)
    assert needs_scripts(tab.page) == []
    assert asks_elsewhere(tab) == []


def test_only_with_scripts_there_is_something_to_drag(visit):
    hint = "e => getComputedStyle(e, '::after').content"
    for scripts in (True, False):
        page = visit(BASE, java_script_enabled=scripts).page
        hints = page.locator("why-mechanism p:has(label)").evaluate_all(f"all => all.map({hint})")
        assert any("drag" in words for words in hints) == scripts


def test_the_bad_page_needs_scripts(visit):
    tab = visit("/bad.html", java_script_enabled=False)
    assert "<math></math>" in needs_scripts(tab.page)
    assert tab.page.locator("#script").count() == 0
    assert visit("/bad.html").page.locator("#script").count() == 1
