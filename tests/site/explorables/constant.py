"""Four divisors: what each leaves of noise or of a match, and one row of keys under all of them.

The first row is ours, as it is in a head of 64; the others are drawn.
"""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, numbers, printed, show

READ = """shown => ({
    title: shown.querySelector('.title').textContent,
    lines: [...shown.querySelectorAll('.graph path[class*=C]')].map(e => e.getAttribute('d')),
    level: [...shown.querySelectorAll('.graph .level')].map(e => e.classList[0]),
    frozen: shown.querySelector('.cold').getAttribute('d'),
    sizes: shown.querySelector('.sizes').innerText.trim().split(/\\s+/).map(Number),
    rows: [...shown.querySelectorAll('.row')].map(row => ({
        title: row.querySelector('.title').textContent,
        words: row.querySelector('.found').textContent,
        bars: [...row.querySelectorAll('path')].map(e => e.getAttribute('d')),
    })),
})"""
STATES = [
    {"d": d, "match": match, "seed": seed}
    for d, match, seed in product([4, 16, 64, 256, 1024], [0, 1], [1, 7])
]
DIVISORS = [np.ones_like, np.log, np.sqrt, np.copy]
DIMS = np.unique(np.round(2 ** (2 + np.arange(81) / 10)))


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a line, a dot, a weight or a word is not the right one."""
    one = snippet("scales/constant")
    ours, rho = module("common/our_row"), one.rho
    limit = np.sqrt(2 * np.log(32))
    for state in STATES:
        d, match, seed = state.values()
        row = ours.scores(64) / 8 if seed == 1 else np.array(numbers(seed, 32))
        noise = np.sqrt(d) * row
        scores = noise.copy()
        if match:
            scores[11] = rho * d + np.sqrt(1 - rho**2) * noise[11]
        shown = show(page, "constant", READ, **state)
        high, low = shown["sizes"][0], shown["sizes"][-1]
        right = shown["level"] == ["C2" if match else "C0"]
        right &= f"d = {d}" in shown["title"]
        depth = float(re.search(r"V([\d.]+)", shown["frozen"])[1])
        right &= bool(match) or abs(low * (high / low) ** (1 - depth / 100) / limit - 1) < 1e-3
        for i, by in enumerate(DIVISORS):
            line, dot = (
                np.array(re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path), float)
                for path in shown["lines"][2 * i : 2 * i + 2]
            )
            for places, dims in ((line, DIMS), (dot, np.array([d], float))):
                sizes = (rho * dims if match else np.sqrt(dims)) / by(dims)
                at = [np.log(dims / 4) / np.log(256), np.log(high / sizes) / np.log(high / low)]
                right &= places.shape == (len(dims), 2)
                right = right and np.allclose(
                    places, np.transpose([at[0] * 1000, at[1] * 100]), atol=0.0501
                )
            divisor = float(by(np.array(float(d))))
            size = (rho * d if match else np.sqrt(d)) / divisor
            weights = softmax(scores / divisor)
            row = shown["rows"][i]
            share = re.search(PERCENT, row["words"])[1]
            right = right and is_share(share, weights[11] if match else weights.max())
            right &= printed(re.search(r"(?:mean|spread) ([\d.]+)", row["words"])[1], size)
            right &= ("match" in row["words"]) == bool(match)
            right &= not i or printed(re.search(r"= ([\d.]+)", row["title"])[1], divisor)
            heights, own = (
                [float(h) / 100 for h in re.findall(r"v-([\d.]+)", path)] for path in row["bars"]
            )
            right = right and np.allclose(heights, weights, atol=DRAWN)
            right &= len(own) == match
            right = right and np.allclose(own, weights[11] if match else [], atol=DRAWN)
        if not right:
            yield f"{state}: {shown}"


WRONG = [
    ("Math.sqrt(d)*g", "d*g"),
    ("rho*d+", "rho*Math.sqrt(d)+"),
    ("Math.sqrt(1-rho*rho)*", ""),
    ("rho*at:Math.sqrt(at)", "rho*at:at"),
    ("Math.log]", "Math.log2]"),
    ("score/by(d)", "score"),
]
