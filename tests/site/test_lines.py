"""A line over a plot follows a mouse and a finger."""

import numpy as np
import pytest

from tests.site.browser import BASE, PHONE, complains, settle
from tests.site.explorables import CALM, PAGE
from tests.site.test_holding import swipe

# What moves with the line, from its left end to its right; both axes are logarithmic.
LINES = {"cost": ("times", 0.25, 4), "divisor": ("steps", 16, 4096)}


def values(page, name: str) -> dict:
    """Give the state of an explorable."""
    return page.evaluate(f"() => document.querySelector('why-{name}').values")


def scroll_to(part) -> None:
    """Bring a part of the page to the middle of the screen, and wait until it stands still."""
    part.evaluate("part => part.scrollIntoView({ block: 'center', behavior: 'instant' })")
    settle(part.page)


@pytest.mark.parametrize("name", LINES)
def test_a_mouse_drags_the_line(visit, name):
    """To wherever it goes, to the ends and no further; the address keeps it."""
    what, least, most = LINES[name]
    tab = visit(BASE + PAGE[name], **CALM)
    page, lines = tab.page, tab.page.locator(f"why-{name} .lines")
    scroll_to(lines)
    assert lines.evaluate("part => getComputedStyle(part).cursor") == "ew-resize"
    assert lines.locator(".grip").is_visible()
    box, grip = lines.bounding_box(), lines.locator(".grip").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    for share in (0.3, 0.8, 1.4, -0.2, 0.6):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 60 + 40 * share, steps=3)
        expected = least * (most / least) ** np.clip(share, 0, 1)
        found = values(page, name)
        assert abs(np.log(found[what] / expected)) < 0.04
    page.mouse.up()
    assert page.evaluate("() => getSelection().toString()") == ""
    assert abs(lines.locator(".grip").evaluate("grip => parseFloat(grip.style.left)") - 60) < 1
    page.wait_for_function(f"() => location.search.includes('{what}={found[what]}')")
    page.reload()
    assert values(page, name) == found
    assert complains(tab) == []


@pytest.mark.parametrize("name", LINES)
def test_a_finger_drags_the_line_sideways(visit, name):
    page = visit(BASE + PAGE[name], has_touch=True, **CALM).page
    page.set_viewport_size(PHONE)
    graph = page.locator(f"why-{name} .graph")
    scroll_to(graph)
    before, top = values(page, name), page.evaluate("() => scrollY")
    swipe(page, graph.bounding_box(), 80, 0)
    after = values(page, name)
    assert after != before
    assert {key for key in after if after[key] != before[key]} <= {LINES[name][0], "kind"}
    assert page.evaluate("() => scrollY") == top


def test_a_factor_of_ones_own_and_a_mistake_take_turns(visit):
    """A drag and the slider leave the mistake, a button comes back to it, and so does its line."""
    page = visit(BASE + PAGE["cost"], **CALM).page
    shown = page.locator("why-cost")
    pressed, slider = shown.locator("[aria-pressed=true]"), shown.locator("[name=times]")
    twice = shown.get_by_role("button", name="one fourth root")
    for leave in (lambda: slider.press("ArrowRight"), lambda: shown.locator(".graph").click()):
        twice.click()
        page.wait_for_function("() => document.querySelector('why-cost .title').innerText > 'o'")
        assert pressed.count() == 1
        assert slider.input_value() == "112"  # 64 ** ¼ is 2√2: 3½ octaves above ¼
        leave()
        page.wait_for_function("() => !document.querySelector('why-cost [aria-pressed=true]')")
        assert values(page, "cost")["kind"] == -1
    assert slider.input_value() == "64"  # a click in the middle: a factor of 1
    # A head of another size changes what the mistakes are, and not the reader's own factor.
    before = shown.locator("button small").all_inner_texts()
    shown.locator("[name=d]").press("ArrowRight")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert shown.locator("button small").all_inner_texts() != before
    assert slider.input_value() == "64"


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "finger"])
def test_the_beginning_of_the_line_is_another_exponent(visit, touch):
    """Dragged up, the divisor becomes smaller; the line begins where it is left."""
    page = visit(BASE + PAGE["divisor"], has_touch=touch, **CALM).page
    page.set_viewport_size(PHONE)
    reach = page.locator("why-divisor .reach")
    scroll_to(reach)
    top = page.evaluate("() => scrollY")
    for by, past in ((0, -15), (1, 24), (3, -20)):
        page.locator("why-divisor .models button").nth(by).click()
        page.wait_for_function(f"() => document.querySelector('why-divisor').values.by === {by}")
        scroll_to(reach)
        top = page.evaluate("() => scrollY")
        before, box = values(page, "divisor"), reach.bounding_box()
        if touch:
            swipe(page, box, 3, past)
        else:
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 3, y + past, steps=4)
            page.mouse.up()
            page.evaluate("() => new Promise(requestAnimationFrame)")
        after = values(page, "divisor")
        assert {key for key in after if after[key] != before[key]} == {"a"}
        assert (after["a"] < before["a"]) == (past < 0)
        # Within half a step of the exponent, which is 3 pixels high.
        assert abs(reach.bounding_box()["y"] - box["y"] - past) < 3
        assert page.evaluate("() => scrollY") == top
