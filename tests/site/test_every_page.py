"""What holds on every page.

A check lists what is wrong with the page in a tab. Each check meets every page of the site, where
it must list nothing, and bad.html, where it must find what is wrong there. A page is opened once,
for all checks; those that depend on the palette meet it in both. axe: test_accessibility.py.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pprint import pformat

import pytest

from tests.site.browser import (
    BASE,
    CONTRAST,
    PAGES,
    Tab,
    asks_elsewhere,
    background,
    complains,
    settle,
    unfold,
)


def overflows_a_phone(tab: Tab) -> list[str]:
    """Elements wider than the page, where it scrolls sideways, folded parts being open."""
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


def scrolls_out_of_reach(tab: Tab) -> list[str]:
    """Boxes that scroll sideways and have no stop for the Tab key, folded parts being open."""
    fold = "open => document.querySelectorAll('.was-folded').forEach(e => { e.open = open })"
    tab.page.evaluate(
        """() => document.querySelectorAll('details:not([open])')
            .forEach(e => e.classList.add('was-folded'))"""
    )
    tab.page.evaluate(fold, True)
    settle(tab.page)
    found = tab.page.evaluate(
        """() => [...document.querySelectorAll('body *')]
            .filter(e => e.scrollWidth > e.clientWidth + 1 && e.checkVisibility()
                && /auto|scroll/.test(getComputedStyle(e).overflowX)
                && ![e, ...e.querySelectorAll('*')].some(e => e.tabIndex >= 0))
            .map(e => e.outerHTML.slice(0, 160))"""
    )
    tab.page.evaluate(fold, False)
    return found


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


def reads_out_badly(tab: Tab) -> list[str]:
    """Formulas without a name, or whose name is TeX or has lost a root."""
    return tab.page.evaluate(
        r"""() => [...document.querySelectorAll('math')].filter(e => {
            const name = e.ariaLabel || ''
            return !name.trim() || /[\\$]/.test(name)
                || e.querySelectorAll('msqrt').length !== (name.match(/√/g) || []).length
        }).map(e => `${e.ariaLabel}: ${e.outerHTML.slice(0, 160)}`)"""
    )


def sets_straight_quotes(tab: Tab) -> list[str]:
    """Apostrophes and quotation marks of a typewriter, outside code and what is not seen."""
    return tab.page.evaluate(
        r"""() => {
            const found = [], unseen = 'pre, code, math, script, style, desc'
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
            while (texts.nextNode()) {
                const {data, parentElement} = texts.currentNode
                if (/['"]/.test(data) && !parentElement.closest(unseen))
                    found.push(data.match(/.{0,30}['"].{0,30}/)[0])
            }
            return found
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


WORDS = "article svg text:not(.grip ~ *)"  # a letter on a grip has that behind it
FAINT = f"""() => {{
    const contrast = {CONTRAST}
    const known = new Map()  // a drawing has few colours and many words
    const ratio = (one, other) => {{
        const pair = `${{one}} on ${{other}}`
        if (!known.has(pair)) known.set(pair, contrast(one, other))
        return known.get(pair)
    }}
    return [...document.querySelectorAll('{WORDS}')].flatMap(text => {{
        if (!text.textContent.trim()) return []
        let behind = text.ownerSVGElement
        while (behind && /rgba.*, 0\\)|transparent/.test(getComputedStyle(behind).backgroundColor))
            behind = behind.parentElement
        const colour = getComputedStyle(behind ?? document.body).backgroundColor
        const found = ratio(getComputedStyle(text).fill, colour)
        return found < 4.5 ? [`${{text.textContent}}: ${{found.toFixed(2)}}`] : []
    }})
}}"""


def sets_faint_words(tab: Tab) -> list[str]:
    """Words in drawings that are hard to read: a checker of pages (axe) looks at none of these."""
    return tab.page.evaluate(FAINT)


def prints_navigation(tab: Tab) -> list[str]:
    """What is of no use on paper, or missing there."""
    return tab.page.evaluate(
        """() => {
            const wanted = [...document.querySelectorAll('article, figure > .drawing')]
                .filter(e => !e.checkVisibility() && !e.closest('details:not([open])'))
            const useless = [...document.querySelectorAll(
                'nav, .md-header, .md-search, .md-footer__inner, .panel')]
                .filter(e => e.checkVisibility({visibilityProperty: true})
                             && e.getBoundingClientRect().height > 0)
            return [...wanted, ...useless].map(e => e.outerHTML.slice(0, 80))
        }"""
    )


def stays_light(tab: Tab) -> list[str]:
    """The page's colour, where it does not follow the system's palette."""
    colour = background(tab.page)
    return [] if colour == "dark" else [colour]


# How a page is shown, the checks that meet it so, and what each finds on bad.html.
CHECKS = {
    "light": {
        lacks_words: "no text alternative",
        reads_out_badly: "null: <math><merror>",
        sets_straight_quotes: "It's straight",
        lacks_fonts: "not loaded: Why Math",
        hides_figures: "pale",
    },
    "paper": {prints_navigation: "<nav>"},
    "phone": {
        overflows_a_phone: "wide and folded",
        scrolls_out_of_reach: "wide and out of reach",
        asks_elsewhere: "other.invalid/picture.png",
    },
    "narrow": {overflows_a_phone: "wide and folded"},
    "dark": {
        hides_figures: "pale",
        stays_light: "light",
        # By now the page has asked for all that it will ask for.
        asks_elsewhere: "other.invalid/picture.png",
        complains: "no such thing",
    },
}


def look_at(tab: Tab) -> Iterator[tuple[str, str, list[str]]]:
    """Show a page in every way; give each check, what it finds on bad.html, what it finds here."""
    tab.page.evaluate("window.unfoldAll?.()")
    for how, checks in CHECKS.items():
        tab.show(how)
        for check, expected in checks.items():
            yield f"{check.__name__}, {how}", expected, check(tab)
    unfold(tab)
    for how in ("dark", "light"):
        tab.show(how)
        yield f"{sets_faint_words.__name__}, {how}", "faint", sets_faint_words(tab)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "index")
def test_no_page(visit, path):
    problems = {name: found for name, _, found in look_at(visit(BASE + path)) if found}
    assert not problems, pformat(problems, width=200)


def test_the_bad_page(visit):
    """Every check finds there what it is for."""
    missed = {
        name: found
        for name, expected, found in look_at(visit("/bad.html"))
        if not any(expected in problem for problem in found)
    }
    assert not missed, pformat(missed, width=200)


def test_an_id_stands_once_on_a_page(site):
    twice = {}
    for page in site.rglob("*.html"):
        ids = Counter(re.findall(r'<[^<>]*\sid="([^"]+)"', page.read_text("utf-8")))
        twice |= {f"{page}#{name}": number for name, number in ids.items() if number > 1}
    assert twice == {}
