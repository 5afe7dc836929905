"""What can be dragged holds, whatever is done to it: nonsense in the address, fingers, narrow
screens, another palette, buttons pressed at either end, another grid in the snippet.
"""

import re
from itertools import cycle

import numpy as np
import pytest

from tests.site.browser import (
    BASE,
    complains,
    settle,
)
from tests.site.explorables import CALM, PAGE, show

NONSENSE = [
    *("-1e9", "1e9", "1e400", "-1e400", "Infinity", "NaN", "text", "", " ", "0", "-0.4", "0.07"),
    *("null", "[]", "0x10", "%F0%9F", "<b>", "1;2", "9".zfill(400)),
]
NUMBERS = NONSENSE[:2] + NONSENSE[9:12]  # those that may become other values of one input alone
# What an input may be, and whether the panel says what it should.
HOLDS = """shown => {
    const values = shown.values, problems = []
    for (const { name, least, most, stops, long } of shown.inputs) {
        const value = values[name]
        const isOne = one => stops ? stops.includes(one) : one >= least && one <= most
        const fits = long
            ? value.length >= long[0] && value.length <= long[1] && value.every(isOne)
            : isOne(value)
        if (!fits) problems.push(`${name} is ${value}`)
    }
    const panel = shown.querySelector('.panel').innerText, words = panel + shown.words
    if (/NaN|undefined|Infinity|null|\\+-|−−/.test(words)) problems.push(words)
    for (const path of shown.querySelectorAll('.panel path'))
        if (/NaN|Infinity|undefined/.test(path.getAttribute('d'))) problems.push(path.outerHTML)
    if (panel.length < 100) problems.push('an empty panel')
    return problems
}"""


def test_no_address_breaks_it(walked, visit):
    """Each input with each number, all of them with each nonsense, once and repeated; and none.

    What takes long is read again before it counts: another process may have had the processor.
    """
    name, tab = walked
    problems = tab.page.evaluate(
        f"""([name, nonsense, numbers]) => {{
            const shown = document.querySelector(`why-${{name}}`), problems = []
            const names = shown.inputs.map(input => input.name)
            const states = [
                [],
                ...numbers.flatMap(value => names.map(each => [[each, value]])),
                ...nonsense.map(value => names.map(each => [each, value])),
                names.flatMap(each => [[each, 3], [each, nonsense[0]]]),
            ]
            const took = () => {{
                const start = performance.now()
                shown.read()
                return performance.now() - start
            }}
            for (const state of states) {{
                const query = state.map(([each, value]) => `${{each}}=${{value}}`).join('&')
                history.replaceState(null, '', `?${{query}}#${{name}}`)
                try {{
                    const time = took() > 2000 ? took() : 0
                    if (time > 2000) problems.push(`${{query}}: ${{time}} ms`)
                    problems.push(...({HOLDS})(shown).map(each => `${{query}}: ${{each}}`))
                }} catch (error) {{
                    problems.push(`${{query}}: ${{error}}`)
                }}
            }}
            return problems
        }}""",
        [name, NONSENSE, NUMBERS],
    )
    assert problems == []
    assert complains(tab) == []
    # Nor is it otherwise where it begins so.
    names = tab.page.evaluate(f"() => document.querySelector('why-{name}').inputs.map(i => i.name)")
    nonsense = zip(names, cycle(("1e9", "text", "-1e9")), strict=False)
    query = "&".join(f"{each}={value}" for each, value in nonsense)
    loaded = visit(f"{BASE}{PAGE[name]}?{query}#{name}", **CALM)
    assert show(loaded.page, name, HOLDS) == []
    assert complains(loaded) == []


