"""Three terms: their sum, what the theorem prints, and the key that turns."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import DRAWN, show

READ = """shown => ({
    numbers: [...shown.querySelectorAll('.sums b')].map(b => +b.textContent.replace('−', '-')),
    bars: [...shown.querySelectorAll('.sums path:last-child')].map(path => path.getAttribute('d')),
    negative: [...shown.querySelectorAll('.sums p')].map(p => p.matches('.negative')),
    words: shown.querySelector('.size').textContent,
    key: shown.querySelector('.key').getAttribute('d'),
    lines: ['first', 'last', 'printed', 'now'].map(part =>
        [...shown.querySelector(`.graph .${part}`).getAttribute('d').matchAll(/[ML]([^L]+)/g)]
            .map(([, place]) => place.split(' ').map(Number))),
    handle: ['left', 'bottom'].map(side => parseFloat(shown.querySelector('.handle').style[side])),
})"""
DIMS = 2 ** np.arange(1, 9)
STATES = [
    {"t": t, "r": r, "d": d}
    for t, r, d in product([0, 30, 45, 75, 90, 120, 180], [0, 0.1, 0.83, 1], [2, 4, 64, 256])
]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a term, a sum or a size is not what the matrices give."""
    moments = module("theorem/moments")
    for state in STATES:
        t, r, d = state.values()
        c, s = np.cos(np.radians(t)), np.sin(np.radians(t))
        one, C = np.eye(d), r * np.kron(np.eye(d // 2), [[c, s], [-s, c]])
        terms = [d, np.trace(C @ C), np.trace(C) ** 2]
        total, printed = moments.second_moment(one, one, C), moments.published(one, one, C)
        numbers = [*terms, total, printed]
        shown = show(page, "terms", READ, **state)
        slack = [0.0501 if abs(number) < 99.9 else 0.501 for number in numbers]
        spans = [re.match(r"M([-\d.]+) 1h([-\d.]+)", bar).groups() for bar in shown["bars"]]
        lengths = [float(length) / 1000 * (d * d + 2 * d) for _, length in spans]
        size, said = map(float, re.findall(r"(?:square|published) ([\d.]+)", shown["words"]))
        x, y = map(float, re.search(r"L([-\d.]+) ([-\d.]+)", shown["key"]).groups())
        right = lines_are_right(shown["lines"], t, r, moments)
        at = 100 * (np.log2(d) - 1) / 7, 12.5 * np.log2(max(1, total)) / 2
        right &= np.allclose(shown["handle"], at, atol=1e-3)
        if (
            not right
            or np.any(np.abs(np.subtract(shown["numbers"], numbers)) > slack)
            or np.abs(np.subtract(lengths, numbers)).max() > DRAWN * (d * d + 2 * d)
            or shown["negative"] != [False, terms[1] < -1e-9, False, False, False]
            or abs(size - max(total, 0) ** 0.5) > (0.0501 if total < 9980 else 0.501)
            or abs(said - printed**0.5) > (0.0501 if printed < 9980 else 0.501)
            or not np.allclose([x, y], [100 * r * c, -100 * r * s], atol=0.0501)
        ):
            yield f"{state}: {shown}"


def lines_are_right(lines: list, t: float, r: float, moments) -> bool:
    """Tell whether each line has the root of its mean square at all d, but below 1 on the axis."""
    c, s = np.cos(np.radians(t)), np.sin(np.radians(t))
    squares = []
    for d in DIMS:
        one, C = np.eye(d), r * np.kron(np.eye(d // 2), [[c, s], [-s, c]])
        both = moments.published(one, one, C), moments.second_moment(one, one, C)
        squares.append([d, np.trace(C) ** 2, *both])
    for i, (line, square) in enumerate(zip(lines, np.transpose(squares), strict=True)):
        right = square >= (1 if i == 1 else -1e-6)
        if not right.any():
            if line:
                return False
            continue
        x, y = np.transpose(line)
        drawn = dict(zip(x, y, strict=True))
        places = np.round(1000 * (np.log2(DIMS[right]) - 1) / 7, 1)
        down = 100 - 12.5 * np.log2(np.maximum(1, square[right])) / 2
        if not np.allclose([drawn.get(place, np.nan) for place in places], down, atol=100 * DRAWN):
            return False
        if i == 1 and not right[0]:  # it comes out of the axis
            if y[0] != 100 or abs(r * abs(c) * 2 ** (1 + 7 * x[0] / 1000) - 1) > 1e-3:
                return False
        elif (x[0], x[-1]) != (0, 1000):
            return False
    return True


WRONG = [
    ("Math.cos(2*angle)", "Math.cos(angle)"),
    ("(r*d*Math.cos(angle))**2", "r*(d*Math.cos(angle))**2"),
    ("d+r*r*d+", "d+r*d+"),
    ("threeTerms(d)[2]", "threeTerms(d)[1]"),
    ("1/(r*Math", "1/(Math"),
    ("threeTerms(d).reduce((a,b)=>a+b)", "threeTerms(d)[0]"),
]
