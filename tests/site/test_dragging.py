"""What can be dragged can be used by everybody: mouse, keyboard, finger, link, paper, no scripts.

The numbers that it shows: test_explorables.py.
"""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import softmax

from tests.site.browser import BASE, PHONE, WIDE, Tab, complains
from tests.site.explorables import CALM, PAGE, numbers, printed, show, typed
from tests.site.explorables.calculator import MODEL
from tests.site.explorables.calculator import READ as CALCULATOR
from tests.site.test_holding import swipe

# Those with views as buttons, and the fullest that each can show.
PRESETS = {
    "puzzle": {"guess": 1.5, "n": 2, "m": 2, "d": 2, "count": 20_000},
    "plane": {"n": 16384, "d": 1024, "a": 0.25},
    "terms": {"t": 135, "r": 0.83, "d": 256},
    "row": {"a": 0.35, "head": 2, "sentence": 9, "word": 9},
    "divisor": {"steps": 4096, "a": 0.85, "times": 64, "by": 2},
    "training": {"steps": 10, "d": 512, "by": 0, "zero": 1},
    "cost": {"d": 256, "h": 1, "kind": 0},
    "constant": {"d": 1024, "match": 1},
    "coins": {"d": 256, "count": 2000},
    "yours": {"z": [14, 10, 12, -3000, 9, 8, 7, 6], "m": [1, 1, 1, 0, 1, 1, 1, 1], "cap": 50},
}


def test_the_keyboard_moves_it_and_it_is_said_once(walked):
    name, tab = walked
    page, shown = tab.page, tab.page.locator(f"why-{name}")
    slider = shown.locator("input[type=range]").first
    before = shown.locator(".panel").inner_text()
    page.evaluate(
        """name => {
            window.said = []
            new MutationObserver(() => said.push(1))
                .observe(document.querySelector(`why-${name} [role=status]`), {childList: true})
        }""",
        name,
    )
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(800)
    assert shown.locator(".panel").inner_text() != before
    assert page.evaluate("() => said.length") == 1
    assert len(shown.locator("[role=status]").text_content()) > 20
    for output in shown.locator("output").all():
        assert output.get_attribute("aria-live") == "off"
    assert complains(tab) == []


def test_the_address_holds_the_state(walked):
    name, page = walked[0], walked[1].page
    shown = page.locator(f"why-{name}")
    slider = shown.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("PageDown")
    state = f"document.querySelector('why-{name}').state"
    page.wait_for_function(f"() => location.search + location.hash === {state}")
    parts = shown.locator(".panel > :not([role=status])")  # nothing is said of how it begins
    moved, words = slider.input_value(), parts.all_inner_texts()
    page.reload()
    assert slider.input_value() == moved
    assert parts.all_inner_texts() == words


@pytest.mark.parametrize("walk", PRESETS, indirect=True)
def test_a_button_leads_to_a_view(walked):
    """It sets all that it names, and says so if it stands for a choice."""
    name, page = walked[0], walked[1].page
    buttons = page.locator(f"why-{name} [data-act=preset]")
    assert buttons.count() >= 2
    for button in buttons.all():
        button.click()
        state = dict(re.findall(r"(\w+)=([\d.,]*)", button.get_attribute("value")))
        values = page.evaluate(f"() => document.querySelector('why-{name}').values")
        assert state
        for key, value in state.items():
            numbers = [float(each) for each in value.split(",") if each]
            assert values[key] in (numbers, *numbers)
        page.evaluate("() => new Promise(requestAnimationFrame)")  # it is drawn before
        pressed = button.get_attribute("aria-pressed")
        assert pressed in ("true", None)


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("walk", PRESETS, indirect=True)
def test_it_fits_the_screen(walked, size):
    """With its buttons and its caption, below the bar; and its words within their places."""
    name, page = walked[0], walked[1].page
    page.set_viewport_size(size)
    for state in ({}, PRESETS[name]):
        show(page, name, "shown => 0", **state)
        figure = page.locator(f"why-{name} figure").bounding_box()
        buttons = page.locator(f"why-{name} .panel button").all()
        assert figure["height"] < size["height"] - 48
        assert all(button.is_visible() for button in buttons)
        cut = page.locator(f"why-{name} .panel :not(svg *, [role=status])").evaluate_all(
            """parts => parts.filter(part => /strict|content/.test(getComputedStyle(part).contain)
                && (part.scrollHeight > part.clientHeight + 3
                    || part.scrollWidth > part.clientWidth + 1))
                .map(part => part.outerHTML)"""
        )
        assert cut == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    "walk", ["mechanism", "calculator", "training", "divisor", "row"], indirect=True
)
def test_a_link_leads_to_a_view_without_loading_the_page(walked):
    name, page = walked[0], walked[1].page
    page.evaluate("() => { window.same = true }")
    links = page.locator(f"article a[href^='?'][href$='#{name}']:visible")  # not those in folds
    sliders = page.locator(f"why-{name} input[type=range]").evaluate_all(
        "all => all.map(e => e.name)"
    )
    assert links.count() > 0
    for link in links.all():
        link.click()
        state = dict(re.findall(r"(\w+)=([\d.-]+)", link.get_attribute("href")))
        assert state.keys() >= {*sliders}, "or what the reader has moved would stay"
        values = page.evaluate(f"() => document.querySelector('why-{name}').values")
        assert {key: values[key] for key in state} == {key: float(state[key]) for key in state}
        assert page.evaluate("() => window.same")
    page.go_back()
    assert page.evaluate("() => window.same")


# The front page --------------------------------------------------------------------------------


