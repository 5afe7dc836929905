"""Coins to toss: the walks, where they end, how many end where, and the chances of each sum."""

import re
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Page
from scipy.stats import binom

from tests.site.explorables import printed, show, uniform

READ = """shown => ({
    title: shown.querySelector('.title').textContent,
    spread: shown.querySelector('.found b').textContent,
    words: shown.querySelector('.found span').innerHTML,
    paths: Object.fromEntries(['before', 'root', 'last', 'law'].map(name =>
        [name, shown.querySelector(`.${name}`).getAttribute('d')])),
    bars: shown.querySelector('.bars path').getAttribute('d'),
    box: shown.querySelector('.walks').getAttribute('viewBox'),
    strip: ['left', 'right'].map(side => parseFloat(shown.querySelector('.within').style[side])),
})"""
STATES = [
    {"d": d, "count": count, "seed": seed}
    for d, count, seed in [
        *((4, 1, 1), (64, 1, 2), (256, 1, 1), (64, 2, 1), (16, 31, 1), (100, 60, 3)),
        *((4, 400, 1), (64, 400, 1), (256, 400, 1)),
    ]
]


def places(path: str) -> np.ndarray:
    """Give the points of a path."""
    return np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path), float)


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a walk, the heap of the ends, a chance or a word is wrong."""
    most, edge = 256, 64  # four spreads of the most coins
    drawn = {seed: uniform(seed, most * 400) for seed in (1, 2, 3)}
    for state in STATES:
        d, count, seed = state.values()
        coins = np.where(np.reshape(drawn[seed], (400, most))[:count] < 0.5, 1, -1)
        walks = np.pad(coins.cumsum(axis=1), ((0, 0), (1, 0)))
        ends, root = walks[:, d], np.sqrt(d)
        heads = (coins[-1, :d] > 0).sum()
        shown = show(page, "coins", READ, **state)
        before, line, last, law = (places(path) for path in shown["paths"].values())
        chance = binom.pmf((law[:, 0] + d) / 2, d, 0.5) if len(law) else np.empty(0)
        sums, numbers = np.unique(ends, return_counts=True)
        top = 1.05 * max(10, numbers.max(), count * binom.pmf(d / 2, d, 0.5))
        bars = np.array(re.findall(r"M(-?[\d.]+) 100v-([\d.]+)h1.6", shown["bars"]), float)
        said = re.findall(r"−?\d+(?:\.\d+)?", shown["words"])
        said = [float(each.replace("−", "-")) for each in said]
        right = printed(shown["spread"], np.sqrt(np.mean(ends**2)))
        right &= said == [count, d, round(root, 1), heads, d - heads, ends[-1]]
        right &= shown["box"] == f"{-edge} 0 {2 * edge} {d}"
        right &= np.array_equal(
            before.reshape(-1, most + 1, 2)[..., 0], walks[-30:]
        ) and np.array_equal(last[:, 0], walks[-1, : d + 1])
        right &= np.array_equal(last[:, 1], np.arange(d + 1))
        right = right and np.allclose(line[:, 0] ** 2, line[:, 1]) and abs(line[:, 0].sum()) < 1e-9
        right &= len(bars) == len(sums)
        right = right and np.allclose(
            bars, np.transpose([sums - 0.8, 100 * numbers / top]), atol=0.006
        )
        right = right and np.allclose(law[:, 1:].T, 100 - 100 * count * chance / top, atol=0.006)
        right &= count < 30 or chance.sum() > 0.97
        right = right and np.allclose(shown["strip"], 50 - 50 * root / edge)
        if not right:
            yield f"{state}: {shown}"


WRONG = [
    ("<0.5?1:-1", "<0.55?1:-1"),
    ("sums[d]**2", "Math.abs(sums[d])*d"),
    ("d-i+1", "d-i"),
    ("50*root", "50*d"),
    ("(coins+last[coins])/2", "(coins-last[coins])/2"),
    ("sign * Math.sqrt(m)", "sign * m / 8"),
]
