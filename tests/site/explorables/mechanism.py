"""From products to attention, on the front page: walks, dots, shares and words."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, printed, show

READ = """shown => ({
    size: shown.querySelector('.walks b').textContent,
    words: [...shown.querySelectorAll('.row')].map(row => row.innerText),
    bars: [...shown.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    drawn: Object.fromEntries(
        ['.walk', 'path.root', '.before', '.now .dots', '.now .best', '.divided .dots'].map(
        part => [part, shown.querySelector(part).getAttribute('d')])),
    now: ['--d', '--root', '--high']
        .map(name => +shown.querySelector('.fan').style.getPropertyValue(name)),
})"""
STATES = [
    {"d": d, "trained": trained} for d, trained in product([1, 2, 7, 16, 32, 64, 100, 128], [0, 1])
]


def points(path: str) -> np.ndarray:
    """Give the points of a path, an array for each line of it, upwards."""
    lines = [re.findall(r"([-\d.]+),([-\d.]+)", line) for line in path.split("M")[1:]]
    return np.array(lines, float) * [1, -1]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a walk, a score, a share or a word is not the snippet's."""
    drawn_by = snippet("index/mechanism")
    # The heights for which there is room, in steps of 4.
    low, high = (4 * np.ceil(abs(walks).max() / 4) for walks in (drawn_by.start, drawn_by.trained))
    for state in STATES:
        d, trained = state.values()
        shown = show(page, "mechanism", READ, **state)
        line, end = shown["drawn"].pop(".now .best").rsplit("M", 1)
        drawn = {part: points(path) for part, path in shown["drawn"].items()}
        walks = np.insert(drawn_by.trained if trained else drawn_by.start, 0, 0, axis=1)
        scores = walks[:, d]
        best = 0 if trained else scores.argmax()
        size = f"+{drawn_by.added[d - 1]:.1f}" if trained else f"±{np.sqrt(d):.1f}"
        wrong = (
            shown["size"] != size
            or not np.allclose(drawn[".before"][0, 1:, 1], drawn_by.start[0, :d], atol=0.0501)
            or shown["now"] != [d / 128, np.sqrt(d), high if trained else low]
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
            words = re.search(PERCENT + r".*as if ([\d.]+) of 32", shown["words"][row], re.DOTALL)
            divisor = re.search(r"√d = ([\d.]+)", shown["words"][row])
            wrong = (
                wrong
                or not np.allclose(heights, np.sort(weights)[::-1], atol=DRAWN)
                or not np.allclose(own, weights[:1] if trained else [], atol=DRAWN)
                or place != ([31.25 * np.sum(weights > weights[0])] if trained else [])
                or not is_share(words[1], weights[best])
                or not printed(words[2], 1 / np.sum(weights**2))
                or (row == 1) != bool(divisor and printed(divisor[1], by))
            )
        if wrong:
            yield f"{state}: {shown['size']} {shown['words']}"


WRONG = [
    ("move*Math.sign(k[0][i])", "move*k[0][i]"),
    ("move*Math.sign(q[i])", "0"),
    ("const by=Math.sqrt(d)", "const by=d**0.51"),
    ("scores[0]-this.start[0][d]", "scores[0]"),
    ("sums[d]/by", "sums[d-1]/by"),
    ("weight*weight", "weight"),
]