AT_64 = "() => document.querySelector('why-mechanism output').textContent === '64'"
WON = """() => {
    const shown = document.querySelector('why-mechanism')
    return [shown.values.draw, shown.querySelector('.luck span').textContent,
        (shown.querySelector('.winners path').getAttribute('d').match(/M/g) ?? []).length]
}"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_chance_is_drawn_again(visit, motion):
    """Who asks is told by ten draws; a link shows the same ones; after the last comes the first."""
    page = visit(BASE + "?d=64&trained=0&draw=0#mechanism", reduced_motion=motion).page
    shown = page.locator("why-mechanism")
    again, ten = (shown.get_by_role("button", name=name) for name in ("Draw again", "10 times"))
    asked = page.evaluate(WON)[1]
    assert asked.startswith("Draw all numbers again: will key ")
    first = shown.locator(".row").all_inner_texts()
    again.press("Enter")
    page.wait_for_function("() => document.querySelector('.luck span').textContent[0] === 'I'")
    assert page.evaluate(WON)[0] == 1
    assert shown.locator(".row").all_inner_texts() != first
    ten.click()
    page.wait_for_function("() => location.search.includes('draw=11')")
    draw, said, squares = page.evaluate(WON)
    assert (draw, squares) == (11, 12)
    keys = int(re.search(r"In 12 draws (\d+) different keys won", said)[1])
    assert 6 < keys <= 12, "luck has no favourite"
    rows = shown.locator(".row").all_inner_texts()
    page.reload()
    assert page.evaluate(WON) == [draw, said, squares]
    assert shown.locator(".row").all_inner_texts() == rows
    shown.get_by_role("button", name="After a training step").click()
    page.wait_for_function("() => document.querySelector('why-mechanism').lift === 1")
    said = page.evaluate(WON)[1]
    assert int(re.search(r"the trained key won (\d+)", said)[1]) > 6, "training has one"
    show(page, "mechanism", "shown => 0", draw=59)
    again.click()
    page.wait_for_function("() => location.search.includes('draw=0')")


def test_the_reader_ends_what_moves_by_itself(visit):
    page = visit(BASE + "?d=64&trained=0&draw=0#mechanism", reduced_motion="no-preference").page
    page.locator("why-mechanism").get_by_role("button", name="10 times").click()
    page.locator("why-mechanism input[type=range]").press("ArrowLeft")
    page.wait_for_timeout(1000)
    assert page.evaluate(WON)[0] < 5
    assert page.evaluate("() => document.querySelector('why-mechanism').values.d") == 63


def test_the_fan_itself_is_dragged(visit):
    page = visit(BASE, **CALM).page
    fan = page.locator("why-mechanism .fan .all").bounding_box()
    page.mouse.move(fan["x"] + fan["width"] / 2, fan["y"] + 20)
    page.mouse.down()
    for share in (0.25, 0.75):
        page.mouse.move(fan["x"] + share * fan["width"], fan["y"] + 200)
        page.wait_for_function(
            "d => document.querySelector('why-mechanism output').textContent === `${d}`",
            arg=128 * share,
        )
    page.mouse.up()
    page.mouse.move(fan["x"], fan["y"] + 200)
    assert page.evaluate("() => document.querySelector('why-mechanism').values.d") == 96


def test_a_bar_and_its_line_light_up_together(visit, snippet):
    """Whichever of them one points at; once one leaves, the winner has the light again."""
    page, start = visit(BASE, **CALM).page, snippet("index/mechanism").start[:, :64]
    lit = """() => [...document.querySelectorAll('why-mechanism :is(.bars .own, .now .best)')]
        .map(path => path.getAttribute('d')).concat(
            document.querySelector('why-mechanism .row .found').innerText)"""
    winner = page.evaluate(lit)
    # A key whose line ends far from all others, so that one can point at it: the lowest.
    key = start[:, -1].argmin()
    for part in (".row.C0 .bars", ".winners svg", ".fan .all"):
        box = page.locator(f"why-mechanism {part}").bounding_box()
        across, down = (key + 0.5) / 32, 0.5
        if part == ".fan .all":
            low = 4 * np.ceil(abs(snippet("index/mechanism").start).max() / 4)
            across, down = 0.5, (low - start[key, -1]) / (2 * low)
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
        line, undivided, divided, words = page.evaluate(lit)
        assert f"key {key + 1}: " in words
        assert f"to key {start[:, -1].argmax() + 1}\n" in words, "the winner keeps its number"
        assert line.endswith(f"M64,{-start[key, -1]:.2f}h0")
        assert undivided.startswith(f"M{31.25 * key:.2f} ")
        assert divided.startswith(f"M{31.25 * key:.2f} ")
        page.mouse.move(5, 5)
        assert page.evaluate(lit) == winner


def test_a_step_is_made_by_its_button_and_seen(visit):
    page = visit(BASE, reduced_motion="no-preference").page
    shown = page.locator("why-mechanism")
    shown.get_by_role("button", name="After a training step").click()
    page.wait_for_function("() => document.querySelector('why-mechanism').lift === 1")
    assert shown.locator(".walks b").inner_text().startswith("+")
    page.wait_for_function(AT_64)
    assert shown.get_by_role("button", name="After").get_attribute("aria-pressed") == "true"
    page.wait_for_function("() => location.search.includes('trained=1')")


def below_the_fold(tab: Tab) -> list[str]:
    """What of the question, the sentence and the explorable does not stand on the first screen."""
    return tab.page.evaluate(
        """() => ['.menu', 'h1', '.answer', 'why-mechanism .panel'].filter(selector => {
            const box = document.querySelector(selector).getBoundingClientRect()
            return box.bottom > innerHeight || box.top < 0 || box.right > innerWidth
        })"""
    )


LOW = {"width": 1366, "height": 650}  # a laptop's window


@pytest.mark.parametrize("size", [WIDE | {"height": 800}, LOW, PHONE], ids=["wide", "low", "phone"])
def test_the_first_screen_holds_all_of_it(visit, size):
    tab = visit(BASE, **CALM)
    tab.page.set_viewport_size(size)
    assert below_the_fold(tab) == []
    assert tab.page.locator("why-mechanism .row").count() == 2
    if size is not PHONE:  # the bars carry the message
        assert tab.page.locator("why-mechanism .bars").first.bounding_box()["height"] > 60
    tab.page.set_viewport_size(size | {"height": 400})
    assert below_the_fold(tab) != []


def test_the_front_page_begins_with_a_slide_unless_the_reader_wants_calm(visit):
    read = "() => +document.querySelector('why-mechanism output').textContent"
    page = visit(BASE, **CALM).page
    assert page.evaluate(read) == 64
    page = visit(BASE, reduced_motion="no-preference").page
    page.wait_for_function(
        "() => +document.querySelector('why-mechanism output').textContent === 64"
    )


def test_a_key_that_is_pressed_during_the_slide_counts(visit):
    page = visit(BASE, reduced_motion="no-preference").page
    slider = page.locator("why-mechanism input[type=range]").first
    slider.press("End")
    page.wait_for_timeout(200)
    assert slider.input_value() == slider.get_attribute("max")


# The chapters --------------------------------------------------------------------------------


def test_the_point_can_be_dragged(visit):
    page = visit(BASE + "saturation/", **CALM).page
    page.locator("why-plane .map").hover()  # once it stands still
    page.mouse.down()
    box = page.locator("why-plane .map").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 11 / 13, box["y"] + box["height"] * 0.2, steps=4)
    page.mouse.up()
    values = page.evaluate("() => document.querySelector('why-plane').values")
    assert (values["n"], values["d"]) == (4096, 256)


# Where a mouse takes what is moved sideways, as a share of its width, and what is the case there.
SIDEWAYS = {
    "training": (".lines", 2 / 5, {"d": 64}),
    "terms": (".lines", 3 / 7, {"d": 16}),
    "calculator": (".gauged", 3 / 5, {"by": 6}),
}


@pytest.mark.parametrize("name", SIDEWAYS)
def test_a_plot_is_dragged_sideways(visit, name):
    """Whatever the height; what it has for a handle follows, and it may leave the plot."""
    area, share, state = SIDEWAYS[name]
    page = visit(BASE + PAGE[name], **CALM).page
    plot = page.locator(f"why-{name} {area}")
    plot.hover()
    assert plot.evaluate("part => getComputedStyle(part).cursor") == "ew-resize"
    box = plot.bounding_box()
    x, handle = box["x"] + share * box["width"], plot.locator(".handle")
    page.mouse.down()
    page.mouse.move(x, box["y"] - 20, steps=4)
    page.wait_for_function(
        "([name, state]) => Object.entries(state).every("
        "([key, value]) => document.querySelector(`why-${name}`).values[key] === value)",
        arg=[name, state],
    )
    page.evaluate("() => new Promise(requestAnimationFrame)")
    held = handle.bounding_box()
    assert abs(held["x"] + held["width"] / 2 - x) < 1.5
    page.mouse.move(box["x"] + 2 * box["width"], box["y"], steps=2)
    page.mouse.up()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    held = handle.bounding_box()
    assert abs(held["x"] + held["width"] / 2 - box["x"] - box["width"]) < 1.5


def test_the_mark_of_the_calculator_changes_the_scale(visit, module):
    """Not what the reader typed, but the factor on q·k; and the row freezes where it is shaded."""
    page = visit(BASE + "your-model/", **CALM).page
    start = module("your-model/start")
    show(page, "calculator", CALCULATOR, **MODEL | {"rule": 4, "norm": 2})
    gauge = page.locator("why-calculator .gauged")
    gauge.click(position={"x": 0.8 * gauge.bounding_box()["width"], "y": 5})
    shown = show(page, "calculator", CALCULATOR)
    number = shown["values"]["x"]
    assert shown["values"] == {
        **shown["values"],
        **MODEL,
        "rule": 4,
        "norm": 2,
        "by": 6,
        "x": number,
    }
    spread = start.spread(64, 12, 768, "nn.Linear", "number", "LayerNorm", number=number)
    assert abs(spread / 8 - 1) < 0.03  # 8 is at four fifths; a pixel is one percent of the spread
    assert "frozen" in shown["words"]


def test_a_row_is_drawn_again(visit):
    page = visit(BASE + "your-model/", **CALM).page
    state = MODEL | {"n": 64, "by": 6, "x": 0.4}
    first = show(page, "calculator", CALCULATOR, **state)
    page.locator("why-calculator").get_by_role("button", name="Draw again").click()
    second = show(page, "calculator", CALCULATOR)
    assert first["bars"] != second["bars"]
    assert first["words"] == second["words"]
    page.wait_for_function("() => location.search.includes('seed=2')")


def test_the_calculator_opens_with_the_row_of_the_front_page(visit, snippet):
    """At the number of keys that the page's table is for."""
    page, calculator = visit(BASE + "your-model/", **CALM).page, snippet("your-model/calculator")
    shown = show(page, "calculator", CALCULATOR)
    assert shown["values"]["n"] == calculator.n_keys
    assert shown["pressed"] == []
    front = visit(BASE, **CALM).page
    found = show(
        front,
        "mechanism",
        """shown => [...shown.querySelectorAll('.row .found')]
        .map(row => row.innerText.replace(/\\s+/g, ' '))""",
    )
    for words, row in zip(reversed(found), shown["rows"], strict=True):
        assert words.replace(" as", ", as") in row.replace(": ", " ")


