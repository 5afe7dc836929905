"""What can be dragged shows the numbers of the snippets.

Each explorable is set to a grid of states, and what it then shows is read from the page: its words
to the last digit that they print, its drawings to half a thousandth of their height. A script with
a wrong formula, put in its place on the way to the browser, fails the same comparison (make long).
How it is used: test_dragging.py.
"""

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

from tests.site.browser import BASE
from tests.site.explorables import CALCULATOR, CALM, MODEL, PAGE, numbers, printed, show

DRAWN = 5e-4  # how far a drawing may be off, as a share of its height

# From products to attention -----------------------------------------------------------------------


MECHANISM = """shown => ({
    size: shown.querySelector('.walks b').textContent,
    words: [...shown.querySelectorAll('.row')].map(row => row.innerText),
    bars: [...shown.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    drawn: Object.fromEntries(
        ['.walk', 'path.root', '.before', '.now .dots', '.now .best', '.divided .dots'].map(
        part => [part, shown.querySelector(part).getAttribute('d')])),
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


def mechanism_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a walk, a score, a share or a word is not the snippet's."""
    drawn_by = snippet("index/mechanism")
    for state in WALKED:
        d, trained = state.values()
        shown = show(page, "mechanism", MECHANISM, **state)
        line, end = shown["drawn"].pop(".now .best").rsplit("M", 1)
        drawn = {part: points(path) for part, path in shown["drawn"].items()}
        walks = np.insert(drawn_by.trained if trained else drawn_by.start, 0, 0, axis=1)
        scores = walks[:, d]
        best = 0 if trained else scores.argmax()
        size = f"+{drawn_by.added[d - 1]:.1f}" if trained else f"±{np.sqrt(d):.1f}"
        wrong = (
            shown["size"] != size
            or not np.allclose(drawn[".before"][0, 1:, 1], drawn_by.start[0, :d], atol=0.0501)
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


# Who gets the attention? --------------------------------------------------------------------------


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


def attention_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which the weights, or the words about them, are not the right ones."""
    given = snippet("index/attention").explore["g"].tolist()
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


# The phase plane ----------------------------------------------------------------------------------


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


def plane_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which the mean, the phase or the border is not the right one."""
    largest = cache(module("saturation/gaussian_logits").largest)
    models = snippet("saturation/plane").explore["models"]
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


# Three terms --------------------------------------------------------------------------------------


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


def terms_differ(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a term, a sum or a size is not what the matrices give."""
    moments = module("theorem/moments")
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


# The puzzle ---------------------------------------------------------------------------------------


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


def puzzle_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a variance, the heap, the law or a mark is not the right one."""
    expected, cdf = module("variance/sample_variance").expected, module("variance/two_by_two").cdf
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


# The calculator -----------------------------------------------------------------------------------


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


def calculator_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the set-ups for which a number is not what the snippet or the quadrature gives."""
    start = module("your-model/start")
    participation = cache(module("saturation/gaussian_logits").participation)
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
            r"(?s)([\d.]+)\s+is the spread.*\s([\d.]+) of (\d+) keys take part", words
        ).groups()
        state_said = re.search(r"take part\n(.*)", words)[1]
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
            yield f"{state}: {shown}"


def rule_of_the_width(rule: str, norm: str) -> bool:
    """Tell whether 1/√d makes the size of a head drop out."""
    return norm == "RMSNorm" or (norm == "none" and rule not in ("Xavier, one head", "T5"))


# One real row -------------------------------------------------------------------------------------


REAL_ROW = """shown => ({
    title: shown.querySelector('.title').textContent,
    words: shown.querySelector('.found').innerText,
    keys: [...shown.querySelectorAll('.sums span')].map(part => part.textContent),
    shares: [...shown.querySelectorAll('.sums b')].map(part => part.textContent),
    bars: [...shown.querySelectorAll('.sums svg')].map(svg =>
        [...svg.querySelectorAll('path')].map(path => path.getAttribute('d'))),
    pressed: [...shown.querySelectorAll('button')].map(part => part.ariaPressed),
})"""


def row_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a weight, a bar or a word is not what the stored scores give."""
    row = snippet("trained/row")
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


# Which divisor keeps what -------------------------------------------------------------------------


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


def training_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a line, a size or a word is not what the layer gave."""
    layer = snippet("training/training")
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


# A divisor and five measures ----------------------------------------------------------------------


DIVISOR = """shown => ({
    words: ['.title', '.found b', '.found span'].map(e => shown.querySelector(e).textContent),
    lines: [...shown.querySelectorAll('.graph path')].map(path => path.getAttribute('d')),
    pressed: [...shown.querySelectorAll('button')].findIndex(e => e.ariaPressed === 'true'),
})"""
CLIMBED = [  # the snippet clips with √d alone
    {"steps": steps, "a": a, "times": times, "by": by}
    for steps, a, times, by in product([16, 512, 4096], [0, 0.25, 0.5, 1], [1, 64], range(6))
    if by != 4 or a == 0.5
]


def divisor_differs(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a line, a logit or a word is not what the snippet has."""
    one = snippet("growth/divisor")
    drawn = np.round(2 ** (4 + np.arange(81) / 10)).astype(int)
    for state in CLIMBED:
        steps, a, times, by = state.values()
        held, free = (one.held, one.divided["√d"]) if times == 1 else (one.coarse, one.alone)
        root, s, gain = one.root, one.root ** (2 * a), 1 + one.small * times * steps
        free = free * root
        lines = [
            free / s,
            *(held[name] * root / s for name in ("norm", "norm and gain")),
            one.cap * np.tanh(free / s / one.cap),
            held["clip at 100"],
            held["weight decay"] * root / s,
        ]
        logit, bound = lines[by][steps - 1], root**2 / s
        earlier = np.argmax(free >= free[steps - 1] / s) + 1
        said = [
            [steps / earlier, earlier] if a else [],
            [bound],
            [bound, gain],
            [one.cap, free[steps - 1] / s],
            [one.tau],
            [one.bound * root / s, 1, 10],
        ][by]
        shown = show(page, "divisor", DIVISOR, **state)
        _, size, verdict = shown["words"]
        words = re.findall(r"(\d[\d,]*\.?\d*)( million)?", f"{size} {verdict}")
        words = [float(x.replace(",", "")) * (1e6 if unit else 1) for x, unit in words]
        said = [logit, *said]
        right = len(words) == len(said) and np.allclose(words, said, rtol=0.00502)
        right &= shown["pressed"] == by
        right &= by != 4 or ("nothing" in verdict) == (logit < one.tau)
        _, bare, *faint, now, dot = shown["lines"]
        expected = [(bare, free, 4096), (now, lines[by], steps), (dot, lines[by], -steps)]
        expected += [(line, lines[i], 4096) for i, line in enumerate(faint) if a == 0.5 or i != 4]
        for line, logits, last in expected:
            at = drawn[drawn <= last] if last > 0 else np.array([steps])
            at = at[logits[at - 1] <= 1e5]
            places = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", line)
            x, y = np.reshape(np.array(places, float), (-1, 2)).T
            right &= len(x) == len(at)
            right = right and np.allclose(x, 1000 * np.log(at / 16) / np.log(256), atol=0.0501)
            heights = 100 * (1 - np.log10(10 * logits[at - 1]) / 6)
            right = right and np.allclose(y, heights, atol=0.00501)
        if not right:
            yield f"{state}: {shown['words']}"


# All of them ------------------------------------------------------------------------------------

DIFFER = {
    "mechanism": mechanism_differs,
    "attention": attention_differs,
    "plane": plane_differs,
    "terms": terms_differ,
    "puzzle": puzzle_differs,
    "calculator": calculator_differs,
    "row": row_differs,
    "training": training_differs,
    "divisor": divisor_differs,
}
# What a script has, and what would be wrong in its place.
WRONG = {
    "mechanism": [
        ("move*Math.sign(k[0][i])", "move*k[0][i]"),
        ("move*Math.sign(q[i])", "0"),
        ("const by=Math.sqrt(d)", "const by=d**0.51"),
        ("scores[0]-this.start[d]", "scores[0]"),
        ("sums[d]/by", "sums[d-1]/by"),
        ("weight*weight", "weight"),
    ],
    "attention": [
        ("d**power", "d**(1.01*power)"),
        ("r*d+", "r*Math.sqrt(d)+"),
        ("weight*weight", "weight"),
        ("Math.log(1-next())", "Math.log(1.01-next())"),
    ],
    "plane": [
        ("octaves*(0.5-a)", "octaves*(0.45-a)"),
        ("(Math.log2(sigma)+3)*4", "(Math.log2(sigma)+2.8)*4"),
        ("2*Math.LN2", "2.1*Math.LN2"),
        ("/(1-2*a)", "/(1-a)"),
    ],
    "terms": [
        ("Math.cos(2*angle)", "Math.cos(angle)"),
        ("(r*d*Math.cos(angle))**2", "r*(d*Math.cos(angle))**2"),
        ("published=d+r*r*d+terms[2]", "published=d+r*d+terms[2]"),
        ("terms[0]+terms[1]+terms[2]", "terms[0]+terms[2]"),
    ],
    "puzzle": [
        ("q[i*d+l]*k[l*m+j]", "q[i*d+l]*k[j*d+l]"),
        ("(x-mean)**2", "x**2"),
        ("d*(1-1/size)", "d*(1-1/n)"),
        ("below-(all[i-1]??0)", "below"),
    ],
    "calculator": [
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
    "row": [
        ("d**power", "d**(1.01*power)"),
        ("divided(0.5)", "divided(0.6)"),
        ("(d ** a)", "(d * a)"),
        ("1000*weight", "900*weight"),
        ("weight*weight", "weight"),
    ],
    "training": [
        ("Math.log(MOST/LEAST)", "Math.log(MOST)"),
        ("zero?0:start[by][i]", "start[by][i]"),
        ("added[by][zero]", "added[by][0]"),
        ("[i][steps]", "[i][10]"),
        ("size[here]/size[0]", "size[0]/size[here]"),
        ("ratio>1?", "ratio>2?"),
    ],
    "divisor": [
        ("Math.sign(y-alongQ*x)", "Math.sign(y)"),
        ("-decay*x)", ")"),
        ("Math.sqrt(clip/qk)", "clip/qk"),
        ("clip:clip*s", "clip"),
        ("1+rate*step", "1+rate"),
        ("free[step]/s/cap", "free[step]/cap"),
        ("s=d**a", "s=d**(1.01*a)"),
        ("decay ** 2", "decay"),
    ],
}


@pytest.mark.parametrize("name", DIFFER)
def test_it_shows_what_was_computed(visit, snippet, module, name):
    page = visit(BASE + PAGE[name], **CALM).page
    assert [*DIFFER[name](page, snippet, module)] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *pair) for name, pairs in WRONG.items() for pair in pairs]
)
def test_a_wrong_formula_shows(visit, snippet, module, name, old, new):
    page, altered = visit("/nowhere", **CALM).page, []

    def alter(route):
        text = route.fetch().text()
        altered.extend([old] * text.count(old))
        route.fulfill(body=text.replace(old, new), content_type="text/javascript")

    for script in (f"why-{name}", "explorable"):
        page.route(f"**/{script}.js", alter)
    page.goto(urlsplit(page.url)._replace(path=BASE + PAGE[name]).geturl())
    assert any(DIFFER[name](page, snippet, module))
    assert altered