# The ends of all inputs, but for two that change no word's length.
CORNERS = """(shown, most) => {
    const ends = ({ least, most, stops, name, long }) =>
        /^(guess|seed)$/.test(name) ? []
            : long ? [Array(Math.max(1, long[0])).fill(most), Array(long[1]).fill(least)]
            : stops ? [stops[0], stops.at(-1)] : [least, most]
    const states = shown.inputs.reduce(
        (states, input) => ends(input).length
            ? states.flatMap(state => ends(input).map(end => ({ ...state, [input.name]: end })))
            : states,
        [{}])
    // Not all of very many: some, by a fixed rule.
    const some = states.filter((_, i) => states.length <= most || i * 37 % states.length < most)
    const presets = [...shown.querySelectorAll('[data-act=preset]')].map(
        button => Object.fromEntries(new URLSearchParams(button.value)))
    return [{}, ...presets, ...some]
}"""
# Words of which a part cannot be seen: beyond the screen or a box that cuts, or below other words;
# and words that stand less than two pixels above others.
# In a list that scrolls (`.all`) those lines count that are seen whole.
CUT = """shown => {
    const panel = shown.querySelector('.panel'), seen = [], problems = [], known = new Map()
    const { SHOW_TEXT, SHOW_ELEMENT, FILTER_REJECT, FILTER_SKIP, FILTER_ACCEPT } = NodeFilter
    const isSeen = element => {
        if (!element.checkVisibility({ visibilityProperty: true })) return false
        const within = element.parentElement
        if (!within.matches('.all')) return true
        const [row, box] = [element, within].map(each => each.getBoundingClientRect())
        return row.top >= box.top - 1 && row.bottom <= box.bottom + 1
    }
    const words = document.createTreeWalker(panel, SHOW_TEXT | SHOW_ELEMENT, node => {
        if (node.data) return node.data.trim() ? FILTER_ACCEPT : FILTER_REJECT
        return node.matches('[role=status], select, .matrix') || !isSeen(node)
            ? FILTER_REJECT : FILTER_SKIP
    })
    // The boxes around an element that cut.
    const around = element => {
        if (element === panel) return []
        if (known.has(element)) return known.get(element)
        const { contain, overflowX } = getComputedStyle(element)
        const isCut = /strict|content|paint/.test(contain) || overflowX === 'hidden'
        const cuts = around(element.parentElement)
        known.set(element, isCut ? [...cuts, element.getBoundingClientRect()] : cuts)
        return known.get(element)
    }
    while (words.nextNode()) {
        const node = words.currentNode, parent = node.parentElement
        const size = parseFloat(getComputedStyle(parent).fontSize), range = new Range()
        const cuts = around(parent)
        range.selectNodeContents(node)
        for (const rect of range.getClientRects()) {
            const middle = (rect.top + rect.bottom) / 2
            const box = {
                left: rect.left, right: rect.right,
                top: middle - 0.35 * size, bottom: middle + 0.35 * size,
            }
            if (box.left < 0 || box.right > innerWidth) problems.push(`beyond: ${node.data}`)
            for (const edge of cuts)
                if (box.left < edge.left - 1 || box.right > edge.right + 1
                    || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
                    problems.push(`cut: ${node.data}`)
            for (const [other, said] of seen)
                if (Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1
                    && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > -2)
                    problems.push(`over each other: ${said} / ${node.data}`)
            seen.push([box, node.data])
        }
    }
    return problems
}"""
# One for each layout that panels have: three of phones (the styles change at 17 and 18.5 rem), a
# tablet's, and a usual and a low screen; and how many corners of all are tried there: of most
# explorables all where it is narrowest, and elsewhere some.
SIZES = {
    (320, 640): 64,
    (390, 844): 16,
    (412, 915): 16,
    (640, 900): 16,
    (1280, 800): 16,
    (1366, 650): 16,
}


def test_no_word_is_cut_and_none_is_wrong(walked):
    """At corners and presets, on all screens; and one of a thing is not called several."""
    name, tab = walked
    page = tab.page
    for (width, height), most in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        problems = page.evaluate(
            f"""([name, most]) => {{
                const shown = document.querySelector(`why-${{name}}`)
                return ({CORNERS})(shown, most).flatMap(state => {{
                    shown.values = state
                    shown.show()
                    const plural = shown.querySelector('.panel').innerText.match(
                        /(?<![.,\\d] ?)\\b1 (products|dimensions|keys|draws|steps|terms)\\b/g) ?? []
                    return [...({CUT})(shown), ...({HOLDS})(shown), ...plural].map(
                        problem => `${{JSON.stringify(state)}}: ${{problem}}`)
                }})
            }}""",
            [name, most],
        )
        assert problems == [], (width, height)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