def test_the_steps_play_until_a_hand_ends_it(visit):
    page = visit(BASE + "training/", reduced_motion="no-preference").page
    steps = "document.querySelector('why-training').values.steps"
    button, plot = page.locator("why-training [data-act=play]"), page.locator("why-training .lines")
    plot.hover()
    button.click()
    for at in (1, 2, 4):
        page.wait_for_function(f"() => {steps} === {at}")
    assert button.inner_text() == "Pause"
    plot.hover()
    page.mouse.down()
    page.mouse.up()
    assert button.inner_text() == "Train"
    held = page.evaluate(steps)
    page.wait_for_timeout(700)
    assert page.evaluate(steps) == held < 10
    assert f"steps={held}" in page.url
    # On from there; and the button pauses, too.
    button.click()
    page.wait_for_function(f"() => {steps} === {held + 1}")
    button.click()
    assert button.inner_text() == "Train"
    button.click()
    page.wait_for_function("() => location.search.includes('steps=10')")
    assert button.inner_text() == "Train"


def test_who_wants_calm_sees_the_last_step_at_once(visit):
    page = visit(BASE + "training/", **CALM).page
    read = "shown => shown.querySelector('.pair .C1').innerText"
    last = show(page, "training", read)
    button = page.locator("why-training [data-act=play]")
    assert button.is_disabled()
    assert show(page, "training", read, steps=2) != last
    button.click()
    assert show(page, "training", read) == last


