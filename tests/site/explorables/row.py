"""Real rows: weights, arcs and the words about them, from the stored scores."""

import re
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, printed, show

READ = """shown => ({
    title: shown.querySelector('.title').textContent,
    words: shown.querySelector('.found').innerText,
    sentence: shown.querySelector('select').selectedOptions[0].textContent,
    keys: [...shown.querySelectorAll('.sums p > :first-child')].map(part => part.textContent),
    shares: [...shown.querySelectorAll('.sums b')].map(part => part.textContent),
    bars: [...shown.querySelectorAll('.sums p svg')].map(svg =>
        [...svg.querySelectorAll('path')].map(path => path.getAttribute('d'))),
    arcs: [...shown.querySelectorAll('.arcs path')].map(path =>
        [path.getAttribute('d'), path.getAttribute('stroke-width')]),
    heads: [...shown.querySelectorAll('.acts .bars path')].map(path => path.getAttribute('d')),
    pressed: [...shown.querySelectorAll('button')].filter(
        part => part.ariaPressed === 'true').map(part => part.textContent),
})"""
# The divisor's exponent with what the snippet calls it; the head; the sentence; and the word.
STATES = [
    *((a, h, 0, 2) for a in (0, 0.25, 0.5, 0.9, 1) for h in range(3)),
    *((0.5, h, 5, h % 10 + 1) for h in range(12)),
    *(
        (a, 0, s, 10)
        for s, a in enumerate([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.95, 1])
    ),
    (0.5, 5, 7, 1),
    (1, 11, 11, 5),
]
BY = {0: "1", 0.5: "√d", 1: "d"}
NAME = {"1": "undivided", "√d": "÷ √d", "d": "÷ d"}


def drawn(pattern: str, path: str) -> list[float]:
    """Read all numbers of a path that a pattern finds."""
    return [float(number) for number in re.findall(pattern, path)]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a weight, a bar or a word is not what the stored scores give."""
    row, table = snippet("trained/row"), module("common/stored").read("trained/scores.csv")
    asked = module("common/stored").lines("trained/asked.txt")
    for a, h, s, w in STATES:
        head, by = row.all_heads[h], BY.get(a)

        def shared(head, power, s=s, w=w):
            layer, at = map(int, head.split("."))
            of = (table["sentence"] == s) & (table["layer"] == layer) & (table["head"] == at)
            return softmax(np.array(table["scores"][of][w - 1].split(), float) / 32**power)

        weights, trained = shared(head, a), shared(head, 0.5)
        if by and (s, w) == (0, 2) and h < 3:  # as the snippet has it
            assert np.allclose(weights, row.weights[head][by])
        shown = show(page, "row", READ, a=a, head=h, sentence=s, word=w)
        lengths = [
            [
                float(re.match(r"(?:M0 1h|M)([\d.]+)(?:v18H0z| 0v20)$", bar)[1]) / 1000
                for bar in bars
            ]
            for bars in shown["bars"]
        ]
        # Each arc begins at the word that asks, and ends at its key; that to itself surrounds it.
        ends = [
            re.match(r"M100 ([\d.]+)C.* 100 ([\d.]+)$", path).groups() for path, _ in shown["arcs"]
        ]
        ends = np.array(ends, float)
        places = [[w + 0.5, key + 0.5] if key != w else [w + 0.25, w + 0.75] for key in range(12)]
        little = [drawn(r"v-([\d.]+)h", path) for path in shown["heads"]]
        words = re.search(
            PERCENT + r"\s+.*goes to “(.+)”\s+as if ([\d.]+) of (\d+)", shown["words"]
        )
        size = re.search(r"= ([\d.]+)", shown["title"])
        keys = ["[CLS]", *table["query"][table["sentence"] == s][:10], "[SEP]"]
        if (
            not np.allclose(lengths, np.transpose([weights, trained]), atol=DRAWN)
            or not all(
                is_share(share.removesuffix("%"), weight)
                for share, weight in zip(shown["shares"], weights, strict=True)
            )
            or not np.allclose(ends, places)
            or not np.allclose(
                [float(wide) for _, wide in shown["arcs"]], 16 * weights, atol=0.0051
            )
            or not np.allclose(
                little, [100 * shared(each, a) for each in row.all_heads], atol=100 * DRAWN
            )
            or not is_share(words[1], weights.max())
            or words[2] != keys[weights.argmax()]
            or not printed(words[3], 1 / np.sum(weights**2))
            or int(words[4]) != len(weights)
            or not shown["title"].startswith(f"“{keys[w]}” in head {head}, ")
            or ("as trained" in shown["words"]) != (by == "√d")
            or (not printed(size[1], 32**a) if a else size)
            or shown["keys"] != keys
            or shown["sentence"] != asked[s]
            or shown["pressed"] != [keys[w], *([NAME[by]] if by else []), f"head {head}"]
        ):
            yield f"{a}, {head}, {s}, {w}: {shown}"


WRONG = [
    ("d**power", "d**(1.01*power)"),
    ("(d ** a)", "(d * a)"),
    ("1000*weight", "900*weight"),
    ("weight*weight", "weight"),
    ("divided(head,0.5)", "divided(head,0.6)"),
    ("word-1", "word-2"),
    ("16*weights", "15*weights"),
    ("bars(divided(i,a))", "bars(divided(i,0.5))"),
]