# What a caption may speak of, and what has to be drawn then: lines that have several points, or
# upright bars.
DRAWN = {
    r"\b(curves?|lines?)\b": "path => path.getAttribute('d')?.split(/[LlCcQq]/).length > 4",
    r"\b[Bb]ars?\b": "path => path.getAttribute('d')?.split(/[Vv]/).length > 4",
}
MISSING = """([name, drawn]) => {
    const shown = document.querySelector(`why-${name}`), missing = []
    const isSeen = path => path.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && path.getBoundingClientRect().width > 50
    const said = shown.querySelector('figcaption').innerText
    for (const [words, is] of Object.entries(drawn)) {
        const paths = [...shown.querySelectorAll('.panel path')].filter(isSeen).filter(eval(is))
        if (RegExp(words).test(said) && !paths.length) missing.push(words)
    }
    return missing
}"""


def test_a_panel_shows_what_its_caption_speaks_of(walked):
    name, page = walked[0], walked[1].page
    assert page.locator(f"why-{name} .panel").is_visible()
    assert page.evaluate(MISSING, [name, DRAWN]) == []
    if name == "cost":  # its names are named there, too; without its curves it would be told
        caption = page.locator("why-cost figcaption").inner_text()
        panel = page.locator("why-cost .panel").inner_text()
        for word in re.findall(r"SmolLM2|¼", caption):
            assert word in panel
        page.eval_on_selector("why-cost .graph", "graph => graph.style.visibility = 'hidden'")
        assert page.evaluate(MISSING, [name, DRAWN]) != []
        page.eval_on_selector("why-cost .graph", "graph => graph.style.visibility = ''")


# What is dragged, and by what a finger holds it.
DRAGGED = {"plane": (".map", ".point"), "terms": (".dial", ".reach")}
# What is moved sideways, by a mouse or a finger anywhere on it.
ACROSS = {
    "training": ".lines",
    "terms": ".lines",
    "calculator": ".gauged",
    "constant": ".lines",
    "coins": ".tosses",
}


def test_no_drag_selects_text(walked):
    """From what can be dragged, or a slider, to anywhere on the page."""
    name, page = walked[0], walked[1].page
    page.set_viewport_size({"width": 1280, "height": 1400})
    shown = page.locator(f"why-{name}")
    shown.locator(".panel").scroll_into_view_if_needed()
    starts = [shown.locator("input[type=range]").first]
    if name in DRAGGED:
        area, grip = DRAGGED[name]
        starts += [shown.locator(area), shown.locator(grip)]
    if name in ACROSS:
        starts += [shown.locator(ACROSS[name])]
    for start in starts:
        for across, down in [(0.02, 0.02), (0.3, 0.95), (0.98, 0.5)]:
            start.hover()  # once it stands still: what is above it may still be laid out
            page.mouse.down()
            panel = shown.locator(".panel").bounding_box()
            end = panel["x"] + across * panel["width"], panel["y"] + down * panel["height"]
            page.mouse.move(*end, steps=5)
            page.mouse.up()
            assert page.evaluate("() => getSelection().toString()") == ""


def swipe(page, start: dict, across: float, down: float) -> None:
    """Move a finger from the middle of a box."""
    session = page.context.new_cdp_session(page)
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    for at in np.linspace(0, 1, 12):
        point = {"x": x + at * across, "y": y + at * down}
        kind = "touchMove" if at else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(16)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)


def test_a_swipe_scrolls_the_page_unless_it_holds_the_grip(touched):
    name, page = touched[0], touched[1].page
    shown = page.locator(f"why-{name}")
    state = "() => [scrollY, JSON.stringify(document.querySelector('why-NAME').values)]"
    state = state.replace("NAME", name)
    page.wait_for_timeout(600)  # until what the page was put back to is kept
    page.evaluate("() => history.replaceState(null, '', location.pathname)")
    pictures = [".map", ".turn", ".bars", ".graph", ".gauge", ".fan", ".sums svg", "[type=range]"]
    for part in [shown.locator(each).first for each in pictures if shown.locator(each).count()]:
        part.evaluate("part => scrollTo(0, part.getBoundingClientRect().top + scrollY - 400)")
        settle(page)
        before, values = page.evaluate(state)
        box = part.bounding_box()
        # Beside the grip: on it the finger would move it.
        beside = {"x": box["x"] + 0.8 * box["width"], "y": box["y"] + 0.9 * box["height"]}
        swipe(page, beside | {"width": 0, "height": 0}, 0, -300)  # a busy machine drops some
        after, then = page.evaluate(state)
        assert after > before + 100
        assert then == values, "it gives back what the swipe began with"
    page.wait_for_timeout(600)
    assert page.evaluate("() => [location.search, history.state]") == ["", None], "nothing is kept"
    if name in DRAGGED:
        area, grip = (shown.locator(part) for part in DRAGGED[name])
        area.evaluate("part => scrollTo(0, part.getBoundingClientRect().top + scrollY - 300)")
        settle(page)
        before, values = page.evaluate(state)
        swipe(page, grip.bounding_box(), -20, 90)
        after, then = page.evaluate(state)
        assert (after, then) != (before, values)
        assert after == before
        # And a tap beside it brings it there.
        box = area.bounding_box()
        page.touchscreen.tap(box["x"] + 0.2 * box["width"], box["y"] + 0.4 * box["height"])
        assert page.evaluate(state)[1] not in (values, then)


