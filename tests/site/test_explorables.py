"""What can be dragged shows the numbers of the snippets, and can be used by everybody.

Each explorable is set to a grid of states, and what it then shows is read from the page: its words
to the last digit that they print, its drawings to half a thousandth of their height. A script with
a wrong formula, put in its place on the way to the browser, fails the same comparison (make check).
"""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import nan
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.accessibility import breaks_accessibility_rules
from tests.site.browser import BASE, PHONE, Tab, complains
from tests.tolerance import agrees, mean_and_error

CALM = {"reduced_motion": "reduce"}
# The page on which each stands.
PAGE = {
    "mechanism": "",
    "attention": "saturation/",
    "plane": "saturation/",
    "terms": "theorem/",
    "puzzle": "variance/",
    "calculator": "your-model/",
    "row": "trained/",
    "training": "training/",
}
# Those with views as buttons, and the fullest that each can show.
PRESETS = {
    "puzzle": {"guess": 1.5, "n": 2, "m": 2, "d": 2, "count": 20_000},
    "plane": {"n": 16384, "d": 1024, "a": 0.25},
    "terms": {"t": 135, "r": 0.83, "d": 256},
    "row": {"a": 0.35, "head": 2},
}
DRAWN = 5e-4  # how far a drawing may be off, as a share of its height


def numbers(seed: int, count: int) -> list[float]:
    """Give the generator's Gaussian numbers by a route of our own: whole numbers modulo 2³²."""
    uniform = []
    for _ in range(2 * count):
        seed = (seed + 0x6D2B79F5) % 2**32
        t = (seed ^ seed >> 15) * (1 | seed) % 2**32
        t = (t + ((t ^ t >> 7) * (61 | t) % 2**32)) % 2**32 ^ t
        uniform.append((t ^ t >> 14) / 2**32)
    first, second = np.reshape(uniform, (count, 2)).T
    return list(np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second))


def show(page: Page, name: str, read: str, **state: float) -> dict:
    """Set an explorable to a state, and read what it shows then by a JavaScript function."""
    return page.evaluate(
        f"""async state => {{
            const shown = document.querySelector('why-{name}')
            await customElements.whenDefined('why-{name}')
            shown.values = state
            shown.show()
            return ({read})(shown)
        }}""",
        state,
    )


def visit_with(visit, path: str, script: str, old: str, new: str) -> Page:
    """Open a page whose script has been altered on its way."""
    page = visit("/nowhere", **CALM).page

    def alter(route):
        text = route.fetch().text()
        assert old in text
        route.fulfill(body=text.replace(old, new), content_type="text/javascript")

    page.route(f"**/{script}", alter)
    page.goto(urlsplit(page.url)._replace(path=BASE + path, query="", fragment="").geturl())
    return page


# From products to attention --------------------------------------------------------------------

MECHANISM = """shown => ({
    size: shown.querySelector('.walks b').textContent,
    words: [...shown.querySelectorAll('.row')].map(row => row.innerText),
    bars: [...shown.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    drawn: Object.fromEntries(['.walk', 'path.root', '.now .dots', '.now .best', '.divided .dots']
        .map(part => [part, shown.querySelector(part).getAttribute('d')])),
    now: ['--d', '--root', '--high']
        .map(name => +shown.querySelector('.fan').style.getPropertyValue(name)),
})"""
WALKED = [
    {"d": d, "trained": trained} for d, trained in product([1, 2, 7, 16, 32, 64, 100, 128], [0, 1])
]


def points(path: str) -> np.ndarray:
    """Give the points of a path, an array for each line of it, upwards."""
    lines = [re.findall(r"([-\d.]+),([-\d.]+)", line) for line in path.split("M")[1:]]
    return np.array(lines, float) * [1, -1]


def mechanism_differs(page: Page, snippet) -> Iterator[str]:
    """Yield the states in which a walk, a score, a share or a word is not the snippet's."""
    for state in WALKED:
        d, trained = state.values()
        shown = show(page, "mechanism", MECHANISM, **state)
        line, end = shown["drawn"].pop(".now .best").rsplit("M", 1)
        drawn = {part: points(path) for part, path in shown["drawn"].items()}
        walks = np.insert(snippet.trained if trained else snippet.start, 0, 0, axis=1)
        scores = walks[:, d]
        best = 0 if trained else scores.argmax()
        size = f"+{snippet.added[d - 1]:.1f}" if trained else f"±{np.sqrt(d):.1f}"
        wrong = (
            shown["size"] != size
            or shown["now"] != [d / 128, np.sqrt(d), 60 if trained else 32]
            or not np.allclose(drawn[".walk"][:, :, 1], walks, atol=0.0501)
            or not np.allclose(drawn[".walk"][:, :, 0], range(129))
            or not np.allclose(drawn["path.root"][0, :, 1], np.sqrt(range(129)), atol=0.0501)
            or not np.allclose(drawn["path.root"][1, :, 1], -np.sqrt(range(129)), atol=0.0501)
            or not np.allclose(points(line)[0, :, 1], walks[best, : d + 1], atol=0.0501)
            or not np.allclose(points("M" + end), [[[d, scores[best]]]], atol=0.00501)
            or not np.allclose(drawn[".now .dots"][:, 0], [[d, s] for s in scores], atol=0.00501)
            or not np.allclose(drawn[".divided .dots"][:, 0, 1], scores / np.sqrt(d), atol=0.00501)
        )
        for row, by in enumerate([1, np.sqrt(d)]):
            weights = softmax(scores / by)
            bars = shown["bars"][2 * row : 2 * row + 2]
            heights, own = ([float(h) / 100 for h in re.findall(r"v-?([\d.]+)", b)] for b in bars)
            place = [float(x) for x in re.findall(r"^M([\d.]+)", bars[1])]
            words = re.search(r"([\d.]+)%.*as if ([\d.]+) of 32", shown["words"][row], re.DOTALL)
            divisor = re.search(r"√d = ([\d.]+)", shown["words"][row])
            wrong = (
                wrong
                or not np.allclose(heights, np.sort(weights)[::-1], atol=DRAWN)
                or not np.allclose(own, weights[:1] if trained else [], atol=DRAWN)
                or place != ([31.25 * np.sum(weights > weights[0])] if trained else [])
                or not printed(words[1], 100 * weights[best])
                or not printed(words[2], 1 / np.sum(weights**2))
                or (row == 1) != bool(divisor and printed(divisor[1], by))
            )
        if wrong:
            yield f"{state}: {shown['size']} {shown['words']}"


