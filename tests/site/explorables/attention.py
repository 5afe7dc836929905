"""Who gets the attention: the weights of two rows, and the words about them."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, numbers, printed, show

READ = """shown => [...shown.querySelectorAll('.row')].map(row => ({
    title: row.querySelector('.title').textContent,
    words: row.querySelector('.found').innerText,
    bars: [...row.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    ticks: row.querySelector('.strip path').getAttribute('d'),
}))"""
STATES = [
    {"d": d, "n": n, "a": a, "r": r, "seed": seed}
    for d, n, a, r in product([1, 4, 64, 1024], [2, 32, 512], [0, 0.25, 0.5, 1], [0, 0.3, 1])
    for seed in ([0, 7] if d == 64 else [0])
]


def attention(given: list[float], d: int, n: int, a: float, r: float, seed: int):
    """Give the weights that must be shown, and the place of the aligned key, if any."""
    drawn = numbers(seed, n)
    g = [*given, *drawn][:n] if seed == 0 else drawn
    scores = np.sqrt(d) * np.array(g)
    own = None
    if r:
        # k = ρq + √(1 − ρ²) z, and |q|² = d
        scores[-1] = r * d + np.sqrt(1 - r**2) * scores[-1]
        own = n - 1
    return softmax(scores / d**a), own


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which the weights, or the words about them, are not the right ones."""
    given = snippet("index/attention").explore["g"].tolist()
    for state in STATES:
        for row, a in zip(show(page, "attention", READ, **state), (0, state["a"]), strict=True):
            weights, own = attention(given, **state | {"a": a})
            heights = [float(h) / 100 for h in re.findall(r"v-?([\d.]+)", row["bars"][0])]
            shown = np.argmax(weights) if own is None else own
            share = weights[shown]
            keys = 1 / np.sum(weights**2)
            who = r"key (\d+)" if own is None else "the aligned key()"
            words = re.search(
                rf"{PERCENT}\s+goes to {who}\s+as if ([\d.]+) of (\d+) keys", row["words"]
            )
            if (
                len(heights) != len(weights)
                or np.abs(heights - weights).max() > DRAWN
                or not words
                or not is_share(words[1], share)
                or (own is None and weights[int(words[2]) - 1] != share)  # others may have the same
                or not printed(words[3], keys)
            ):
                yield f"{state}: {row['words']}"


WRONG = [
    ("d**power", "d**(1.01*power)"),
    ("r*d+", "r*Math.sqrt(d)+"),
    ("weight*weight", "weight"),
    ("Math.log(1-next())", "Math.log(1.01-next())"),
]