def test_another_draw_moves_the_bars_and_another_key_wins(visit, snippet):
    """From where they were to where they then stay; a link shows the same draw."""
    page = visit(BASE + "saturation/", reduced_motion="no-preference").page
    shown = page.locator("why-attention")
    winner = """shown => [...shown.querySelectorAll('.found')].map(
        found => +found.innerText.match(/goes to key (\\d+)/)[1])"""
    bars = "shown => shown.querySelector('.bars path').getAttribute('d')"
    frames = """async shown => {
        const seen = [], next = () => new Promise(requestAnimationFrame)
        const bar = () => shown.querySelector('.bars path').getAttribute('d')
        seen.push(bar())
        shown.querySelector('[data-act=again]').click()
        const start = performance.now()
        while (performance.now() < start + 1500) await next(), seen.push(bar())
        return seen
    }"""
    first = show(page, "attention", winner, d=1024)
    assert first == [np.argmax(snippet("index/attention").explore["g"]) + 1] * 2
    seen = shown.evaluate(frames)
    assert len({*seen}) > 4
    assert seen[-1] == seen[-2] == show(page, "attention", bars, d=1024, seed=1)
    second = shown.evaluate(winner)
    assert second == [np.argmax(numbers(1, 32)) + 1] * 2
    assert first != second
    page.wait_for_function("() => /seed=1/.test(location.search)")
    page.reload()
    page.wait_for_selector("why-attention .panel")
    assert (shown.evaluate(winner), shown.evaluate(bars)) == (second, seen[-1])
    # Who wants calm sees the end at once.
    page.emulate_media(reduced_motion="reduce")
    assert len({*shown.evaluate(frames)}) == 2


@pytest.mark.parametrize("how", ["mouse", "finger"])
def test_the_mark_of_a_model_chooses_it_as_its_button_does(visit, how):
    """At its middle, at its name, and as far around as a finger reaches."""
    page = visit(BASE + "saturation/", has_touch=how == "finger", **CALM).page
    page.set_viewport_size(PHONE)
    page.locator("why-plane .panel").scroll_into_view_if_needed()
    values = "() => document.querySelector('why-plane').values"
    models = page.locator("why-plane .pin").all_inner_texts()
    assert len(models) == 4
    for model in models:
        buttons = page.locator("why-plane").get_by_role("button", name=model, exact=True)
        pin, button = buttons.all()
        button.click()
        chosen = page.evaluate(values)
        box = pin.bounding_box()
        assert min(box["width"], box["height"]) >= 44
        middle, name = box["width"] - 22, 2
        for x in (middle, name, middle - 20, middle + 20):
            show(page, "plane", "shown => 0", n=2, d=1024, a=0, v=1)
            press = pin.click if how == "mouse" else pin.tap
            # Playwright waits until the mark stands still, and until it is what is hit there.
            press(position={"x": x, "y": box["height"] / 2})
            assert page.evaluate(values) == chosen, model
    # And beside it the map is still tapped or clicked.
    show(page, "plane", "shown => 0", n=2, d=1024, v=1)
    plane = page.locator("why-plane .map")
    area = plane.bounding_box()
    plane.click(position={"x": area["width"] / 4, "y": area["height"] / 2})
    assert page.evaluate(values)["d"] == 32


def drag(page, part: str, start: float, end: float) -> None:
    """Drag a part sideways with the mouse, from one share of its width to another."""
    page.locator(part).hover()  # once it stands still
    box = page.locator(part).bounding_box()
    page.mouse.move(box["x"] + start * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + box["height"] / 3, steps=4)
    page.mouse.up()


def test_four_divisors_are_dragged_apart(visit):
    page = visit(BASE + "scales/", **CALM).page
    value = "() => document.querySelector('why-constant').values.d"
    drag(page, "why-constant .lines", 0.1, 0.75)
    assert page.evaluate(value) == 256
    drag(page, "why-constant .lines", 0.75, -0.1)
    assert page.evaluate(value) == 4


def test_the_same_row_stands_under_all_divisors(visit):
    """Undivided and divided: the order of the keys is the same. Another draw is another row."""
    page = visit(BASE + "scales/", **CALM).page
    read = "shown => [...shown.querySelectorAll('.row .bars path')].map(e => e.getAttribute('d'))"

    def orders() -> list[list[int]]:
        paths = show(page, "constant", read, d=4)[::2]
        heights = [re.findall(r"v-([\d.]+)", path) for path in paths]
        return [np.argsort(np.array(each, float)).tolist() for each in heights]

    first = orders()
    assert first == first[:1] * 4
    page.locator("why-constant").get_by_role("button", name="Draw again").click()
    second = orders()
    assert second == second[:1] * 4
    assert second != first
    page.wait_for_function("() => location.search.includes('seed=2')")


def test_the_edge_of_the_strip_is_dragged(visit):
    """To twice as far from the middle: four times as many coins, on either side."""
    page = visit(BASE + "variance/", **CALM).page
    value = "() => document.querySelector('why-coins').values.d"
    for share, d in [(8 / 64, 64), (16 / 64, 256), (-8 / 64, 64), (1, 256), (0, 4)]:
        drag(page, "why-coins .tosses", 0.6, 0.5 + share / 2)
        assert page.evaluate(value) == d


def test_coins_are_tossed_by_buttons(visit):
    """One more, a hundred more, then others; how many there are, and which, the address says."""
    page = visit(BASE + "variance/", **CALM).page
    shown = page.locator("why-coins")
    title, heap = shown.locator(".title"), shown.locator(".bars path").first
    first = heap.get_attribute("d")
    for button, count in (("Toss 64 coins", 2), ("100 times", 102), ("Toss 64 coins", 103)):
        shown.get_by_role("button", name=button, exact=True).click()
        page.wait_for_function(
            "words => document.querySelector('why-coins .title').textContent.includes(words)",
            arg=f" {count} times",
        )
    page.wait_for_function("() => location.search.includes('count=103&seed=1')")
    walks = heap.get_attribute("d")
    page.reload()
    page.wait_for_selector("why-coins .panel")
    assert heap.get_attribute("d") == walks
    shown.get_by_role("button", name="Start again").click()
    page.wait_for_function("() => location.search.includes('count=1&seed=2')")
    assert title.text_content().endswith(" 1 time")
    assert heap.get_attribute("d") != first
    show(page, "coins", "shown => 0", count=1e6)
    assert shown.get_by_role("button", name="Toss 64 coins").is_disabled()


