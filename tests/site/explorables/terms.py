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
})"""
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
        if (
            np.any(np.abs(np.subtract(shown["numbers"], numbers)) > slack)
            or np.abs(np.subtract(lengths, numbers)).max() > DRAWN * (d * d + 2 * d)
            or shown["negative"] != [False, terms[1] < -1e-9, False, False, False]
            or abs(size - max(total, 0) ** 0.5) > (0.0501 if total < 9980 else 0.501)
            or abs(said - printed**0.5) > (0.0501 if printed < 9980 else 0.501)
            or not np.allclose([x, y], [100 * r * c, -100 * r * s], atol=0.0501)
        ):
            yield f"{state}: {shown}"


WRONG = [
    ("Math.cos(2*angle)", "Math.cos(angle)"),
    ("(r*d*Math.cos(angle))**2", "r*(d*Math.cos(angle))**2"),
    ("published=d+r*r*d+terms[2]", "published=d+r*d+terms[2]"),
    ("terms[0]+terms[1]+terms[2]", "terms[0]+terms[2]"),
]
