"""What holds on every page, in both palettes.

A check lists what is wrong with the page in a tab. Each check meets every page of the site, where
it must list nothing, and bad.html, where it must find what is wrong there.
"""

from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.browser import CONTRAST, PHONE, WIDE, Tab, asks_elsewhere, background, complains


def overflows_a_phone(tab: Tab) -> list[str]:
    """Elements wider than a phone, where the page scrolls sideways, folded parts being open."""
    tab.page.set_viewport_size(PHONE)
    try:
        return tab.page.evaluate(
            """() => {
                const folded = [...document.querySelectorAll('details:not([open])')]
                folded.forEach(e => { e.open = true })
                const root = document.scrollingElement, width = root.scrollWidth
                const scrolls = e => e && e !== document.body
                    && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement))
                const wide = width <= innerWidth ? [] : [...document.querySelectorAll('body *')]
                    .filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
                    .filter(e => !scrolls(e.parentElement))
                    .map(e => (e.closest('math') || e).outerHTML.slice(0, 120))
                folded.forEach(e => { e.open = false })
                return width <= innerWidth ? [] : [`the page is ${width} px wide`, ...new Set(wide)]
            }"""
        )
    finally:
        tab.page.set_viewport_size(WIDE)


def breaks_accessibility_rules(tab: Tab) -> list[str]:
    """What axe finds by WCAG 2.1 A and AA, and by its best practices."""
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    found = Axe().run(
        tab.page,
        options={"runOnly": {"type": "tag", "values": rules}, "resultTypes": ["violations"]},
    )
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
        # axe reads no MathML, so to it a table's heading that is a formula has no text.
        if not (rule["id"] == "empty-table-header" and "<math" in node["html"])
    ]


def lacks_words(tab: Tab) -> list[str]:
    """Pictures without a text alternative, figures without a caption."""
    return tab.page.evaluate(
        """() => {
            const text = e => (e?.textContent || '').trim()
            const alternative = e => e.tagName === 'IMG' ? e.alt.trim()
                : (e.getAttribute('aria-labelledby') || '').split(/ +/).filter(Boolean)
                    .map(id => text(document.getElementById(id))).join(' ').trim()
                  || (e.getAttribute('aria-label') || '').trim()
                  || text(e.querySelector(':scope > title'))
            const found = []
            for (const figure of document.querySelectorAll('figure')) {
                const name = 'figure ' + figure.id
                if (!text(figure.querySelector('figcaption'))) found.push(name + ': no caption')
                for (const e of figure.querySelectorAll('svg:not(svg svg), canvas')) {
                    if (e.closest('[aria-hidden=true], button, label')) continue
                    if (e.getAttribute('role') !== 'img') found.push(name + ': no role=img')
                    if (!alternative(e)) found.push(name + ': no text alternative')
                }
            }
            for (const image of document.querySelectorAll('img'))
                if (!image.hasAttribute('alt') || (!image.alt && image.closest('figure')))
                    found.push('no alt: ' + image.src)
            return found
        }"""
    )


def skips_a_heading(tab: Tab) -> list[str]:
    """More or fewer than one h1, or a level left out on the way down."""
    levels = tab.page.evaluate(
        """() => [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
            .filter(e => e.checkVisibility()).map(e => +e.tagName[1])"""
    )
    found = [] if levels.count(1) == 1 else [f"{levels.count(1)} h1"]
    steps = pairwise(levels)
    return found + [f"h{upper}, then h{lower}" for upper, lower in steps if lower > upper + 1]


def spoils_mathematics(tab: Tab) -> list[str]:
    """Formulas that are empty or hold an error."""
    return tab.page.evaluate(
        """() => [...document.querySelectorAll('math')]
            .filter(e => !e.textContent.trim() || e.querySelector('merror'))
            .map(e => e.outerHTML.slice(0, 160))"""
    )


def shows_a_mistake(tab: Tab) -> list[str]:
    """What weave could not do, and marks that nothing replaced."""
    return tab.page.evaluate(
        r"""() => {
            const found = [...document.querySelectorAll('.weave-error')].map(e => e.textContent)
            const main = (document.querySelector('article') || document.body).cloneNode(true)
            for (const e of main.querySelectorAll('pre, code, script, style, math')) e.remove()
            return found.concat(main.textContent.match(/\{= [^}]*\}|\$\$.*|^ *::: .*/gm) || [])
        }"""
    )


def lacks_fonts(tab: Tab) -> list[str]:
    """The site's own fonts, where one does not load or the text does not use it."""
    return tab.page.evaluate(
        """async () => {
            const found = []
            for (const family of ['Why Serif', 'Why Sans', 'Why Math']) {
                const faces = await document.fonts.load(`16px "${family}"`, 'x=0').catch(() => [])
                if (!faces.some(face => face.status === 'loaded'))
                    found.push('not loaded: ' + family)
            }
            const used = e => getComputedStyle(e).fontFamily.split(',')[0].replaceAll('"', '')
            const isOurs = (e, family) => used(e).startsWith(family)
                || found.push(used(e) + ': ' + e.outerHTML.slice(0, 80))
            document.querySelectorAll('article > :is(p, h2, ul)').forEach(e => isOurs(e, 'Why '))
            document.querySelectorAll('math').forEach(e => isOurs(e, 'Why Math'))
            return found
        }"""
    )


def hides_figures(tab: Tab) -> list[str]:
    """Figures whose lines and letters are too near the colour of the page."""
    return tab.page.evaluate(
        f"""() => {{
            const contrast = {CONTRAST}
            const page = getComputedStyle(document.body).backgroundColor
            return [...document.querySelectorAll('figure svg[role=img]')]
                .map(e => [e.closest('figure').id, contrast(getComputedStyle(e).color, page)])
                .filter(([_, ratio]) => ratio < 4.5).map(([id, ratio]) => id + ': ' + ratio)
        }}"""
    )


def prints_navigation(tab: Tab) -> list[str]:
    """What is of no use on paper, or missing there."""
    tab.page.emulate_media(media="print")
    try:
        return tab.page.evaluate(
            """() => {
                const main = document.querySelector('article')
                const found = main?.checkVisibility() ? [] : ['no article']
                return found.concat(
                    [...document.querySelectorAll('nav, .md-header, .md-search, .md-footer__inner')]
                    .filter(e => e.checkVisibility({visibilityProperty: true})
                                 && e.getBoundingClientRect().height > 0)
                    .map(e => e.outerHTML.slice(0, 80)))
            }"""
        )
    finally:
        tab.page.emulate_media(media="null")


# Each check, and what it finds on bad.html.
CHECKS = {
    asks_elsewhere: "other.invalid/picture.png",
    complains: "no such thing",
    overflows_a_phone: "wide and folded",
    breaks_accessibility_rules: "color-contrast",
    lacks_words: "no text alternative",
    skips_a_heading: "h1, then h4",
    spoils_mathematics: "merror",
    shows_a_mistake: "{= spread.std }",
    lacks_fonts: "not loaded: Why Math",
    hides_figures: "pale",
    prints_navigation: "<nav>",
}
each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@each_check
def test_no_page(tab, check):
    problems = check(tab)
    assert not problems, "\n".join(problems)


def test_both_palettes_are_what_they_are_called(tab, request):
    assert background(tab.page) == request.node.callspec.params["tab"][1]


@each_check
def test_the_bad_page(bad_tab, check):
    assert any(CHECKS[check] in problem for problem in check(bad_tab)), check(bad_tab)


def test_the_bad_page_would_warm_up_a_connection(bad_tab):
    assert "https://fonts.invalid/" in asks_elsewhere(bad_tab)
