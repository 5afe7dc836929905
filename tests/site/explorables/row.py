"""One real row: its weights and the words about them, from the stored scores."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, printed, show

READ = """shown => ({
    title: shown.querySelector('.title').textContent,
    words: shown.querySelector('.found').innerText,
    keys: [...shown.querySelectorAll('.sums span')].map(part => part.textContent),
    shares: [...shown.querySelectorAll('.sums b')].map(part => part.textContent),
    bars: [...shown.querySelectorAll('.sums svg')].map(svg =>
        [...svg.querySelectorAll('path')].map(path => path.getAttribute('d'))),
    pressed: [...shown.querySelectorAll('button')].map(part => part.ariaPressed),
})"""


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a weight, a bar or a word is not what the stored scores give."""
    row = snippet("trained/row")
    for h, (a, by) in product(
        range(3), [(0, "1"), (0.25, None), (0.5, "√d"), (0.9, None), (1, "d")]
    ):
        head, scores = [*row.scores.items()][h]
        weights, trained = softmax(np.array(scores) / 32**a), row.weights[head]["√d"]
        if by:  # as the snippet has it
            assert np.allclose(weights, row.weights[head][by])
        shown = show(page, "row", READ, a=a, head=h)
        lengths = [
            [
                float(re.match(r"(?:M0 1h|M)([\d.]+)(?:v18H0z| 0v20)$", bar)[1]) / 1000
                for bar in bars
            ]
            for bars in shown["bars"]
        ]
        words = re.search(PERCENT + r"\s+goes to “(.+)”\s+as if ([\d.]+) of (\d+)", shown["words"])
        size = re.search(r"= ([\d.]+)", shown["title"])
        if (
            not np.allclose(lengths, np.transpose([weights, trained]), atol=DRAWN)
            or not all(
                is_share(share.removesuffix("%"), weight)
                for share, weight in zip(shown["shares"], weights, strict=True)
            )
            or not is_share(words[1], weights.max())
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


WRONG = [
    ("d**power", "d**(1.01*power)"),
    ("divided(0.5)", "divided(0.6)"),
    ("(d ** a)", "(d * a)"),
    ("1000*weight", "900*weight"),
    ("weight*weight", "weight"),
]