def test_walks_come_one_after_another(visit):
    """Where motion is welcome: fewer are on the heap at first, and the last is seen to fall."""
    page = visit(BASE + "variance/", reduced_motion="no-preference").page
    shown = page.locator("why-coins")
    page.evaluate(
        """() => {
            const shown = document.querySelector('why-coins'), read = part =>
                shown.querySelector(part).getAttribute('d').split('L').length
            window.seen = []
            const look = () => {
                seen.push([shown.landed, read('.last')])
                requestAnimationFrame(look)
            }
            look()
        }"""
    )
    shown.get_by_role("button", name="100 times").click()
    page.wait_for_function("() => document.querySelector('why-coins').landed === 101")
    page.wait_for_timeout(100)
    seen = np.array(page.evaluate("() => seen"))
    landed, coins = seen.T
    assert np.all(np.diff(landed) >= 0)
    assert len(set(landed)) > 10
    falling = coins[landed == 100]
    assert len(set(falling)) > 5
    assert coins[-1] == 65
    assert shown.locator(".found").inner_text().count("101 sums") == 1


def test_a_guess_gets_an_answer(visit, snippet):
    page = visit(BASE + "variance/", **CALM).page
    read = "shown => shown.querySelector('.answer').textContent"
    values = np.reshape(numbers(1, 400 * 8), (400, 2, 2, 2))
    values = np.var(values[:, 0] @ values[:, 1], axis=(1, 2))
    for guess in (0.4, 2):
        answer = show(page, "puzzle", read, guess=guess, count=400)
        below, observed = re.findall(r"([\d.]+)%", answer)
        assert answer.startswith(f"You guessed {guess:g}:")
        assert printed(below, 100 * np.mean(values < guess))
        assert printed(observed, 100 * np.mean(values < snippet("variance/puzzle").observed))
    for guess, word in ((0, "more"), (8, "less")):
        answer = show(page, "puzzle", read, guess=guess, count=1)
        assert f"{abs(values[0] - guess):.2f} {word}" in answer
    # Of arrays of another shape the question says nothing.
    assert "question" not in show(page, "puzzle", read, guess=2, n=8, m=8, count=60)


def test_one_guesses_first(visit):
    """Nothing gives the answer away before the first draw; the buttons then draw 1 and 1000."""
    page = visit(BASE + "variance/", **CALM).page
    shown = page.locator("why-puzzle")
    assert "?" in shown.locator(".found").inner_text()
    assert not shown.locator(".matrix").is_visible()
    assert shown.locator(".answer").inner_text() == ""
    assert shown.locator(".found").bounding_box()["width"] > 200
    assert [mark.is_visible() for mark in shown.locator(".mark").all()].count(True) == 1
    shown.get_by_role("button", name="Draw once").click()
    shown.get_by_role("button", name="1000 times").click()
    assert page.evaluate("() => document.querySelector('why-puzzle').values.count") == 1001
    page.wait_for_function(
        "() => document.querySelector('why-puzzle .legend').innerText.includes('1001 draws')"
    )
    shown.get_by_role("button", name="Start again").click()
    page.wait_for_function(
        "() => document.querySelector('why-puzzle .found').innerText.includes('?')"
    )


def test_a_single_draw_falls_upon_those_before_it(visit):
    """Unless the reader wants calm; and it then lies where a state with as many draws has it."""
    listen = """() => {
        const dot = document.querySelector('why-puzzle .dot')
        window.fallen = []
        dot.animate = frames => fallen.push(frames.bottom)
    }"""
    lying = {}
    for how in ("no-preference", "reduce"):
        page = visit(BASE + "variance/", reduced_motion=how).page
        page.evaluate(listen)
        places = []
        for count in range(1, 9):
            page.locator("why-puzzle [data-act=once]").click()
            page.wait_for_function(
                "count => document.querySelector('why-puzzle').drawn.length === count", arg=count
            )
            place = page.evaluate("() => document.querySelector('why-puzzle .dot').style.bottom")
            places.append(place)
        fallen = page.evaluate("() => fallen")
        assert fallen == ([["105%", place] for place in places] if how != "reduce" else [])
        assert len({*places}) > 1, "some fall upon others"
        drawn = "shown => shown.querySelector('.dots').getAttribute('d')"
        lying[how] = show(page, "puzzle", drawn)
        assert lying[how].count("M") == 7
    assert lying["reduce"] == lying["no-preference"]


TYPED = {
    "d": {"64": 64, " 128 ": 128, "768/12": 64, "2**6": 64}
    | dict.fromkeys(["", "0", "-3", "64,5", "64.5", "1e300", "2000000", "d"]),
    "n": {
        "131,072": 131072,
        "1,048,576": 2**20,
        "700": 700,
        "128k": 131072,
        "2^17": 131072,
        "131_072": 131072,
    }
    | dict.fromkeys(["1", "0,125", "k", "128q"]),
    "s": {"0,02": 0.02, "2e-2": 0.02, "1E-3": 0.001, ".006": 0.006, "1/50": 0.02, "1e-2": 0.01}
    | dict.fromkeys(["0", "-1", ""]),
    "x": {
        "0,125": 0.125,
        "1/8": 0.125,
        "1/√64": 0.125,
        "1/sqrt(64)": 0.125,
        "−8": -8,
        "8/128": 1 / 16,
        "head_dim**-0.5": 0.125,  # of heads of 64
        "self.head_dim ** -0.5": 0.125,
        "64**-0.5": 0.125,
        "64^-0.5": 0.125,
        "2**-3": 0.125,
        "-2**-3": -0.125,
        "1/math.sqrt(64)": 0.125,
        "1.0 / math.sqrt(d_k)": 0.125,
        "1/np.sqrt(head_dim)": 0.125,
        "1/(8*8)": 1 / 64,
        "1 / math.sqrt(q.size(-1))": 0.125,
        "k.shape[-1] ** -0.5": 0.125,
        "0.125": 0.125,
    }
    | dict.fromkeys(["0", "1/0", "1..2", "alert(1)", "1/", "(64", "head_size(2)", "constructor"]),
}


