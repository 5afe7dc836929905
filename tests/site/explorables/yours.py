"""The reader's own numbers: the products and their sum, the weights, and what a step changes."""

import re
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import DRAWN, PERCENT, is_share, printed, show

READ = """shown => ({
    product: shown.querySelector('.product').textContent,
    box: shown.querySelector('.stack').getAttribute('viewBox'),
    stack: [...shown.querySelectorAll('.stack path')].map(path => path.getAttribute('d')),
    found: shown.querySelector('.found').innerText,
    rows: [...shown.querySelectorAll('.all p')].map(row => ({
        words: [...row.children].map(part => part.textContent),
        drawn: [...row.querySelectorAll('path')].map(path => path.getAttribute('d')),
        own: row.className === 'own',
    })),
    moves: shown.querySelector('.moves').textContent,
    told: shown.querySelector('.told').textContent,
    pressed: [...shown.querySelectorAll('[aria-pressed=true]')].map(part => part.textContent),
    words: shown.words,
})"""
ROW = {"q": [2, -1, 0.5, 1], "k": [1.5, 0.5, -2, 3], "z": [14, 10, 12], "m": [], "by": 8, "cap": 0}
STATES = [
    *(ROW | {"t": t, "by": by} for t in (1, 2, 3) for by in (1, 8, 64)),
    *(ROW | {"t": t, "by": by, "cap": 5} for t in (1, 2) for by in (1, 8)),
    ROW | {"t": 1, "z": [50, 10, 5], "by": 1},
    ROW | {"t": 3, "z": [50, 10, 5], "by": 1, "m": [0, 1, 1]},
    ROW | {"t": 1, "z": [50, 10, 5], "by": 0.5, "m": [0, 1, 1]},
    ROW | {"t": 2, "z": [1, 1, 1, 5], "by": 1, "m": [0, 1, 0, 0]},
    ROW | {"t": 2, "z": [9000, -9000], "by": 1, "cap": 30, "q": [3], "k": [-0.001]},
    ROW | {"t": 33, "z": [*np.linspace(-3, 4, 64).round(3)], "by": 1.5, "q": [0, 0], "k": [1, 2]},
    ROW | {"t": 2, "z": [8, -1e4, 0.1], "m": [1, 0, 1]},
    ROW | {"t": 2, "z": [0, 0], "q": [-30] * 8, "k": [30, 1, -2, 7, 0.125, 3, -4, 5]},
]


def read(text: str) -> float:
    """Give a number as the panel writes it."""
    return float(text.replace("−", "-").replace("+", ""))


def writes(text: str, value: float) -> bool:
    """Tell whether a text is a value to three digits, or to the whole number."""
    return abs(read(text) - value) <= max(5.1e-3 * abs(value) / 1.02, 0.51 * (abs(value) > 999))


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a number, a bar or a word is not what Python gives."""
    for state in STATES:
        shown = show(page, "yours", READ, **state)
        wrong = [*of_vectors(shown, state), *of_row(shown, state)]
        if wrong:
            yield f"{state}: {wrong}: {shown}"


def of_vectors(shown: dict, state: dict) -> Iterator[str]:
    """Yield what is wrong with the products."""
    products = np.multiply(state["q"], state["k"])
    sums = np.cumsum(products)
    parts = shown["product"].removeprefix("q·k = ").split(" = ")
    terms = [
        float(number) * (-1 if sign == "−" else 1)
        for sign, number in re.findall(r"([+−]?) ?([\d.]+(?:e−?\d+)?)", parts[-2])
    ]
    factors = re.findall(r"([\d.]+(?:e−?\d+)?)·([\d.]+(?:e−?\d+)?)", parts[0])
    if not writes(parts[-1], sums[-1]):
        yield "score"
    if len(products) > 1 and not all(map(writes, map(str, terms), products)):
        yield "products"
    if not np.allclose(
        [[read(x), read(y)] for x, y in factors], np.abs([state["q"], state["k"]]).T, rtol=6e-3
    ):
        yield "factors"
    bars = [
        tuple(map(float, bar))
        for path in shown["stack"][:2]
        for bar in re.findall(r"M([-\d.e]+) ([-\d.e]+)v([-\d.e]+)h.84", path)
    ]
    begins = sums - products
    expected = [
        (i + 0.08, -begins[i], -products[i]) for i in range(len(products)) if products[i] != 0
    ]
    if not np.allclose(sorted(bars), expected, atol=1e-9):
        yield "bars"
    if any(float(rise) > 0 for rise in re.findall(r"v([-\d.e]+)", shown["stack"][0])):
        yield "colours"
    _, top, wide, high = map(float, shown["box"].split())
    if wide != len(products) or top > -max(0, *sums) or top + high < -min(0, *sums):
        yield "box"


def softmax(state: dict, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give logits, weights, and how each logit answers to its score."""
    u = scores / state["by"]
    cap = state["cap"]
    logits = cap * np.tanh(u / cap) if cap else u
    slope = (1 / np.cosh(np.clip(u / cap, -300, 300)) ** 2 if cap else 1) / state["by"]
    powers = np.exp(logits - logits.max()) * (np.array(state["m"]) if state["m"] else 1)
    if not powers.any():  # those that may be seen are far below the others
        powers = np.exp(logits - np.max(logits[np.array(state["m"]) == 1])) * np.array(state["m"])
    return logits, powers / powers.sum(), slope * np.ones(len(scores))