@pytest.mark.parametrize("touch", ACROSS, indirect=True)
def test_a_finger_moves_it_sideways(touched):
    """From its handle, which then stands below the finger; and the page stays where it is."""
    name, page = touched[0], touched[1].page
    handle = page.locator(f"why-{name} {ACROSS[name]} .handle")
    handle.evaluate("part => scrollTo(0, part.getBoundingClientRect().top + scrollY - 400)")
    settle(page)
    state = f"() => [scrollY, document.querySelector('why-{name}').values]"
    before, values = page.evaluate(state)
    start = handle.bounding_box()
    plot = page.locator(f"why-{name} {ACROSS[name]}").bounding_box()
    middle = plot["x"] + plot["width"] / 2
    across = plot["width"] * (-0.4 if start["x"] > middle else 0.4)
    if name == "coins":  # the edge of its strip stays on its side
        across = 0.06 * plot["width"]
    swipe(page, start, across, 8)
    after, then = page.evaluate(state)
    assert after == before
    assert then != values
    assert abs(handle.bounding_box()["x"] - start["x"] - across) < plot["width"] / 9  # nearest stop


def test_a_finger_can_reach_every_button(touched):
    """Also after a link has led back up to it, when the theme shows a button of its own."""
    name, page = touched[0], touched[1].page
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(100)
    page.evaluate(
        """name => {
            history.replaceState(null, '', `?#${name}`)
            document.querySelector(`why-${name}`).read()
        }""",
        name,
    )
    page.wait_for_timeout(400)
    covered = page.evaluate(
        """name => [...document.querySelectorAll(`why-${name} .panel button`)].filter(button => {
            const { left, top, width, height } = button.getBoundingClientRect()
            const [x, y] = [left + width / 2, top + height / 2]
            const seen = width && y > 48 && y < innerHeight  // below the header
            return seen && !button.contains(document.elementFromPoint(x, y))
        }).map(button => button.outerHTML)""",
        name,
    )
    assert covered == []


def test_every_button_does_something_or_says_that_it_does_not(walked):
    """It changes what is shown, or it is pressed, or it cannot be pressed."""
    name, page = walked[0], walked[1].page
    idle = page.evaluate(
        f"""async name => {{
            const shown = document.querySelector(`why-${{name}}`), idle = []
            for (const state of ({CORNERS})(shown, 8)) {{
                const buttons = '.panel button:not([data-act=copy])'
                const count = shown.querySelectorAll(buttons).length
                for (let i = 0; i < count; i++) {{
                    shown.values = state
                    shown.show()
                    const button = shown.querySelectorAll(buttons)[i]
                    if (!button || button.disabled || button.ariaPressed === 'true') continue
                    const look = () => shown.querySelector('.panel').innerHTML + shown.words
                    const before = look()
                    button.click()
                    shown.show()
                    if (look() === before)
                        idle.push(`${{JSON.stringify(state)}}: ${{button.outerHTML}}`)
                }}
            }}
            return idle
        }}""",
        name,
    )
    assert idle == []


def test_who_starts_again_draws_other_numbers(visit):
    page = visit(BASE + "variance/", **CALM).page
    read = "shown => [shown.querySelector('.found b').textContent, location.search]"
    first = show(page, "puzzle", read, count=1)
    button = page.locator("why-puzzle").get_by_role("button", name="Start again")
    button.click()
    second = show(page, "puzzle", read, count=1)
    assert first[0] != second[0]
    # An address says which draws they were.
    page.wait_for_function("() => location.search.includes('seed=2')")
    enough = show(page, "puzzle", "shown => shown.querySelector('.answer').textContent", count=1e6)
    assert "20000" in enough
    assert "enough" in enough
    assert page.locator("why-puzzle").get_by_role("button", name="Draw once").is_disabled()


