"""What can be dragged can be used by everybody: mouse, keyboard, finger, link, paper, no scripts.

The numbers that it shows: test_explorables.py.
"""

import re

import numpy as np
import pytest
from scipy.special import softmax

from tests.site.browser import BASE, PHONE, WIDE, Tab, complains
from tests.site.explorables import CALM, PAGE, numbers, printed, show
from tests.site.explorables.calculator import MODEL
from tests.site.explorables.calculator import READ as CALCULATOR

# Those with views as buttons, and the fullest that each can show.
PRESETS = {
    "puzzle": {"guess": 1.5, "n": 2, "m": 2, "d": 2, "count": 20_000},
    "plane": {"n": 16384, "d": 1024, "a": 0.25},
    "terms": {"t": 135, "r": 0.83, "d": 256},
    "row": {"a": 0.35, "head": 2},
    "divisor": {"steps": 4096, "a": 0.85, "times": 64, "by": 2},
    "cost": {"d": 256, "h": 1, "kind": 0},
    "yours": {"z": [14, 10, 12, -3000, 9, 8, 7, 6], "m": [1, 1, 1, 0, 1, 1, 1, 1], "cap": 50},
}


@pytest.mark.parametrize("name", PAGE)
def test_the_keyboard_moves_it_and_it_is_said_once(visit, name):
    tab = visit(BASE + PAGE[name], **CALM)
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


@pytest.mark.parametrize("name", PAGE)
def test_the_address_holds_the_state(visit, name):
    page = visit(BASE + PAGE[name], **CALM).page
    shown = page.locator(f"why-{name}")
    slider = shown.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("PageDown")
    page.wait_for_function("name => location.hash === `#${name}`", arg=name)
    parts = shown.locator(".panel > :not([role=status])")  # nothing is said of how it begins
    moved, words = slider.input_value(), parts.all_inner_texts()
    page.reload()
    assert slider.input_value() == moved
    assert parts.all_inner_texts() == words


@pytest.mark.parametrize("name", PRESETS)
def test_a_button_leads_to_a_view(visit, name):
    """It sets all that it names, and says so if it stands for a choice."""
    page = visit(BASE + PAGE[name], **CALM).page
    buttons = page.locator(f"why-{name} [data-act=preset]")
    assert buttons.count() >= 3
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
@pytest.mark.parametrize("name", PRESETS)
def test_it_fits_the_screen(visit, name, size):
    """With its buttons and its caption, below the bar; and its words within their places."""
    page = visit(BASE + PAGE[name], **CALM).page
    page.set_viewport_size(size)
    for state in ({}, PRESETS[name]):
        show(page, name, "shown => 0", **state)
        figure = page.locator(f"why-{name} figure").bounding_box()
        buttons = page.locator(f"why-{name} button").all()
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


@pytest.mark.parametrize("name", ["mechanism", "calculator", "training", "divisor"])
def test_a_link_leads_to_a_view_without_loading_the_page(visit, name):
    page = visit(BASE + PAGE[name], **CALM).page
    page.evaluate("() => { window.same = true }")
    links = page.locator(f"article a[href^='?'][href$='#{name}']")
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


@pytest.mark.parametrize(("guess", "said"), [("10", "You said 10."), ("1", "Right."), ("", "At")])
def test_a_guess_about_the_keys_is_answered(visit, snippet, guess, said):
    """The question stands until one guesses or drags so far; the answer is the snippet's."""
    page, weights = visit(BASE, **CALM).page, softmax(snippet("index/mechanism").start[:, 63])
    question = page.locator("why-mechanism .guess")
    assert "?" in question.inner_text()
    if guess:
        question.get_by_role("button", name=guess, exact=True).press("Enter")
    else:
        page.locator("why-mechanism input[type=range]").press("End")
    page.wait_for_function("() => !document.querySelector('.guess').innerText.includes('?')")
    answer = question.inner_text()
    assert answer.startswith(said)
    keys, share = re.search(r"has ([\d.]+)%, as if ([\d.]+) of 32", answer).groups()[::-1]
    assert printed(share, 100 * weights.max())
    assert printed(keys, 1 / np.sum(weights**2))
    if guess:
        page.wait_for_function(AT_64)
        assert page.evaluate("() => document.activeElement.innerText") == "After a training step"


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
    assert page.evaluate(read) == 16
    page = visit(BASE, reduced_motion="no-preference").page
    page.wait_for_function(
        "() => +document.querySelector('why-mechanism output').textContent === 16"
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
        middle = box["x"] + box["width"] - 22, box["y"] + box["height"] / 2
        name = box["x"] + 2, middle[1]
        for x, y in (middle, name, *((middle[0] + away, middle[1]) for away in (-20, 20))):
            show(page, "plane", "shown => 0", n=2, d=1024, a=0, v=1)
            page.mouse.click(x, y) if how == "mouse" else page.touchscreen.tap(x, y)
            assert page.evaluate(values) == chosen, model
    # And beside it the map is still tapped or clicked.
    show(page, "plane", "shown => 0", n=2, d=1024, v=1)
    area = page.locator("why-plane .map").bounding_box()
    page.mouse.click(area["x"] + area["width"] / 4, area["y"] + area["height"] / 2)
    assert page.evaluate(values)["d"] == 32


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
        "0.125": 0.125,
    }
    | dict.fromkeys(["0", "1/0", "1..2", "alert(1)", "1/", "(64", "head_size(2)", "constructor"]),
}


