"""The puzzle: a matrix, its variance, the heap of many, and the marks."""

import re
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import DRAWN, numbers, show

READ = """shown => ({
    words: shown.querySelector('.puzzle').innerText,
    legend: shown.querySelector('.legend').innerText,
    bars: shown.querySelector('.bars path').getAttribute('d'),
    dots: shown.querySelector('.dots').getAttribute('d'),
    last: ['left', 'bottom'].map(side => parseFloat(shown.querySelector('.dot').style[side])),
    law: shown.querySelector('.law').getAttribute('d'),
    marks: ['guess', 'bare', 'right', 'mean']
        .map(name => parseFloat(shown.querySelector(`.mark.${name}`).style.left)),
})"""
STATES = [
    {"guess": 1.5, "n": n, "m": m, "d": d, "ddof": ddof, "count": count}
    for n, m, d, ddof, count in [
        (2, 2, 2, 0, 1),
        (2, 2, 2, 0, 400),
        (2, 2, 2, 1, 400),
        (2, 2, 2, 0, 12),
        (2, 2, 2, 0, 40),
        (2, 2, 2, 0, 41),
        (3, 5, 4, 0, 60),
        (8, 2, 1, 1, 60),
        (3, 2, 1, 0, 60),
        (8, 8, 8, 1, 40),
        (8, 8, 1, 0, 1),
        (2, 8, 8, 0, 9),
    ]
]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a variance, the heap, the law or a mark is not the right one."""
    expected, cdf = module("variance/sample_variance").expected, module("variance/two_by_two").cdf
    for state in STATES:
        guess, n, m, d, ddof, count = state.values()
        shown = show(page, "puzzle", READ, **state)
        drawn = np.reshape(numbers(1, count * d * (n + m)), (count, d * (n + m)))
        products = [one[: n * d].reshape(n, d) @ one[n * d :].reshape(d, m) for one in drawn]
        values = np.var(products, axis=(1, 2), ddof=ddof)
        right = expected(n, d, m) * n * m / (n * m - ddof)
        heap = np.histogram(values, 40, (0, 4 * d))[0]
        law = np.diff(cdf(np.arange(1, 41) / 5), prepend=0) * count
        known = (n, m, d, ddof) == (2, 2, 2, 0)
        few = count <= 40  # each lies there as a dot, upon those that fell into its bin before
        top = 1.05 * max(8 if few else 1, heap.max(), law.max() if known else 0)
        bins = np.floor(10 * values / d)
        places = [(bins[i], np.sum(bins[:i] == bins[i])) for i in range(count)]
        dots = [(25 * x + 12.5, 100 - (100 * y + 50) / top) for x, y in places if x < 40]
        found = re.findall(r"M([\d.]+) ([-\d.]+)h0", shown["dots"])
        latest_at = (
            25 * min(values[-1] / d, 4),
            (100 * places[-1][1] + 50) / top if few and bins[-1] < 40 else 0,
        )
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
            or not np.allclose(heights, [] if few else heap / top, atol=DRAWN)
            or len(found) != (len(dots) - (bins[-1] < 40) if few else 0)
            or (found and not np.allclose(np.array(found, float), dots[: len(found)], atol=0.02))
            or not np.allclose(shown["last"], latest_at, atol=1e-2)
            or len(curve) != 40 * known
            or (known and not np.allclose(curve, law / top, atol=2e-3))
            or not np.allclose(
                shown["marks"], 25 * np.array([guess, d, right, values.mean()]) / d, atol=1e-2
            )
        ):
            yield f"{state}: {shown}"


WRONG = [
    ("q[i*d+l]*k[l*m+j]", "q[i*d+l]*k[j*d+l]"),
    ("(x-mean)**2", "x**2"),
    ("d*(1-1/size)", "d*(1-1/n)"),
    ("share-(below[i-1]??0)", "share"),
    ("heap[bin]++ +0.5", "heap[bin]+0.5"),
    ("[bin+0.5,", "[bin+1,"),
]