@pytest.mark.parametrize("name", TYPED)
def test_a_number_may_be_typed_in_many_ways(visit, name):
    tab = visit(BASE + "your-model/", **CALM)
    show(tab.page, "calculator", CALCULATOR, **MODEL | {"rule": 5, "by": 6})
    good = 2 if name in "dn" else 0.5
    found = typed(tab.page, "calculator", name, [*TYPED[name]], CALCULATOR, **{name: f"{good}"})
    for (text, value), (_, shown) in zip(TYPED[name].items(), found, strict=True):
        held = good if value is None else value
        assert shown["values"][name] == pytest.approx(held), text
        assert shown["wrong"] == ([name] if value is None else []), text
        # What is wrong is said instead of a number, and the address keeps what was right.
        assert ("–" in shown["words"] and "must be" in shown["words"]) == (value is None), text
        assert "NaN" not in str(shown), text
        assert "Infinity" not in shown["words"], text
    # The address follows a little later, and on a busy machine later than the hash was there.
    tab.page.wait_for_function("part => location.search.includes(part)", arg=f"{name}={held}")
    assert tab.page.url.endswith("#calculator")
    assert complains(tab) == []


ROW = {"q": [2, -1], "k": [1, 0.5], "z": [14, 10, 12], "by": 8, "cap": 0, "m": [], "t": 1}
# The same as it is typed.
FIELDS = {"q": "2, -1", "k": "1, 0.5", "z": "14, 10, 12", "by": "8", "cap": "", "m": ""}
# What may be typed into the reader's own numbers, and what it is; or a part of what is said of it.
OWN = {
    "q": {"[1, -1]": [1, -1], "1/2 2^-1": [0.5, 0.5], "1": "and the query has 1", "40, 1": "−30"},
    "z": {
        "50, 10, 5,": [50, 10, 5],
        "[50. 10.  5.]": [50, 10, 5],
        "(50, 10, 5)": [50, 10, 5],
        "np.array([50, 10, 1e-2])": [50, 10, 0.01],
        "tensor([50., 10., 5.], device='cuda:0')": [50, 10, 5],
        "50\n10\n-5": [50, 10, -5],
        "1 / 8, −√64": [0.125, -8],
        "1,5; 2,5": [1.5, 2.5],
        "14 - 10": "is no number",
        "1,5 2,5": "“5 2” is no number",
        "[[14, 10], [12, 1]]": [14, 10],
        "[tensor(14.), tensor(10.), np.float32(12.0)]": [14, 10, 12],
        "14, nan": "“nan” is no number",
        "14, inf": "from −10000 to 10000",
        "-inf, -1e9": "all are hidden",
        "[14, [10, 12]]": "is no number",
        "14, ten": "“ten” is no number",
        "14,, 12": "a number is missing",
        "14": "2 to 64 numbers, not 1",
        "": "2 to 64 numbers, not 0",
        "1e9, 2": "from −10000 to 10000",
        "alert(1), 2": "is no number",
    },
    "by": {
        "math.sqrt(64)": 8,
        "/ math.sqrt(d_k)": 8,
        "* head_dim**-0.5": 8,
        "* 1/math.sqrt(64)": 8,
        "scale=1/√64": 8,
        "math.sqrt(q.size(-1))": 8,
        "q.size(-1) ** 0.5": 8,
        "/ (k.shape[-1] ** 0.5)": 8,
        "k.shape[-1]": 64,
        "np.sqrt(q.shape[-1])": 8,
        "jnp.sqrt(query.shape[ -1 ])": 8,
        "torch.sqrt(torch.tensor(k.size()[-1]))": 8,
        "* self.head_dim ** -0.5": 8,
        "math.sqrt(q.size(1))": "above 0",
        "math.sqrt(q.shape[-2])": "above 0",
        "q.size(-1": "above 0",
        "128k": 131072,
        "1e-2": 0.01,
        "64^-0.5": 0.125,
        "0": "above 0",
        "-8": "above 0",
        "* 0": "above 0",
        "1/0": "above 0",
        "": "above 0",
    },
    "cap": {"50": 50, "": 0, "none": 0, "-5": "above 0", "five": "above 0"},
    "m": {
        "[True, False, True]": [1, 0, 1],
        "1 0 1": [1, 0, 1],
        "0, -inf, 0": [1, 0, 1],
        "[0.0, float('-inf'), -1e9]": [1, 0, 0],
        "": [],
        "1, 0": "2 for 3 scores",
        "0, 0, 0": "hides all keys",
        "-inf, -inf, -inf": "hides all keys",
        "1, 2, 3": "1 or True",
    },
}


@pytest.mark.parametrize("name", OWN)
def test_own_numbers_are_read_as_code_writes_them(visit, name):
    """What cannot be read is said, and the picture and the address stay as they were."""
    tab = visit(BASE + "saturation/", **CALM)
    read = f"""shown => [shown.values.{name}, shown.querySelector('.told').innerText,
        shown.querySelector('.sums').innerText + shown.querySelector('.product').innerText,
        [...shown.querySelectorAll('[aria-invalid=true]')].length, shown.words]"""
    assert show(tab.page, "yours", "shown => shown.values", **ROW) == ROW
    found = typed(tab.page, "yours", name, [*OWN[name]], read, **FIELDS)
    for (text, meant), (before, after) in zip(OWN[name].items(), found, strict=True):
        value, told, drawn, wrong, words = after
        assert before[0] == ROW[name], text
        if isinstance(meant, str):
            assert meant in told, text
            assert told == words, text
            assert (value, drawn, wrong) == (before[0], before[2], 1), text
        else:
            assert value == pytest.approx(meant), text
            assert not wrong, text
        assert "NaN" not in drawn + told, text
    assert complains(tab) == []


def test_who_multiplies_is_told_how(visit):
    """A divisor below 1 makes scores larger, which code that says so does not mean."""
    page = visit(BASE + "saturation/", **CALM).page
    field, told = page.locator("why-yours [name=by]"), page.locator("why-yours .told")
    field.fill("head_dim**-0.5")
    page.wait_for_function(
        "() => document.querySelector('why-yours .told').textContent.includes('Write *')"
    )
    field.fill("* head_dim**-0.5")
    page.wait_for_function(
        "() => !document.querySelector('why-yours .told').textContent.includes('Write *')"
    )
    assert not told.evaluate("told => told.classList.contains('odd')")