def test_the_mechanism_is_that_of_the_snippet(visit, snippet):
    page = visit(BASE, **CALM).page
    assert [*mechanism_differs(page, snippet("index/mechanism"))] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "old", "new"),
    [
        ("why-mechanism.js", "move*Math.sign(k[0][i])", "move*k[0][i]"),
        ("why-mechanism.js", "move*Math.sign(q[i])", "0"),
        ("why-mechanism.js", "const by=Math.sqrt(d)", "const by=d**0.51"),
        ("why-mechanism.js", "scores[0]-this.start[d]", "scores[0]"),
        ("why-mechanism.js", "sums[d]/by", "sums[d-1]/by"),
        ("explorable.js", "weight*weight", "weight"),
    ],
)
def test_a_wrong_mechanism_shows(visit, snippet, script, old, new):
    page = visit_with(visit, "", script, old, new)
    assert any(mechanism_differs(page, snippet("index/mechanism")))


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
        assert page.locator("why-mechanism output").inner_text() == "64"
        assert page.evaluate("() => document.activeElement.innerText") == "After a training step"


def test_a_step_is_made_by_its_button_and_seen(visit):
    page = visit(BASE, reduced_motion="no-preference").page
    shown = page.locator("why-mechanism")
    shown.get_by_role("button", name="After a training step").click()
    page.wait_for_function("() => document.querySelector('why-mechanism').lift === 1")
    assert shown.locator(".walks b").inner_text().startswith("+")
    assert shown.get_by_role("button", name="After").get_attribute("aria-pressed") == "true"
    page.wait_for_function("() => location.search.includes('trained=1')")


def test_the_slider_ends_where_the_walks_end(visit):
    """The thumb is below the front of the walks, wherever it is."""
    page = visit(BASE, **CALM).page
    for d in (1, 64, 128):
        show(page, "mechanism", MECHANISM, d=d, trained=0)
        slider, fan = (
            page.locator(f"why-mechanism {part}").bounding_box()
            for part in ("input[type=range]", ".now")
        )
        thumb = slider["x"] + 8 + (slider["width"] - 16) * (d - 1) / 127
        assert abs(fan["x"] + fan["width"] * d / 128 - thumb) < 1


# Who gets the attention? -----------------------------------------------------------------------

ROWS = """shown => [...shown.querySelectorAll('.row')].map(row => ({
    title: row.querySelector('.title').textContent,
    words: row.querySelector('.found').innerText,
    bars: [...row.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    ticks: row.querySelector('.strip path').getAttribute('d'),
}))"""
ATTENTION = [
    {"d": d, "n": n, "a": a, "r": r, "seed": seed}
    for d, n, a, r in product([1, 4, 64, 1024], [2, 32, 512], [0, 0.25, 0.5, 1], [0, 0.3, 1])
    for seed in ([0, 7] if d == 64 else [0])
]


def attention(given: list[float], d: int, n: int, a: float, r: float, seed: int):
    """Give the weights that must be shown, sorted, and the place of the aligned key, if any."""
    drawn = numbers(seed, n)
    g = [*given, *drawn][:n] if seed == 0 else drawn
    scores = np.sqrt(d) * np.array(g)
    own = None
    if r:
        # k = ρq + √(1 − ρ²) z, and |q|² = d
        scores[-1] = r * d + np.sqrt(1 - r**2) * scores[-1]
        own = int(np.sum(scores > scores[-1]))
    return np.sort(softmax(scores / d**a))[::-1], own


def attention_differs(page: Page, given: list[float]) -> Iterator[str]:
    """Yield the states in which the weights, or the words about them, are not the right ones."""
    for state in ATTENTION:
        for row, a in zip(show(page, "attention", ROWS, **state), (0, state["a"]), strict=True):
            weights, own = attention(given, **state | {"a": a})
            heights = [float(h) / 100 for h in re.findall(r"v-?([\d.]+)", row["bars"][0])]
            share = weights[0 if own is None else own]
            keys = 1 / np.sum(weights**2)
            words = re.search(r"([\d.]+)%.*as if ([\d.]+) of (\d+)", row["words"], re.DOTALL)
            percent, sharing = (float(words[1]), float(words[2])) if words else (nan, nan)
            digits = 0 if share >= 0.0995 else 1
            if (
                len(heights) != len(weights)
                or np.abs(heights - weights).max() > DRAWN
                or not abs(percent - 100 * share) < 0.501 * 10**-digits
                or not abs(sharing - keys) < 0.0501
            ):
                yield f"{state}: {row['words']}"


@pytest.fixture
def given(snippet):
    return snippet("index/attention").explore["g"].tolist()


def test_attention_shows_the_weights(visit, given):
    assert len(given) == 32
    assert [*attention_differs(visit(BASE + "saturation/", **CALM).page, given)] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "old", "new"),
    [
        ("why-attention.js", "d**power", "d**(1.01*power)"),
        ("why-attention.js", "r*d+", "r*Math.sqrt(d)+"),
        ("explorable.js", "weight*weight", "weight"),
        ("explorable.js", "Math.log(1-next())", "Math.log(1.01-next())"),
    ],
)
def test_a_wrong_formula_shows(visit, given, script, old, new):
    page = visit_with(visit, "saturation/", script, old, new)
    assert any(attention_differs(page, given))


