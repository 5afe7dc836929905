"""What axe finds on a page, and how a page is thinned for it: its time grows with the elements."""

from axe_playwright_python.sync_playwright import Axe

from tests.site.browser import Tab

RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
# The rules whose outcome depends on colours.
CONTRAST_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def breaks_accessibility_rules(tab: Tab) -> list[str]:
    """What axe finds by WCAG 2.1 A and AA, and by its best practices."""
    return violations(tab, RULES)


def lacks_contrast(tab: Tab) -> list[str]:
    """What axe finds that depends on colours."""
    return violations(tab, CONTRAST_RULES)


def violations(tab: Tab, rules: dict) -> list[str]:
    """Run some of axe's rules."""
    found = Axe().run(tab.page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]


def unfold(tab: Tab) -> None:
    """Open what is folded, and have all of the page laid out."""
    tab.page.evaluate(
        """() => {
            window.unfoldAll?.()
            document.querySelectorAll('details').forEach(e => { e.open = true })
            // Of what is out of sight Chromium does not tell the colours of a new palette.
            document.querySelectorAll('article *').forEach(e => {
                if (getComputedStyle(e).contentVisibility === 'auto')
                    e.style.contentVisibility = 'visible'
            })
        }"""
    )


def thin(tab: Tab) -> None:
    """Leave one element of each kind in code, drawings and formulas, and open what is folded.

    A page of 8,000 elements keeps 800. Two elements are of one kind if tag, class, style, role
    and the names of all attributes are the same, if they stand in the same kind of place, and if
    both hold no text, one character (of whose contrast axe says nothing), or more. Paragraphs,
    items of lists, formulas and rows of claims go in which nothing is of a new kind. What has to
    be whole is tested before; test_accessibility.py has axe look at whole pages.
    """
    tab.page.evaluate(
        """() => {
            const inside = ':is(pre, svg, math)'
            const own = e => [...e.childNodes]
                .map(node => node.nodeType === Node.TEXT_NODE ? node.data.trim() : '').join('')
            const kind = e => JSON.stringify([
                e.tagName, ...['class', 'style', 'role'].map(name => e.getAttribute(name)),
                e.getAttributeNames().sort(),
                Math.min(2, own(e).length),
            ])
            const place = e => e.matches('article') ? ''
                : place(e.parentElement) + '>' + e.tagName + '.' + e.getAttribute('class')
            const known = new Set()
            const isNew = kind => known.size < known.add(kind).size

            const parts = 'tr[data-verdict], p, li, .formula'
            for (const part of document.querySelectorAll(`article :is(${parts})`)) {
                if (!part.isConnected) continue
                const kinds = [part, ...part.querySelectorAll(`:not(${inside} *)`)]
                    .map(e => place(e.parentElement) + kind(e))
                const {verdict} = part.dataset
                const name = verdict && part.querySelector('summary')?.textContent
                const isKnown = ![verdict, name, ...kinds].filter(isNew).length
                if (isKnown && !part.querySelector('input, button')) part.remove()
            }
            for (const box of document.querySelectorAll(`article ${inside}:not(${inside} *)`)) {
                const where = place(box)
                // Keep an element if it is of a new kind, or something in it is.
                const keep = e => {
                    const own = isNew(where + kind(e))
                    const kept = [...e.children].filter(keep).length > 0
                    if (own || kept || e.matches('title, desc, nav')) return true
                    e.remove()
                }
                ;[...box.children].forEach(keep)
            }
        }"""
    )
    unfold(tab)