def printed_rows(library: str) -> Iterator[tuple[str, list[float]]]:
    """Print rows of scores, some of them masked, in many ways, each with what it is."""
    least = float(np.finfo(np.float16).min)
    rows = [[8, 0, 0.1], [-3.25e-5, 120, 7], [*np.linspace(-3, 4, 20)]]
    rows += [[8, mask, 0.1] for mask in (-np.inf, -1e9, least)]
    rows += [[*np.linspace(-90, 90, 19), -np.inf, 3e-4]]
    for row in rows:
        if library == "numpy":
            for kind in ("float64", "float32", "float16"):
                with np.errstate(over="ignore"):
                    array = np.array(row).astype(kind)
                for each in (array, array[None], array.tolist(), [*array]):
                    yield str(each), row
                    yield repr(each), row
                yield str(np.array([array, array[::-1]])), row
        elif library == "torch":
            torch = pytest.importorskip("torch")
            tensor = torch.tensor(row, requires_grad=True)
            for each in (tensor * 1, tensor[None] * 1, tensor[None, None, None] * 1):
                yield str(each), row
                yield str(each.detach()), row
                yield str(each.detach().half()), row
                yield (
                    str(each.detach().double()).replace(", dtype", ", device='cuda:0', dtype"),
                    row,
                )
            yield str(torch.stack([tensor, tensor.flip(0)])), row
        else:  # it prints as NumPy does, under another name
            for kind in ("float32", "float16"):
                with np.errstate(over="ignore"):
                    array = np.array(row).astype(kind)
                yield repr(array).replace("array(", "Array("), row
                yield repr(array[None]).replace("array(", "Array("), row


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_a_row_is_pasted_as_it_was_printed(visit, library):
    """What is masked hides its key; of several rows it is the first, and that is said."""
    tab = visit(BASE + "saturation/", **CALM)
    rows = dict(printed_rows(library))
    read = """shown => ({ ...shown.values, told: shown.querySelector('.told').innerText,
        mask: shown.querySelector('.form [name=m]').value,
        wrong: [...shown.querySelectorAll('[aria-invalid=true]')].length })"""
    show(tab.page, "yours", read)
    found = typed(tab.page, "yours", "z", [*rows], read, z="14, 10, 12")
    for (text, row), (_, shown) in zip(rows.items(), found, strict=True):
        seen = [int(score >= -1e4) for score in row]
        assert shown["wrong"] == 0, (text, shown["told"])
        expected = np.maximum(row, -1e4)
        assert shown["z"] == pytest.approx(expected, rel=2e-3, abs=1e-4), text
        assert shown["m"] == (seen if 0 in seen else []), text
        assert shown["mask"] == ", ".join(map(str, shown["m"])), text
        several = bool(re.search(r"\],?\s*\[", text))
        assert ("the first of 2 rows" in shown["told"]) == several, text
    # As a hand does it, with the longest, whose lines are broken.
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = max(rows, key=len)
    tab.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    field = tab.page.locator("why-yours .form [name=z]")
    field.press("ControlOrMeta+a")
    field.press("ControlOrMeta+v")
    assert show(tab.page, "yours", read) == found[[*rows].index(text)][1]
    assert complains(tab) == []


def test_a_mask_that_was_typed_is_the_readers(visit):
    """A row with a mask fills the field only if nothing else is in it, and takes away its own."""
    page = visit(BASE + "saturation/", **CALM).page
    row, mask = (page.locator(f"why-yours .form [name={name}]") for name in "zm")
    read = "shown => shown.values.m"
    show(page, "yours", read, **ROW)
    row.fill("8, -inf, 3")
    assert show(page, "yours", read) == [1, 0, 1]
    page.wait_for_function("() => location.search.includes('m=1%2C0%2C1')")
    page.reload()
    assert show(page, "yours", read) == [1, 0, 1]
    assert row.input_value() == "8, -inf, 3"
    row.fill("8, 3")
    assert (show(page, "yours", read), mask.input_value()) == ([], "")
    mask.fill("0, 1")
    row.fill("8, -inf")
    assert mask.input_value() == "0, 1"
    assert "hides all keys" in show(page, "yours", "shown => shown.words")
    row.fill("8, 3")
    assert show(page, "yours", read) == [0, 1]
    # Also where a slow processor has not shown the one before the other comes.
    mask.fill("")
    show(page, "yours", read)
    kept = page.evaluate("""() => {
        const shown = document.querySelector('why-yours')
        const type = (name, text) => {
            const field = shown.querySelector(`.form [name=${name}]`)
            field.value = text
            field.dispatchEvent(new Event('input', { bubbles: true }))
        }
        type('m', '0, 1')
        type('z', '8, -inf')
        shown.values = {}
        type('z', '8, 3')
        return shown.values.m
    }""")
    assert kept == [0, 1]


def test_a_name_is_read_and_its_number_said(visit):
    page = visit(BASE + "saturation/", **CALM).page
    told = "shown => shown.querySelector('.told').innerText"
    for text, said in (("math.sqrt(q.size(-1))", True), ("math.sqrt(64)", False)):
        page.locator("why-yours .form [name=by]").fill(text)
        assert ("d is 64 here" in show(page, "yours", told)) == said