@pytest.mark.parametrize("name", TYPED)
def test_a_number_may_be_typed_in_many_ways(visit, name):
    tab = visit(BASE + "your-model/", **CALM)
    field = tab.page.locator(f"why-calculator .form [name={name}]")
    show(tab.page, "calculator", CALCULATOR, **MODEL | {"rule": 5, "by": 6})
    for typed, value in TYPED[name].items():
        field.fill("2" if name in "dn" else "0.5")
        show(tab.page, "calculator", CALCULATOR)
        field.fill(typed)
        shown = show(tab.page, "calculator", CALCULATOR)
        held = (2 if name in "dn" else 0.5) if value is None else value
        assert shown["values"][name] == pytest.approx(held), typed
        assert shown["wrong"] == ([name] if value is None else []), typed
        # What is wrong is said instead of a number, and the address keeps what was right.
        assert ("–" in shown["words"] and "must be" in shown["words"]) == (value is None), typed
        assert "NaN" not in str(shown), typed
        assert "Infinity" not in shown["words"], typed
    # The address follows a little later, and on a busy machine later than the hash was there.
    tab.page.wait_for_function("part => location.search.includes(part)", arg=f"{name}={held}")
    assert tab.page.url.endswith("#calculator")
    assert complains(tab) == []


ROW = {"q": [2, -1], "k": [1, 0.5], "z": [14, 10, 12], "by": 8, "cap": 0, "m": [], "t": 1}
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
        "[[14, 10], [12, 1]]": "one row at a time",
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
    page, field = tab.page, tab.page.locator(f"why-yours .form [name={name}]")
    read = f"""shown => [shown.values.{name}, shown.querySelector('.told').innerText,
        shown.querySelector('.sums').innerText + shown.querySelector('.product').innerText,
        [...shown.querySelectorAll('[aria-invalid=true]')].length, shown.words]"""
    for typed, meant in OWN[name].items():
        before = show(page, "yours", read, **ROW)
        if name == "m" and typed.count(",") + 1 == 3:
            assert before[0] == []
        field.fill(typed.replace("\n", " "))
        value, told, drawn, wrong, words = show(page, "yours", read)
        if isinstance(meant, str):
            assert meant in told, typed
            assert told == words, typed
            assert (value, drawn, wrong) == (before[0], before[2], 1), typed
        else:
            assert value == pytest.approx(meant), typed
            assert not wrong, typed
        assert "NaN" not in drawn + told, typed
        field.fill({"q": "2, -1", "z": "14, 10, 12", "by": "8", "cap": "", "m": ""}[name])
        if name == "q":
            page.locator("why-yours .form [name=k]").fill("1, 0.5")
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
        shown.get_by_role("button", name=name, exact=True).click()
        page.wait_for_function(
            """name => [...document.querySelectorAll('why-calculator [aria-pressed=true]')]
                .some(button => button.textContent === name)""",
            arg=name,
        )
        assert printed(shown.locator(".found b").inner_text(), row["spread"])
        assert f"of {row['n']:,} keys take part" in shown.locator(".found").inner_text()
    field = shown.locator(".form [name=H]")
    field.fill("13")
    page.wait_for_function("() => !document.querySelector('why-calculator [aria-pressed=true]')")


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