@pytest.mark.parametrize(("d", "row"), [(64, 0), (64, 1), (4, 0)])
def test_new_vectors_are_gaussian(visit, module, d, row):
    """Over many draws the largest weight averages what the quadrature says."""
    page = visit(BASE + "saturation/", **CALM).page
    sample = page.evaluate(
        """([d, row]) => Array.from({length: 600}, (_, seed) => {
            const shown = document.querySelector('why-attention')
            shown.values = {d, n: 32, a: 0.5, r: 0, seed: seed + 1}
            shown.show()
            const bars = shown.querySelectorAll('.bars')[row].firstElementChild.getAttribute('d')
            return parseFloat(bars.split('v-')[1]) / 100
        })""",
        [d, row],
    )
    exact = module("saturation/gaussian_logits").largest
    mean, error = mean_and_error(sample)
    assert agrees(mean, exact(32, 1 if row else np.sqrt(d)), error)
    assert not agrees(mean, exact(32, 2 if row else 1.3 * np.sqrt(d)), error)


# The phase plane -------------------------------------------------------------------------------

PLANE = """shown => ({
    words: shown.querySelector('.found').innerText,
    border: shown.querySelector('.map path').getAttribute('d'),
    point: ['left', 'bottom'].map(side => parseFloat(shown.querySelector('.point').style[side])),
    pins: [...shown.querySelectorAll('.pin')].map(pin => [
        pin.textContent, pin.matches('.frozen'),
        parseFloat(pin.style.left), parseFloat(pin.style.bottom)
    ]),
})"""
GPT_2 = (768 * 0.02**2) ** 2  # its Var q · Var k
STATES = [
    {"n": n, "d": d, "a": a, "v": v}
    for n, d, a, v in product([2, 45, 512, 16384], [1, 23, 64, 1024], [0, 0.25, 0.5], [1, GPT_2])
]
# Between the places of the map, straight lines take the place of a curve.
MEAN = 0.012


def plane_differs(page: Page, largest, models) -> Iterator[str]:
    """Yield the states in which the mean, the phase or the border is not the right one."""
    for state in STATES:
        n, d, a, v = state.values()
        shown = show(page, "plane", PLANE, **state)
        words = re.search(r"([\d.]+)%.*(shared|frozen): .* variance ([\d.]+)", shown["words"], re.S)
        percent, phase, variance = float(words[1]), words[2], float(words[3])
        square = v * d ** (1 - 2 * a)
        border = []
        for place in re.findall(r"[ML](\d+) ([-\d.]+)", shown["border"]):
            x, y = map(float, place)
            keys, dimensions = 2 ** (1 + 13 * x / 1000), 2 ** (10 * (1 - y / 1000))
            head = dimensions / v  # upwards is the variance before the division, v d
            border.append(v * head ** (1 - 2 * a) / (2 * np.log(keys)))
        where = 100 * np.array([(np.log2(n) - 1) / 13, max(0, np.log2(v * d) / 10)])
        if (
            abs(percent / 100 - largest(n, np.sqrt(square))) > MEAN
            or phase != ("frozen" if square > 2 * np.log(n) else "shared")
            or abs(variance - square) > (0.0501 if square < 100 else 0.501)
            or len(border) != (51 if a < 0.5 else 0)
            or not np.allclose(border, 1, atol=1e-3)
            or not np.allclose(shown["point"], where, atol=1e-2)
            or [pin[:2] for pin in shown["pins"]]
            != [[m, own * d ** (1 - 2 * a) > 2 * np.log(n)] for m, n, d, own in models[:-1]]
            or not np.allclose(
                [pin[2:] for pin in shown["pins"]],
                [[(np.log2(n) - 1) / 0.13, 10 * np.log2(own * d)] for _, n, d, own in models[:-1]],
                atol=1e-2,
            )
        ):
            yield f"{state}: {shown}"


def test_the_plane_shows_the_mean_the_phase_and_the_border(visit, snippet, module):
    page = visit(BASE + "saturation/", **CALM).page
    largest = cache(module("saturation/gaussian_logits").largest)
    assert [*plane_differs(page, largest, snippet("saturation/plane").explore["models"])] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("octaves*(0.5-a)", "octaves*(0.45-a)"),
        ("(Math.log2(sigma)+3)*4", "(Math.log2(sigma)+2.8)*4"),
        ("2*Math.LN2", "2.1*Math.LN2"),
        ("/(1-2*a)", "/(1-a)"),
    ],
)
def test_a_wrong_plane_shows(visit, snippet, module, old, new):
    page = visit_with(visit, "saturation/", "why-plane.js", old, new)
    largest = cache(module("saturation/gaussian_logits").largest)
    assert any(plane_differs(page, largest, snippet("saturation/plane").explore["models"]))


def test_models_stand_on_the_map_before_one_clicks(visit, snippet):
    page = visit(BASE + "saturation/", **CALM).page
    pins = page.locator("why-plane .pin")
    names = [name for name, *_ in snippet("saturation/plane").explore["models"]]
    assert {"GPT-2", "Llama 3"} < set(pins.all_inner_texts()) < set(names)
    assert all(pin.is_visible() for pin in pins.all())
    # The words lie on their own side of the border.
    for word, frozen in (("frozen", True), ("shared", False)):
        box = page.locator("why-plane .map em", has_text=word).bounding_box()
        page.mouse.move(0, 0)
        where = page.locator("why-plane .map").bounding_box()
        keys = 2 ** (1 + 13 * (box["x"] + box["width"] / 2 - where["x"]) / where["width"])
        up = 10 * (1 - (box["y"] + box["height"] / 2 - where["y"]) / where["height"])
        assert (2**up > 2 * np.log(keys)) == frozen, word


