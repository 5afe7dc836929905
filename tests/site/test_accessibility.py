"""Every page can be used by everybody, and by keyboard without a long way.

axe finds nothing on a whole page, with its folds open, in both palettes, wide and narrow. The pages
in QUICK stand for the others, which are for `make long`.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.site.browser import BASE, PAGES, Tab, unfold

QUICK = {"", "your-model/", "labs/variance/", "404.html"}
EACH_PAGE = [
    pytest.param(path, id=path or "index", marks=[] if path in QUICK else pytest.mark.long)
    for path in PAGES
]
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
# The rules whose outcome depends on colours.
CONTRAST_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def violations(tab: Tab, rules: dict) -> list[str]:
    """Give what axe finds by some of its rules."""
    found = Axe().run(tab.page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


# What depends on colours is asked in both palettes.
ASKED = {
    "light": RULES,
    "dark": CONTRAST_RULES,
    "dark phone": RULES,
    "phone": CONTRAST_RULES,
}


def found(tab: Tab) -> list[str]:
    """What axe finds, however the page is shown."""
    unfold(tab)
    problems = []
    for how, rules in ASKED.items():
        tab.show(how)
        problems += [f"{how}: {each}" for each in violations(tab, rules)]
    return problems


@pytest.mark.parametrize("path", EACH_PAGE)
def test_a_whole_page_breaks_no_rule(visit, path):
    assert found(visit(BASE + path)) == []


def test_what_is_wrong_is_found_however_it_is_shown(visit):
    problems = found(visit("/bad.html"))
    for how in ASKED:
        assert any(each.startswith(f"{how}: ") for each in problems)


FAR = 100  # presses of the Tab key


def far_by_keyboard(page: Page) -> list[str]:
    """What takes more than FAR stops: from the skip link, or a section's link in the contents.

    Claims and references do not count: a link leads to each.
    """
    return page.evaluate(
        """most => {
            const all = document.querySelectorAll('a[href], button, input, summary, [tabindex]')
            const stops = [...all]
                .filter(e => e.tabIndex >= 0 && !e.disabled
                    && e.checkVisibility({visibilityProperty: true}))
            const links = stops.filter(e => e.closest('[data-md-component=toc]'))
            const found = []
            let from = 1, passed = 0  // how far the section is, and how far we are in it
            const inText = e => e.closest('article') && !e.closest('tr[id], li[id]')
            for (const stop of stops.filter(inText)) {
                const heading = stop.closest('h2, h3')
                const link = links.findIndex(e => heading && e.hash === '#' + heading.id)
                if (link >= 0) {
                    from = Math.min(stops.indexOf(links[link]) + 2, from + passed)
                    passed = 0
                }
                passed++
                if (from + passed > most)
                    found.push(`${from + passed}: ${stop.outerHTML.slice(0, 80)}`)
            }
            return found
        }""",
        FAR,
    )


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "index")
def test_the_keyboard_takes_few_stops(visit, path):
    assert far_by_keyboard(visit(BASE + path).page) == []


def test_many_stops_are_noticed(visit):
    page = visit(BASE + "glossary/").page
    page.evaluate(
        """most => document.querySelector('article h2').insertAdjacentHTML(
            'afterend', '<a href="#far">far</a>'.repeat(most))""",
        FAR,
    )
    assert "far</a>" in far_by_keyboard(page)[0]
