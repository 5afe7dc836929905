"""From products to attention, on the front page: walks, dots, shares, winners and words."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, numbers, printed, show

READ = """shown => ({
    size: shown.querySelector('.walks b').textContent,
    words: [...shown.querySelectorAll('.row')].map(row => row.innerText),
    luck: shown.querySelector('.luck span').textContent,
    bars: [...shown.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    winners: [...shown.querySelectorAll('.winners path')].map(path => path.getAttribute('d')),
    drawn: Object.fromEntries(
        ['.walk', 'path.root', '.before', '.now .dots', '.now .best', '.divided .dots'].map(
        part => [part, shown.querySelector(part).getAttribute('d')])),
    now: ['--d', '--root', '--high']
        .map(name => +shown.querySelector('.fan').style.getPropertyValue(name)),
})"""
STATES = [
    {"d": d, "trained": trained, "draw": 0}
    for d, trained in product([1, 2, 7, 16, 32, 64, 100, 128], [0, 1])
] + [{"d": 64, "trained": trained, "draw": draw} for trained, draw in product([0, 1], [1, 11])]


def walks_of(drawn_by, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the sums of a draw, before and after the step, by cumulative sums of outer products."""
    n_keys, most = drawn_by.start.shape
    if draw == 0:
        return drawn_by.start, drawn_by.trained
    drawn = np.reshape(numbers(draw + 1, (n_keys + 1) * most), (n_keys + 1, most))
    q, k = drawn[0], drawn[1:]
    moved = k.copy()
    moved[drawn_by.meant] += drawn_by.step * np.sign(q)
    new_q = q + drawn_by.step * np.sign(k[drawn_by.meant])
    return np.cumsum(q * k, axis=1), np.cumsum(new_q * moved, axis=1)


def stacks(path: str, n_keys: int) -> list[int]:
    """Count the squares above each key."""
    at = [float(x) * n_keys / 1000 for x in re.findall(r"M([\d.]+) ", path)]
    return [sum(abs(x - key) < 0.01 for x in at) for key in range(n_keys)]


def points(path: str) -> np.ndarray:
    """Give the points of a path, an array for each line of it, upwards."""
    lines = [re.findall(r"([-\d.]+),([-\d.]+)", line) for line in path.split("M")[1:]]
    return np.array(lines, float) * [1, -1]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a walk, a score, a share or a word is not the snippet's."""
    drawn_by = snippet("index/mechanism")
    meant = drawn_by.meant
    draws = [walks_of(drawn_by, draw) for draw in range(max(s["draw"] for s in STATES) + 1)]
    for state in STATES:
        d, trained, draw = state.values()
        # The heights for which there is room, in steps of 4.
        low, high = (4 * np.ceil(abs(walks).max() / 4) for walks in draws[draw])
        shown = show(page, "mechanism", READ, **state)
        line, end = shown["drawn"].pop(".now .best").rsplit("M", 1)
        drawn = {part: points(path) for part, path in shown["drawn"].items()}
        start = draws[draw][0]
        walks = np.insert(draws[draw][trained], 0, 0, axis=1)
        scores = walks[:, d]
        best = meant if trained else scores.argmax()
        added = scores[meant] - start[meant, d - 1]
        size = f"+{added:.1f}" if trained else f"±{np.sqrt(d):.1f}"
        won = [each[trained][:, d - 1].argmax() for each in draws[: draw + 1]]
        counts = np.bincount(won, minlength=len(scores))
        wins = counts[meant] if trained else np.sum(counts > 0)
        said = re.search(rf"In {draw + 1} draws (\D*)(\d+|one key)(.*)", shown["luck"])
        won_so_many = {"one key": 1}.get(said[2]) or int(said[2]) if said else None
        verdict = "luck" if wins > (draw + 1) / 2 and (trained or wins > 1) else ""
        wrong = (
            shown["size"] != size
            or not np.allclose(drawn[".before"][0, 1:, 1], start[meant, :d], atol=0.0501)
            or shown["now"] != [d / 128, np.sqrt(d), max(low, high) if trained else low]
            or not np.allclose(drawn[".walk"][:, :, 1], walks, atol=0.0501)
            or not np.allclose(drawn[".walk"][:, :, 0], range(129))
            or not np.allclose(drawn["path.root"][0, :, 1], np.sqrt(range(129)), atol=0.0501)
            or not np.allclose(drawn["path.root"][1, :, 1], -np.sqrt(range(129)), atol=0.0501)
            or not np.allclose(points(line)[0, :, 1], walks[best, : d + 1], atol=0.0501)
            or not np.allclose(points("M" + end), [[[d, scores[best]]]], atol=0.00501)
            or not np.allclose(drawn[".now .dots"][:, 0], [[d, s] for s in scores], atol=0.00501)
            or not np.allclose(drawn[".divided .dots"][:, 0, 1], scores / np.sqrt(d), atol=0.00501)
            or stacks(shown["winners"][0], len(scores)) != [*counts]
            or np.argmax(stacks(shown["winners"][1], len(scores))) != won[-1]
            or (draw and (won_so_many != wins or ("luck" in said[3]) != bool(verdict)))
        )
        for row, by in enumerate([1, np.sqrt(d)]):
            weights = softmax(scores / by)
            bars = shown["bars"][2 * row : 2 * row + 2]
            heights, own = ([float(h) / 100 for h in re.findall(r"v-?([\d.]+)", b)] for b in bars)
            place = [float(x) for x in re.findall(r"^M([\d.]+)", bars[1])]
            words = re.search(PERCENT + r".*as if ([\d.]+) of 32", shown["words"][row], re.DOTALL)
            divisor = re.search(r"√d = ([\d.]+)", shown["words"][row])
            who = "the trained key" if trained else f"key {best + 1}\n"
            wrong = (
                wrong
                or not np.allclose(heights, weights, atol=DRAWN)
                or not np.allclose(own, weights[best], atol=DRAWN)
                or place != [31.25 * best]
                or not is_share(words[1], weights[best])
                or not printed(words[2], 1 / np.sum(weights**2))
                or f"to {who}" not in shown["words"][row]
                or (row == 1) != bool(divisor and printed(divisor[1], by))
            )
        if wrong:
            yield f"{state}: {shown['size']} {shown['words']} {shown['luck']}"


WRONG = [
    ("move*Math.sign(k[meant][i])", "move*k[meant][i]"),
    ("move*Math.sign(q[i])", "0"),
    ("i?Math.sqrt(d):1", "i?d**0.51:1"),
    ("this.sums[meant][d]-this.start[meant][d]", "this.sums[meant][d]"),
    ("sums[d]/by", "sums[d-1]/by"),
    ("weight*weight", "weight"),
    ("gaussian(draw+1)", "gaussian(2)"),
    ("this.sumsOf(draw,trained).map", "this.sumsOf(draw,0).map"),
    ("counts[meant]:different)>draws/2", "counts[meant]:different)>=0"),
]