def test_the_point_can_be_dragged(visit):
    page = visit(BASE + "saturation/", **CALM).page
    page.locator("why-plane .map").scroll_into_view_if_needed()
    box = page.locator("why-plane .map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 11 / 13, box["y"] + box["height"] * 0.2, steps=4)
    page.mouse.up()
    values = page.evaluate("() => document.querySelector('why-plane').values")
    assert (values["n"], values["d"]) == (4096, 256)


# Three terms -----------------------------------------------------------------------------------

TERMS = """shown => ({
    numbers: [...shown.querySelectorAll('.sums b')].map(b => +b.textContent.replace('−', '-')),
    bars: [...shown.querySelectorAll('.sums path:last-child')].map(path => path.getAttribute('d')),
    negative: [...shown.querySelectorAll('.sums p')].map(p => p.matches('.negative')),
    words: shown.querySelector('.size').textContent,
    key: shown.querySelector('.key').getAttribute('d'),
})"""
TURNS = [
    {"t": t, "r": r, "d": d}
    for t, r, d in product([0, 30, 45, 75, 90, 120, 180], [0, 0.1, 0.83, 1], [2, 4, 64, 256])
]


def terms_differ(page: Page, moments) -> Iterator[str]:
    """Yield the states in which a term, a sum or a size is not what the matrices give."""
    for state in TURNS:
        t, r, d = state.values()
        c, s = np.cos(np.radians(t)), np.sin(np.radians(t))
        one, C = np.eye(d), r * np.kron(np.eye(d // 2), [[c, s], [-s, c]])
        terms = [d, np.trace(C @ C), np.trace(C) ** 2]
        total, printed = moments.second_moment(one, one, C), moments.published(one, one, C)
        numbers = [*terms, total, printed]
        shown = show(page, "terms", TERMS, **state)
        slack = [0.0501 if abs(number) < 99.9 else 0.501 for number in numbers]
        spans = [re.match(r"M([-\d.]+) 1h([-\d.]+)", bar).groups() for bar in shown["bars"]]
        lengths = [float(length) / 1000 * (d * d + 2 * d) for _, length in spans]
        size, said = map(float, re.findall(r"(?:square|published) ([\d.]+)", shown["words"]))
        x, y = map(float, re.search(r"L([-\d.]+) ([-\d.]+)", shown["key"]).groups())
        if (
            np.any(np.abs(np.subtract(shown["numbers"], numbers)) > slack)
            or np.abs(np.subtract(lengths, numbers)).max() > DRAWN * (d * d + 2 * d)
            or shown["negative"] != [False, terms[1] < -1e-9, False, False, False]
            or abs(size - max(total, 0) ** 0.5) > (0.0501 if total < 9980 else 0.501)
            or abs(said - printed**0.5) > (0.0501 if printed < 9980 else 0.501)
            or not np.allclose([x, y], [100 * r * c, -100 * r * s], atol=0.0501)
        ):
            yield f"{state}: {shown}"


def test_the_terms_are_those_of_the_matrices(visit, module):
    page = visit(BASE + "theorem/", **CALM).page
    assert [*terms_differ(page, module("theorem/moments"))] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Math.cos(2*angle)", "Math.cos(angle)"),
        ("(r*d*Math.cos(angle))**2", "r*(d*Math.cos(angle))**2"),
        ("published=d+r*r*d+terms[2]", "published=d+r*d+terms[2]"),
        ("terms[0]+terms[1]+terms[2]", "terms[0]+terms[2]"),
    ],
)
def test_a_wrong_term_shows(visit, module, old, new):
    page = visit_with(visit, "theorem/", "why-terms.js", old, new)
    assert any(terms_differ(page, module("theorem/moments")))


# The puzzle ------------------------------------------------------------------------------------

PUZZLE = """shown => ({
    words: shown.querySelector('.puzzle').innerText,
    legend: shown.querySelector('.legend').innerText,
    bars: shown.querySelector('.bars path').getAttribute('d'),
    law: shown.querySelector('.law').getAttribute('d'),
    marks: ['guess', 'bare', 'right', 'mean']
        .map(name => parseFloat(shown.querySelector(`.mark.${name}`).style.left)),
})"""
SHAPES = [
    {"guess": 1.5, "n": n, "m": m, "d": d, "ddof": ddof, "count": count}
    for n, m, d, ddof, count in [
        (2, 2, 2, 0, 1),
        (2, 2, 2, 0, 400),
        (2, 2, 2, 1, 400),
        (3, 5, 4, 0, 60),
        (8, 2, 1, 1, 60),
    ]
]


def puzzle_differs(page: Page, expected, cdf) -> Iterator[str]:
    """Yield the states in which a variance, the heap, the law or a mark is not the right one."""
    for state in SHAPES:
        guess, n, m, d, ddof, count = state.values()
        shown = show(page, "puzzle", PUZZLE, **state)
        drawn = np.reshape(numbers(1, count * d * (n + m)), (count, d * (n + m)))
        products = [one[: n * d].reshape(n, d) @ one[n * d :].reshape(d, m) for one in drawn]
        values = np.var(products, axis=(1, 2), ddof=ddof)
        right = expected(n, d, m) * n * m / (n * m - ddof)
        heap = np.histogram(values, 40, (0, 4 * d))[0]
        law = np.diff(cdf(np.arange(1, 41) / 5), prepend=0) * count
        known = (n, m, d, ddof) == (2, 2, 2, 0)
        top = 1.05 * max(1, heap.max(), law.max() if known else 0)
        heights = [float(h) / 100 for h in re.findall(r"v-?([\d.]+)", shown["bars"])]
        curve = [1 - float(y) / 100 for y in re.findall(r"[ML][\d.]+ ([-\d.]+)", shown["law"])]
        matrix = re.findall(r"[−\d.]+", shown["words"])[: n * m]
        entries = [float(entry.replace("−", "-")) for entry in matrix]
        latest = float(re.search(r"([\d.]+)\s*\n?np.var", shown["words"])[1])
        printed = re.search(r"= ([\d.]+)\s+mean of .* ([\d.]+)$", shown["legend"], re.S)
        if (
            not np.allclose(entries, products[-1].ravel(), atol=0.00501)
            or abs(latest - values[-1]) > 0.00501
            or abs(float(printed[1]) - right) > 0.00501
            or abs(float(printed[2]) - values.mean()) > 0.00501
            or not np.allclose(heights, heap / top, atol=DRAWN)
            or len(curve) != 40 * known
            or (known and not np.allclose(curve, law / top, atol=2e-3))
            or not np.allclose(
                shown["marks"], 25 * np.array([guess, d, right, values.mean()]) / d, atol=1e-2
            )
        ):
            yield f"{state}: {shown}"


def test_the_puzzle_is_drawn_fairly(visit, module):
    page = visit(BASE + "variance/", **CALM).page
    expected = module("variance/sample_variance").expected
    assert [*puzzle_differs(page, expected, module("variance/two_by_two").cdf)] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q[i*d+l]*k[l*m+j]", "q[i*d+l]*k[j*d+l]"),
        ("(x-mean)**2", "x**2"),
        ("d*(1-1/size)", "d*(1-1/n)"),
        ("below-(all[i-1]??0)", "below"),
    ],
)
def test_a_wrong_puzzle_shows(visit, module, old, new):
    page = visit_with(visit, "variance/", "why-puzzle.js", old, new)
    expected = module("variance/sample_variance").expected
    assert any(puzzle_differs(page, expected, module("variance/two_by_two").cdf))


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