def of_row(shown: dict, state: dict) -> Iterator[str]:
    """Yield what is wrong with the row."""
    scores, own = np.array(state["z"], float), state["t"] - 1
    seen = np.array(state["m"] or np.ones(len(scores)), bool)
    logits, p, slope = softmax(state, scores)
    step = -p * p[own] * slope
    step[own] = p[own] * np.delete(p, own).sum() * slope[own]
    _, after, _ = softmax(state, scores + step)
    top, alone = np.argmax(p), seen.sum() == 1

    def share(text: str, i: int) -> bool:
        if alone or not seen[i]:
            return text == ("100%" if seen[i] else "0%")
        return is_share(text.removesuffix("%"), max(p[i], 1e-300))

    for i, row in enumerate(shown["rows"]):
        words, _, weight, moved = row["words"]
        said = re.fullmatch(r"(\d+): ([−\d.e]+|−inf)(?: → ([−\d.e]+))?(, hidden)?", words)
        drawn = [
            float(re.search(r"(?:M0 1h|^M)([\d.]+)", path)[1]) / 1000 if path else None
            for path in row["drawn"]
        ]
        if (
            int(said[1]) != i + 1
            or (said[2] == "−inf") != (not seen[i] and scores[i] == -1e4)
            or (said[2] != "−inf" and not writes(said[2], scores[i]))
            or (said[3] and not writes(said[3], logits[i]))
            or (said[3] is None) != (not seen[i] or logits[i] == scores[i])
            or bool(said[4]) == seen[i]
            or not share(weight, i)
            or not writes(moved, step[i])
            or (drawn[1] is None) == seen[i]
            or not np.allclose(drawn[0], p[i], atol=DRAWN)
            or (seen[i] and not np.allclose(drawn[1], after[i], atol=DRAWN))
            or row["own"] != (i == own)
        ):
            yield f"row {i}"
    if len(shown["rows"]) != len(scores):
        yield "keys"

    big, key, count, of = re.search(
        r"(\S+%)\s+goes to key (\d+)\s+as if ([\d.]+) of (\d+) keys?", shown["found"]
    ).groups()
    if not (
        share(big, top)
        and np.isclose(p[int(key) - 1], p[top])
        and printed(count, 1 / np.sum(p**2))
        and int(of) == seen.sum()
    ):
        yield "found"
    entropy, many, most = re.search(
        r"Entropy ([\d.]+), of at most ln (\d+) = ([\d.]+)\. ", shown["moves"]
    ).groups()
    exact = -np.sum(p[p > 0] * np.log(p[p > 0]))
    if not (
        printed(entropy, exact) and int(many) == seen.sum() and printed(most, np.log(seen.sum()))
    ):
        yield "entropy"
    moves = re.search(
        rf"weight on key {own + 1} moves its score by (\S+), and its weight (?:from (\S+) to (\S+)"
        r"|stays at (\S+), to three digits) \(the mark\)\.$",
        shown["moves"],
    )
    if moves:
        before, then = moves[2] or moves[4], moves[3] or moves[4]
        if not writes(moves[1], step[own]) or not (
            alone or (near(before, p[own]) and near(then, after[own]))
        ):
            yield "moves"
    if bool(moves) != seen[own]:
        yield "hidden"
    if shown["found"].split("%")[0] not in shown["words"] or shown["moves"] not in shown["words"]:
        yield "words"


def near(text: str, share: float) -> bool:
    """Tell whether a text is a share in percent to three digits, or beyond what can be printed."""
    number = float(re.search(PERCENT, text)[1].lstrip("<>"))
    if text[0] in "<>":
        return is_share(text.removesuffix("%"), share)
    return abs(number - 100 * share) <= 5.1e-3 * 100 * share + 1e-9 or is_share(
        text.removesuffix("%"), share
    )


WRONG = [
    ("x*k[i]", "x+k[i]"),
    ("sums[i] - products[i]", "sums[i]"),
    ("cap*Math.tanh(x/by/cap)", "cap*Math.tanh(x/cap)"),
    ("Math.cosh(x/by/cap)**-2", "Math.cosh(x/by/cap)**-1"),
    (":1)/by;", ":1);"),
    ("x+step[i]", "x+2*step[i]"),
    ("?x:-Infinity", "?x:0"),
    ("p*Math.log(p)", "p*Math.log2(p)"),
    ("?others:", "?1:"),
    ("isSeen||x!==HIDES", "isSeen"),
    ("weight*weight", "weight"),
    ("1000 * after[i]", "1000 * weights[i]"),
    ("Math.log(count)", "Math.log(z.length)"),
]