@pytest.mark.parametrize("hand", ["mouse", "finger"])
@pytest.mark.parametrize("cap", [0, 5])
def test_a_bar_is_pulled_to_its_weight(visit, hand, cap):
    """The key gets the score at which it has that weight; the fields and the address say so."""
    page = visit(BASE + "saturation/", has_touch=True, **CALM).page
    state = ROW | {"z": [14, 10, 12, 9], "m": [1, 0, 1, 1], "cap": cap}
    show(page, "yours", "shown => 0", **state)
    bars = page.locator("why-yours .all i")
    bars.first.evaluate("bar => scrollTo(0, bar.getBoundingClientRect().top + scrollY - 300)")

    def pull(which: int, share: float) -> dict:
        box = bars.nth(which).bounding_box()
        start = {"x": box["x"] + 0.4 * box["width"], "y": box["y"], "width": 0}
        start["height"] = box["height"]
        across = (share - 0.4) * box["width"]
        if hand == "finger":
            swipe(page, start, across, 4)
        else:
            page.mouse.move(start["x"], start["y"] + start["height"] / 2)
            page.mouse.down()
            page.mouse.move(start["x"] + across, start["y"] + 9, steps=5)
            page.mouse.up()
        return show(page, "yours", "shown => shown.values")

    values = pull(2, 0.7)
    logits = np.array(values["z"]) / 8
    logits = cap * np.tanh(logits / cap) if cap else logits
    assert softmax(logits[[0, 2, 3]])[1] == pytest.approx(0.7, abs=0.01)
    assert values | {"z": 0} == state | {"z": 0}
    assert [values["z"][i] for i in (0, 1, 3)] == [14, 10, 9]
    typed = page.locator("why-yours .form [name=z]").input_value()
    assert typed == f"14, 10, {values['z'][2]:g}, 9"
    page.wait_for_function("z => location.search.includes(z)", arg=typed.replace(", ", "%2C"))
    # What is hidden stays so; and beyond its end a bar stays at its end.
    assert pull(1, 0.9) == values
    far = pull(2, 2)["z"][2]
    assert values["z"][2] < far < 10_000
    assert pull(2, -2)["z"][2] < 0


def test_a_bar_that_is_pulled_stays_under_the_hand(visit):
    page = visit(BASE + "saturation/", **CALM).page
    show(page, "yours", "shown => 0", z=[*range(20)], m=[], t=2)
    page.locator("why-yours .all").evaluate("all => (all.scrollTop = 100)")
    bar = page.locator("why-yours .all i").nth(7)
    bar.hover()
    page.mouse.down()
    page.locator("why-yours .moves").hover()  # and no words are selected on the way
    page.mouse.up()
    assert page.evaluate("() => getSelection().toString()") == ""
    assert page.evaluate("() => document.querySelector('why-yours').values.z[7]") != 7
    assert page.locator("why-yours .all").evaluate("all => all.scrollTop") == 100


def test_the_score_of_the_vectors_goes_into_the_row(visit):
    page = visit(BASE + "saturation/", **CALM).page
    show(page, "yours", "shown => 0", **ROW | {"m": [1, 0, 1]})
    page.locator("why-yours").get_by_role("button", name="q·k into the row").click()
    values = page.evaluate("() => document.querySelector('why-yours').values")
    assert values["z"] == [14, 10, 12, 1.5]
    assert values["m"] == [1, 0, 1, 1]
    show(page, "yours", "shown => 0", z=[0] * 64)
    assert page.locator("why-yours [data-act=add]").is_disabled()


def test_known_models_are_buttons(visit, snippet):
    """One press shows what the page's table has; another number releases the button."""
    page = visit(BASE + "your-model/", **CALM).page
    shown = page.locator("why-calculator")
    known = snippet("your-model/calculator").known
    assert len(known) == 9
    for label, row in known:
        name = re.match(r"\[(.*?)\]", label)[1]
        button = shown.get_by_role("button", name=name, exact=True)
        button.hover()
        tick = shown.locator(".named").get_attribute("d")
        button.click()
        page.wait_for_function(
            """name => [...document.querySelectorAll('why-calculator [aria-pressed=true]')]
                .some(button => button.textContent === name)""",
            arg=name,
        )
        assert printed(shown.locator(".found b").inner_text(), row["spread"])
        mark = shown.locator(".own").get_attribute("d")
        assert tick.split()[0] == mark.split()[0]  # the mark goes where the tick stood out
        assert f"of {row['n']:,} keys take part" in shown.locator(".found").inner_text()
    field = shown.locator(".form [name=H]")
    field.fill("13")
    page.wait_for_function("() => !document.querySelector('why-calculator [aria-pressed=true]')")


def test_another_word_asks(visit):
    """By a key, by a tap anywhere on its line, and by choosing another sentence."""
    page = visit(BASE + "trained/", **CALM).page
    shown = page.locator("why-row")
    pressed = shown.locator(".sums [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["train"]
    shown.get_by_role("button", name="leaves", exact=True).press("Enter")
    page.wait_for_function("() => location.search.includes('word=6')")
    assert pressed.all_inner_texts() == ["leaves"]
    assert page.evaluate("() => document.activeElement.textContent") == "leaves"
    share = shown.locator(".sums p").filter(has_text="coast").locator("b")
    share.evaluate("share => share.scrollIntoView({block: 'center'})")
    share.click(force=True)  # the button, which reaches over the line
    page.wait_for_function("() => location.search.includes('word=5')")
    assert pressed.all_inner_texts() == ["coast"]
    shown.get_by_label("Sentence", exact=True).select_option(
        "The cup fell on the plate and it broke."
    )
    page.wait_for_function("() => location.search.includes('sentence=2&word=8')")
    assert pressed.all_inner_texts() == ["it"]
    page.reload()
    assert pressed.all_inner_texts() == ["it"]
    assert shown.get_by_label("Sentence", exact=True).input_value() == "2"


def test_the_link_can_be_copied(visit):
    page = visit(BASE + "your-model/", **CALM).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    show(page, "calculator", CALCULATOR, **MODEL | {"D": 1234, "rule": 1})
    page.locator("why-calculator").get_by_role("button", name="Copy link").click()
    link = page.evaluate("() => navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("why-calculator .panel")
    values = page.evaluate("() => document.querySelector('why-calculator').values")
    assert (values["D"], values["rule"]) == (1234, 1)


def test_divisor_and_start_are_chosen_by_buttons(visit):
    page = visit(BASE + "training/", **CALM).page
    shown = page.locator("why-training")
    for name, verdict in (("nothing", "5.4 times"), ("d", "1/5.9"), ("√d", "alike")):
        shown.get_by_role("button", name=name, exact=True).click()
        page.wait_for_function(
            "words => document.querySelector('why-training .C0 em').textContent === words",
            arg=verdict,
        )
    shown.get_by_role("button", name="= 0").click()
    page.wait_for_function(
        "() => document.querySelector('why-training .C0 em').textContent === '0 for all'"
    )