# The calculator --------------------------------------------------------------------------------

CALCULATOR = """shown => ({
    words: ['.found', 'ul'].map(part => shown.querySelector(part).innerText).join('\\n'),
    own: shown.querySelector('.own').getAttribute('d'),
    cold: shown.querySelector('.cold').getAttribute('d'),
    hidden: [...shown.querySelectorAll('[hidden] input')].map(field => field.name),
    wrong: [...shown.querySelectorAll('[aria-invalid=true]')].map(field => field.name),
    pressed: [...shown.querySelectorAll('[aria-pressed=true]')].map(part => part.textContent),
    values: shown.values,
})"""
MODEL = {"d": 64, "H": 12, "D": 768, "rule": 0, "norm": 0, "by": 0, "s": 0.03, "x": 0.2, "n": 512}
SETUPS = [
    *(
        MODEL | {"rule": rule, "d": d, "n": n}
        for rule, d, n in product(range(7), [64, 80], [2, 64])
    ),
    *(MODEL | {"norm": norm, "by": by} for norm, by in product(range(4), range(7))),
    *(MODEL | {"by": 6, "x": x, "n": n} for x, n in product([0.002, 0.01, 4, -9], [16, 65536])),
    MODEL | {"H": 20, "rule": 2},
    MODEL | {"D": 12288, "rule": 5},
    MODEL | {"d": 63, "H": 1, "n": 2**20},
    MODEL | {"d": 2, "norm": 2, "n": 700},
]