COLOURS = """shown => [...shown.querySelectorAll('.panel :not([role=status])')].map(part => {
    const { color, backgroundColor, borderColor, fill, stroke } = getComputedStyle(part)
    const { data } = part.getContext?.('2d').getImageData(0, 0, part.width, part.height) ?? {}
    const name = `${part.localName} ${part.getAttribute('class')}`
    return [name, color, backgroundColor, borderColor, fill, stroke, `${data}`].join(' ')
})"""


@pytest.fixture
def as_asked(walked):
    """Give the page, with a function that has the system ask for other colours until the end."""
    name, tab = walked
    yield name, tab.page, tab.page.emulate_media
    tab.page.emulate_media(color_scheme="light", forced_colors="none")


def test_the_colours_follow_the_palette(as_asked):
    """After a switch the panel has the colours of a page that began with the other palette."""
    name, page, ask = as_asked
    page.reload()  # other tests have touched it
    light = show(page, name, COLOURS)
    ask(color_scheme="dark")
    settle(page)
    page.wait_for_timeout(100)  # it is painted after that
    switched = show(page, name, COLOURS)
    page.reload()
    assert show(page, name, COLOURS) == switched
    assert light != switched


LOOK = """part => {
    const read = (style) => [
        style.color, style.backgroundColor, style.borderColor, style.borderStyle,
        style.borderRadius, style.width,
    ].join(' ')
    return [read(getComputedStyle(part)), read(getComputedStyle(part, '::before'))].join(' / ')
}"""
CHOOSING = [name for name in PAGE if name != "attention"]  # its one button stands for no choice


@pytest.mark.parametrize("walk", CHOOSING, indirect=True)
def test_forced_colours_show_what_is_chosen(as_asked):
    """In the colours of the system (Windows has such themes): by what is behind the words."""
    name, page, ask = as_asked
    ask(forced_colors="active")
    if name == "calculator":  # it begins at none of its models
        page.locator("why-calculator [data-act=model]").first.click()
    show(page, name, "shown => 0")
    look = {
        pressed: page.locator(
            f"why-{name} .inputs button[aria-pressed={pressed}], "
            f"why-{name} .models button[aria-pressed={pressed}]"
        ).evaluate_all(
            """buttons => buttons.map(button => {
                const { color, backgroundColor } = getComputedStyle(button)
                return `${color} on ${backgroundColor}`
            })"""
        )
        for pressed in ("true", "false")
    }
    assert look["true"]
    assert look["false"]
    assert not {*look["true"]} & {*look["false"]}


def test_forced_colours_tell_the_marks_of_the_plane_apart(visit):
    """The reader's own point, a model that begins frozen and one that does not; as their legend."""
    page = visit(BASE + "saturation/", forced_colors="active", **CALM).page
    show(page, "plane", "shown => 0", a=0)
    marks = [".point", ".pin.frozen", ".pin:not(.frozen)"]
    legend = [".legend .own", ".legend .dark", ".legend .bright"]
    for group in (marks, legend):
        look = [page.locator(f"why-plane {mark}").first.evaluate(LOOK) for mark in group]
        assert len({*look}) == 3
    fill = (
        "part => getComputedStyle(part, part.matches('.point') ? '' : '::before').backgroundColor"
    )
    of_marks, of_legend = (
        [page.locator(f"why-plane {mark}").first.evaluate(fill) for mark in group]
        for group in (marks, legend)
    )
    assert of_marks == of_legend
    assert len({*of_marks}) == 3


HANDS = (
    r"(?i)\b(drag|slider|buttons?|click|press|choose one|type your|may be typed|let the layer"
    r"|turn the key|guess what)\b"
)


@pytest.mark.parametrize("path", sorted({*PAGE.values()}))
def test_without_scripts_nothing_is_there_to_drag(visit, path):
    """Nor on paper. What asks one to do something is marked in the text (`.hands`)."""
    read = "article => article.innerText"
    plain = visit(BASE + path, java_script_enabled=False).page.locator("article").inner_text()
    page = visit(BASE + path, **CALM).page
    assert page.locator(".hands").first.is_visible() or path in ("trained/", "growth/")
    page.emulate_media(media="print")
    for words in (plain, page.eval_on_selector("article", read)):
        assert re.findall(HANDS, words) == []
