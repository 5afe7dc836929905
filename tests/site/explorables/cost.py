"""What a mistake costs: its factor, a row of weights, and the loss between measured points."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, printed, show

READ = """shown => ({
    titles: [...shown.querySelectorAll('.title')].map(part => part.textContent),
    words: [...shown.querySelectorAll('.found')].map(part => part.innerText),
    bars: [...shown.querySelectorAll('.bars path')].map(path => path.getAttribute('d')),
    costs: shown.querySelector('.costs').textContent,
    pressed: [...shown.querySelectorAll('[aria-pressed=true]')].map(part => part.textContent),
})"""


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a number is not what the tables and the formulas give."""
    cost, factors = snippet("mistakes/cost"), module("mistakes/factors").FACTORS
    for (kind, name), d, h in product(enumerate(factors), (16, 64, 256), (1, 8, 128)):
        factor = float(factors[name](d, h))
        shown = show(page, "cost", READ, kind=kind, d=d, h=h)
        said = re.search(r"logits × ([\d.e-]+)$", shown["titles"][1])
        wrong = abs(float(said[1]) / factor - 1) > 6e-3
        for by, words, bars in zip((1, factor), shown["words"], shown["bars"], strict=True):
            weights = softmax(cost.row * by)
            heights = [float(each) / 100 for each in re.findall(r"v-?([\d.]+)h", bars)]
            found = re.search(PERCENT + r"\s+goes to one key\s+as if ([\d.]+) of 32", words)
            wrong |= not np.allclose(heights, weights, atol=DRAWN)
            wrong |= not is_share(found[1], weights[0])
            wrong |= not printed(found[2], 1 / np.sum(weights**2))
        inside = cost.factor[0] <= factor <= cost.factor[-1]
        at = np.log(np.clip(factor, cost.factor[0], cost.factor[-1]))
        wrong |= ("where measuring ended" in shown["costs"]) == inside
        for model, by in cost.explore["cost"].items():
            found = re.search(rf"[:;] {re.escape(model)} ([+−])([\d.]+\d)", shown["costs"])
            value = np.interp(at, np.log(cost.factor), by)
            wrong |= not printed(found[2], abs(value))
            wrong |= (found[1] == "−") != (value < 0)
        if wrong or shown["pressed"] != [name]:
            yield f"{name}, {d}, {h}: {shown}"


WRONG = [
    ("(d/h)**0.5", "(h/d)**0.5"),
    ("h**-0.5", "d**-0.5"),
    ("d**0.25", "d**0.2"),
    ("d**0.5/8", "d**0.5/9"),
    ("Math.LOG2E", "Math.LN2"),
    ("Math.log(at[i]/at[i-1])", "(at[i]/at[i-1])"),
    ("score*by", "score/by"),
    ("x < 0", "x > 0"),
]