def printed(text: str, value: float) -> bool:
    """Tell whether a text is a value, up to the last digit that it prints."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) < 0.502 * 10**-digits


def calculator_differs(page: Page, start, participation) -> list[str]:
    """List the set-ups for which a number is not what the snippet or the quadrature gives."""
    found = []
    names = [list(table) for table in (start.RULES, start.NORMS, start.SCALES)]
    for state in SETUPS:
        rule, norm, by = (
            table[state[key]] for table, key in zip(names, ("rule", "norm", "by"), strict=True)
        )
        d, heads, n = state["d"], state["H"], state["n"]

        def spread(size, state=state, rule=rule, norm=norm, by=by):
            heads = state["H"] * state["d"] / size
            found = start.spread(size, heads, state["D"], rule, by, norm, state["s"], state["x"])
            return abs(found)

        sigma, limit = spread(d), np.sqrt(2 * np.log(n))
        scale = start.SCALES[by](state["D"], d, state["x"])
        shown = show(page, "calculator", CALCULATOR, **state)
        words = re.sub(r"(?<=\d),(?=\d{3})", "", shown["words"])
        one, keys, of = re.search(
            r"(?s)([\d.]+)\s+is the spread.*\s([\d.]+) of (\d+) keys share", words
        ).groups()
        state_said = re.search(r"share the weight\n(.*)", words)[1]
        states = {"frozen": sigma > limit, "flat": participation(n, sigma) > 0.95 * n}
        expected = next((name for name, holds in states.items() if holds), None)
        share, freezes = re.search(
            rf"This is ([\d.]+) times ([\d.]+), where a row of {n} keys freezes", words
        ).groups()
        sizes = [
            size for size in (d / 2, 2 * d) if size % 1 == 0 and (norm != "LayerNorm" or size > 1)
        ]
        others = re.search(r"With heads of (.*) at the same width: ([\d. and]*)(.*)", words)
        level = float(re.search(r"scale=([-\d.e]+) would give a spread of 1", words)[1])
        (own,), (cold,) = (
            re.findall(rf"{letter}([\d.]+)", shown[name])
            for letter, name in (("^M", "own"), ("H", "cold"))
        )
        place = np.clip(500 + 100 * np.log2([sigma, limit]), 0, 1000)
        if (
            not printed(one, sigma)
            or not printed(keys, participation(n, sigma))
            or int(of) != n
            or not printed(freezes, limit)
            or not printed(share, sigma / limit)
            or state_said != (expected or "neither frozen nor flat")
            or others[1] != " and ".join(f"{size:.0f}" for size in sizes)
            or not all(map(printed, others[2].split(" and "), map(spread, sizes)))
            or others[3]
            != (", thanks to 1/√d" if by == "1/√d" and rule_of_the_width(rule, norm) else "")
            or abs(level / (scale / sigma) - 1) > 6e-4
            or ("favours keys that match least" in words) != (scale < 0)
            or ("not the width" in words) != (scale > 0 and heads * d != state["D"])
            or not np.allclose([float(own), float(cold)], place, atol=0.0501)
            or set(shown["hidden"])
            != {"s", "x"} - {"s" if rule == "deviation" else ""} - {"x" if by == "number" else ""}
            or shown["wrong"]
            or {key: shown["values"][key] for key in state} != state
        ):
            found.append(f"{state}: {shown}")
    return found


def rule_of_the_width(rule: str, norm: str) -> bool:
    """Tell whether 1/√d makes the size of a head drop out."""
    return norm == "RMSNorm" or (norm == "none" and rule not in ("Xavier, one head", "T5"))


def test_the_calculator_is_right(visit, module):
    page = visit(BASE + "your-model/", **CALM).page
    participation = cache(module("saturation/gaussian_logits").participation)
    assert calculator_differs(page, module("your-model/start"), participation) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2/(D+3*h*d)", "2/(D+3*d)"),
        ("1/(3*D)", "1/(2*D)"),
        ("1/(D*d**0.5)", "1/(D*d)"),
        ("(d*d)/(d-1)", "d"),
        ("(d,D)=>D**-0.5", "(d,D)=>d**-0.5"),
        ("d*v*v", "v*v"),
        ("e*e*Math.exp(-e)", "e*Math.exp(-e)"),
        ("(n-1)", "n"),
        ("0.95", "0.9"),
        ("Math.sqrt(2*Math.log(n))", "Math.log(n)"),
        ("(h*d)/size", "h"),
        ("scaled(d)<0", "scaled(d)>0"),
        ("sigma / limit", "limit / sigma"),
    ],
)
def test_a_wrong_calculator_shows(visit, module, old, new):
    page = visit_with(visit, "your-model/", "why-calculator.js", old, new)
    participation = cache(module("saturation/gaussian_logits").participation)
    assert calculator_differs(page, module("your-model/start"), participation) != []


TYPED = {
    "d": {"64": 64, " 128 ": 128, "768/12": 64}
    | dict.fromkeys(["", "0", "-3", "64,5", "64.5", "1e300", "2000000", "d"]),
    "n": {"131,072": 131072, "1,048,576": 2**20, "700": 700} | dict.fromkeys(["1", "0,125"]),
    "s": {"0,02": 0.02, ".006": 0.006, "1/50": 0.02} | dict.fromkeys(["0", "-1", ""]),
    "x": {
        "0,125": 0.125,
        "1/8": 0.125,
        "1/√64": 0.125,
        "1/sqrt(64)": 0.125,
        "−8": -8,
        "8/128": 1 / 16,
    }
    | dict.fromkeys(["0", "1/0", "1..2", "alert(1)"]),
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
        assert ("–" in shown["words"] and ":" in shown["words"]) == (value is None), typed
        assert "NaN" not in str(shown), typed
        assert "Infinity" not in shown["words"], typed
    tab.page.wait_for_function("() => location.hash === '#calculator'")
    assert f"{name}={held}" in tab.page.url
    assert complains(tab) == []


def test_layernorm_needs_a_head_of_two(visit):
    page = visit(BASE + "your-model/", **CALM).page
    shown = show(page, "calculator", CALCULATOR, **MODEL | {"norm": 2, "d": 1})
    assert "LayerNorm" in shown["words"]
    assert "Infinity" not in shown["words"]


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
        assert f"of {row['n']:,} keys share" in shown.locator(".found").inner_text()
    field = shown.locator(".form [name=H]")
    field.fill("13")
    page.wait_for_function("() => !document.querySelector('why-calculator [aria-pressed=true]')")


def test_each_number_that_one_changes_is_seen(visit):
    """As it begins, no field and no choice is dead."""
    page = visit(BASE + "your-model/", **CALM).page
    page.wait_for_selector("why-calculator .panel")
    begins = page.evaluate("() => document.querySelector('why-calculator').values")
    before = show(page, "calculator", CALCULATOR)["words"]
    for change in (
        {"d": 96},
        {"H": 16},
        {"D": 1024},
        {"n": 512},
        {"rule": 0},
        {"norm": 1},
        {"by": 1},
    ):
        assert show(page, "calculator", CALCULATOR, **begins | change)["words"] != before, change


@pytest.mark.parametrize("allowed", [True, False])
def test_the_link_can_be_copied(visit, allowed):
    tab = visit(BASE + "your-model/", **CALM)
    page, asked = tab.page, []
    if allowed:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    else:
        page.evaluate("() => Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.on("dialog", lambda dialog: (asked.append(dialog.default_value), dialog.dismiss()))
    show(page, "calculator", CALCULATOR, **MODEL | {"D": 1234, "rule": 1})
    page.locator("why-calculator").get_by_role("button", name="Copy link").click()
    link = page.evaluate("() => navigator.clipboard.readText()") if allowed else asked[0]
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("why-calculator .panel")
    values = page.evaluate("() => document.querySelector('why-calculator').values")
    assert (values["D"], values["rule"]) == (1234, 1)


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["wide", "phone"])
def test_the_calculator_fits_the_screen(visit, size):
    page = visit(BASE + "your-model/", **CALM).page
    page.set_viewport_size(size)
    # All that can show at once: two numbers, and a head that does not fit the width.
    show(page, "calculator", CALCULATOR, **MODEL | {"rule": 5, "by": 6, "H": 13, "n": 2**20})
    box = page.locator("why-calculator .panel").bounding_box()
    assert box["height"] < size["height"] - 48, "below the bar"
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


# One real row ----------------------------------------------------------------------------------

REAL_ROW = """shown => ({
    title: shown.querySelector('.title').textContent,
    words: shown.querySelector('.found').innerText,
    keys: [...shown.querySelectorAll('.sums span')].map(part => part.textContent),
    shares: [...shown.querySelectorAll('.sums b')].map(part => part.textContent),
    bars: [...shown.querySelectorAll('.sums svg')].map(svg =>
        [...svg.querySelectorAll('path')].map(path => path.getAttribute('d'))),
    pressed: [...shown.querySelectorAll('button')].map(part => part.ariaPressed),
})"""


def row_differs(page: Page, row) -> Iterator[str]:
    """Yield the states in which a weight, a bar or a word is not what the stored scores give."""
    for h, (a, by) in product(
        range(3), [(0, "1"), (0.25, None), (0.5, "√d"), (0.9, None), (1, "d")]
    ):
        head, scores = [*row.scores.items()][h]
        weights, trained = softmax(np.array(scores) / 32**a), row.weights[head]["√d"]
        if by:  # as the snippet has it
            assert np.allclose(weights, row.weights[head][by])
        shown = show(page, "row", REAL_ROW, a=a, head=h)
        lengths = [
            [
                float(re.match(r"(?:M0 1h|M)([\d.]+)(?:v18H0z| 0v20)$", bar)[1]) / 1000
                for bar in bars
            ]
            for bars in shown["bars"]
        ]
        words = re.search(r"([\d.]+)%\s+goes to “(.+)”\s+as if ([\d.]+) of (\d+)", shown["words"])
        size = re.search(r"= ([\d.]+)", shown["title"])
        if (
            not np.allclose(lengths, np.transpose([weights, trained]), atol=DRAWN)
            or not all(
                printed(share.removesuffix("%"), 100 * weight)
                for share, weight in zip(shown["shares"], weights, strict=True)
            )
            or not printed(words[1], 100 * weights.max())
            or words[2] != row.words[np.argmax(scores)]
            or not printed(words[3], 1 / np.sum(weights**2))
            or int(words[4]) != len(weights)
            or not shown["title"].startswith(f"Head {head}, ")
            or ("as trained" in shown["title"]) != (by == "√d")
            or (not printed(size[1], 32**a) if a else size)
            or shown["keys"] != row.words
            or shown["pressed"]
            != [str(on).lower() for on in (h == 0, h == 1, h == 2, a == 0, a == 0.5, a == 1)]
        ):
            yield f"{a}, {head}: {shown}"


def test_the_row_is_that_of_the_model(visit, snippet):
    page = visit(BASE + "trained/", **CALM).page
    assert [*row_differs(page, snippet("trained/row"))] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "old", "new"),
    [
        ("why-row.js", "d**power", "d**(1.01*power)"),
        ("why-row.js", "divided(0.5)", "divided(0.6)"),
        ("why-row.js", "(d ** a)", "(d * a)"),
        ("why-row.js", "1000*weight", "900*weight"),
        ("explorable.js", "weight*weight", "weight"),
    ],
)
def test_a_wrong_row_shows(visit, snippet, script, old, new):
    page = visit_with(visit, "trained/", script, old, new)
    assert any(row_differs(page, snippet("trained/row")))


def test_a_head_is_chosen_by_its_button(visit):
    page = visit(BASE + "trained/", **CALM).page
    button = page.locator("why-row").get_by_role("button", name="head 0.2")
    button.click()
    page.wait_for_function(
        "() => document.querySelector('why-row .title').textContent.startsWith('Head 0.2')"
    )
    assert button.get_attribute("aria-pressed") == "true"


# Which divisor keeps what ----------------------------------------------------------------------

TRAINING = """shown => ({
    rows: [...shown.querySelectorAll('.pair p:not(.of)')]
        .map(row => [...row.children].map(part => part.textContent)),
    lines: [...shown.querySelectorAll('.graph path:not(.at)')].map(path => path.getAttribute('d')),
    at: shown.querySelector('.at').getAttribute('d'),
    pressed: [...shown.querySelectorAll('button')].filter(e => e.ariaPressed === 'true')
        .map(e => e.textContent),
})"""
TRAINED = [
    {"steps": steps, "d": d, "by": by, "zero": zero}
    for steps, d, by, zero in product([0, 1, 4, 10], [32, 128, 512], range(3), range(2))
]


def training_differs(page: Page, layer) -> Iterator[str]:
    """Yield the states in which a line, a size or a word is not what the layer gave."""
    names, starts = ["nothing", "√d", "d"], ["random", "WQ = 0"]
    for state in TRAINED:
        steps, d, by, zero = state.values()
        here = layer.dims.index(d)
        # From all seeds, and not from the rounded table that the script is given.
        sizes = [
            layer.begin[by, zero].mean(axis=0),
            layer.moved[by, zero, :, :, steps].mean(axis=0),
        ]
        shown = show(page, "training", TRAINING, **state)
        right = float(re.match(r"M([\d.]+) 0V100", shown["at"])[1]) == 200 * here
        right &= shown["pressed"] == [names[by], starts[zero]]
        for row, size in enumerate(sizes):
            _, values, verdict = shown["rows"][row]
            line, dots = shown["lines"][2 * row : 2 * row + 2]
            places = [tuple(map(float, at)) for at in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", line)]
            right &= re.findall(r"M([^M]+)h0", dots) == re.findall(r"[ML]([^L]+)", line)
            if not size.any():
                right &= not places and values == "0 → 0" and verdict == "0 for all"
                continue
            x, y = np.transpose(places)
            drawn = 10 ** (2 - y / 25)  # from 100 at the top to 0.01
            right &= np.allclose(x, np.arange(6) * 200)
            right &= np.allclose(drawn, size, rtol=0.007)
            printed_sizes = [float(value) for value in values.split(" → ")]
            right &= np.allclose(printed_sizes, size[[0, here]], rtol=0.051, atol=0.0051)
            ratio = size[here] / size[0]
            if verdict == "alike":
                right &= 0.88 < ratio < 1.13
            else:
                number = float(re.search(r"[\d.]+(?= times|$)", verdict)[0])
                right &= abs(max(ratio, 1 / ratio) / number - 1) < 0.05
                right &= ("times" in verdict) == (ratio > 1)
        if not right:
            yield f"{state}: {shown}"


def test_the_layer_is_the_one_that_was_trained(visit, snippet):
    page = visit(BASE + "training/", **CALM).page
    assert [*training_differs(page, snippet("training/training"))] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Math.log(MOST/LEAST)", "Math.log(MOST)"),
        ("zero?0:start[by][i]", "start[by][i]"),
        ("added[by][zero]", "added[by][0]"),
        ("[i][steps]", "[i][10]"),
        ("size[here]/size[0]", "size[0]/size[here]"),
        ("ratio>1?", "ratio>2?"),
    ],
)
def test_a_wrong_layer_shows(visit, snippet, old, new):
    page = visit_with(visit, "training/", "why-training.js", old, new)
    assert any(training_differs(page, snippet("training/training")))


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


# All of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGE)
def test_a_script_is_small(site, name):
    folder = site / "assets/javascripts"
    parts = [folder / "explorable.js", folder / f"why-{name}.js"]
    assert sum(len(gzip.compress(part.read_bytes(), 9)) for part in parts) < 5120
    # A strict policy forbids style attributes, and code in text.
    code = "".join(part.read_text("utf-8") for part in parts)
    assert not re.search(r"style=|eval\(|new Function|onclick", code)
    # Where none stands, none is loaded.
    assert "javascripts/why-" not in (site / "glossary/index.html").read_text("utf-8")


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
        page.keyboard.press("ArrowRight")
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
        state = dict(re.findall(r"(\w+)=([\d.]+)", button.get_attribute("value")))
        values = page.evaluate(f"() => document.querySelector('why-{name}').values")
        assert state
        assert {key: values[key] for key in state} == {key: float(state[key]) for key in state}
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


@pytest.mark.parametrize("name", [name for name in PAGE if name not in {*PRESETS, "attention"}])
def test_a_link_leads_to_a_view_without_loading_the_page(visit, name):
    page = visit(BASE + PAGE[name], **CALM).page
    page.evaluate("() => { window.same = true }")
    links = page.locator(f"article a[href^='?'][href$='#{name}']")
    assert links.count() > 0
    for link in links.all():
        link.click()
        state = dict(re.findall(r"(\w+)=([\d.-]+)", link.get_attribute("href")))
        values = page.evaluate(f"() => document.querySelector('why-{name}').values")
        assert {key: values[key] for key in state} == {key: float(state[key]) for key in state}
        assert page.evaluate("() => window.same")
    page.go_back()
    assert page.evaluate("() => window.same")


@pytest.mark.parametrize("name", PAGE)
def test_it_is_accessible(visit, name):
    tab = visit(BASE + PAGE[name], **CALM)
    tab.page.evaluate(
        """name => {
            for (const part of document.querySelectorAll('article > *'))
                if (!part.matches(`h1, h2, why-${name}, :has(why-${name})`)) part.remove()
        }""",
        name,
    )
    for how in ("light", "dark", "phone"):
        tab.show(how)
        assert tab.page.locator(f"why-{name} .panel").is_visible()
        assert breaks_accessibility_rules(tab) == [], how
        sizes = tab.page.locator(
            f"why-{name} .panel :is(input:not([type=hidden]), button)"
        ).evaluate_all(
            """parts => parts.map(part => part.closest('label') ?? part)
                .filter(part => part.offsetParent).map(part => part.offsetHeight)"""
        )
        assert min(sizes) >= 44, how


@pytest.mark.parametrize("name", PAGE)
def test_paper_has_the_figure(visit, name):
    tab = visit(BASE + PAGE[name])
    shown = tab.page.locator(f"why-{name}")
    assert not shown.locator(".drawing").is_visible()
    tab.show("paper")
    assert shown.locator(".drawing").is_visible()
    assert not shown.locator(".panel").is_visible()


@pytest.mark.parametrize("name", PAGE)
def test_without_scripts_the_figure_stands(visit, name):
    page = visit(BASE + PAGE[name], java_script_enabled=False).page
    assert page.locator(f"why-{name} .drawing svg").is_visible()


# The front page --------------------------------------------------------------------------------


def below_the_fold(tab: Tab) -> list[str]:
    """What of the question, the sentence and the explorable does not stand on the first screen."""
    return tab.page.evaluate(
        """() => ['.menu', 'h1', '.answer', 'why-mechanism .panel'].filter(selector => {
            const box = document.querySelector(selector).getBoundingClientRect()
            return box.bottom > innerHeight || box.top < 0 || box.right > innerWidth
        })"""
    )


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["wide", "phone"])
def test_the_first_screen_holds_all_of_it(visit, size):
    tab = visit(BASE, **CALM)
    tab.page.set_viewport_size(size)
    assert below_the_fold(tab) == []
    assert tab.page.locator("why-mechanism .row").count() == 2
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
