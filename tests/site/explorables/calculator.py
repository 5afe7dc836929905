"""The calculator: the spread at the start of any set-up, and what is said of it."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import PERCENT, is_share, numbers, printed, show

READ = """shown => ({
    words: ['.found', 'ul'].map(part => shown.querySelector(part).innerText).join('\\n'),
    own: shown.querySelector('.own').getAttribute('d'),
    bars: [...shown.querySelectorAll('.split path')].map(path => path.getAttribute('d')),
    rows: [...shown.querySelectorAll('.split p')].map(row => row.textContent),
    known: shown.querySelector('.gauge .known').getAttribute('d'),
    handle: parseFloat(shown.querySelector('.handle').style.left),
    cold: shown.querySelector('.cold').getAttribute('d'),
    hidden: [...shown.querySelectorAll('[hidden] input')].map(field => field.name),
    wrong: [...shown.querySelectorAll('[aria-invalid=true]')].map(field => field.name),
    pressed: [...shown.querySelectorAll('[aria-pressed=true]')].map(part => part.textContent),
    values: shown.values,
})"""
MODEL = {"d": 64, "H": 12, "D": 768, "rule": 0, "norm": 0, "by": 0, "s": 0.03, "x": 0.2, "n": 512}
STATES = [
    *(
        MODEL | {"rule": rule, "d": d, "n": n}
        for rule, d, n in product(range(7), [64, 80], [2, 64])
    ),
    *(MODEL | {"norm": norm, "by": by} for norm, by in product(range(4), range(7))),
    *(MODEL | {"by": 6, "x": x, "n": n} for x, n in product([0.002, 0.01, 4, -9], [16, 65536])),
    MODEL | {"H": 20, "rule": 2},
    MODEL | {"D": 12288, "rule": 5},
    MODEL | {"d": 63, "H": 1, "n": 2**20},
    MODEL | {"d": 2, "norm": 2, "n": 700},
    *(MODEL | {"by": 6, "x": x, "n": n, "seed": 7} for x, n in product([0.4, 1], [300, 4096])),
]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the set-ups for which a number is not what the snippet or the quadrature gives."""
    start = module("your-model/start")
    participation = cache(module("saturation/gaussian_logits").participation)
    ours = module("common/our_row").scores() / 8
    known = [model["spread"] for _, model in snippet("your-model/calculator").known]
    names = [list(table) for table in (start.RULES, start.NORMS, start.SCALES)]
    for state in STATES:
        rule, norm, by = (
            table[state[key]] for table, key in zip(names, ("rule", "norm", "by"), strict=True)
        )
        d, heads, n = state["d"], state["H"], state["n"]

        def spread(size, state=state, rule=rule, norm=norm, by=by):
            heads = state["H"] * state["d"] / size
            found = start.spread(size, heads, state["D"], rule, by, norm, state["s"], state["x"])
            return abs(found)

        sigma, limit = spread(d), np.sqrt(2 * np.log(n))
        scale = start.SCALES[by](state["D"], d, state["x"])
        shown = show(page, "calculator", READ, **state)
        words = re.sub(r"(?<=\d),(?=\d{3})", "", shown["words"])
        one, keys, of = re.search(
            r"(?s)([\d.]+)\s+is the spread.*\s([\d.]+) of (\d+) keys take part", words
        ).groups()
        state_said = re.search(r"take part\n(.*)", words)[1]
        states = {"frozen": sigma > limit, "flat": participation(n, sigma) > 0.95 * n}
        expected = next((name for name, holds in states.items() if holds), None)
        share, freezes = re.search(
            rf"This is ([\d.]+) times ([\d.]+), where {n} keys freeze", words
        ).groups()
        sizes = [
            size for size in (d / 2, 2 * d) if size % 1 == 0 and (norm != "LayerNorm" or size > 1)
        ]
        others = re.search(r"With heads of (.*) at the same width: ([\d. and]*)(.*)", words)
        level = float(re.search(r"scale=([-\d.e]+) would give a spread of 1", words)[1])
        (own,), (cold,) = (
            re.findall(rf"{letter}([\d.]+)", shown[name])
            for letter, name in (("^M", "own"), ("H", "cold"))
        )
        place = np.clip(500 + 100 * np.log2([sigma, limit, *known]), 0, 1000)
        seed = state.get("seed", 1)
        z = ours if seed == 1 else np.array(numbers(seed, 32))
        name = "Our row" if seed == 1 else f"Draw {seed}"
        factors = {f"{name}, scaled": np.sign(scale) * sigma, "Unscaled": sigma / abs(scale)}
        ticks = map(float, re.findall(r"M([\d.]+) ", shown["known"]))
        if (
            not printed(one, sigma)
            or not printed(keys, participation(n, sigma))
            or int(of) != n
            or not printed(freezes, limit)
            or not printed(share, sigma / limit)
            or state_said != (expected or "neither frozen nor flat")
            or others[1] != " and ".join(f"{size:.0f}" for size in sizes)
            or not all(map(printed, others[2].split(" and "), map(spread, sizes)))
            or others[3]
            != (", thanks to 1/√d" if by == "1/√d" and rule_of_the_width(rule, norm) else "")
            or abs(level / (scale / sigma) - 1) > 6e-4
            or ("favours keys that match least" in words) != (scale < 0)
            or ("not the width" in words) != (scale > 0 and heads * d != state["D"])
            or not np.allclose([float(own), float(cold), *ticks], place, atol=0.0501)
            or abs(shown["handle"] - float(own) / 10) > 1e-3
            or not all(map(is_row, shown["rows"], shown["bars"], factors, factors.values(), [z, z]))
            or set(shown["hidden"])
            != {"s", "x"} - {"s" if rule == "deviation" else ""} - {"x" if by == "number" else ""}
            or shown["wrong"]
            or {key: shown["values"][key] for key in state} != state
        ):
            yield f"{state}: {shown}"


def is_row(words: str, path: str, name: str, spread: float, z: np.ndarray) -> bool:
    """Tell whether words and bars are the weights of logits that spread so far."""
    weights = softmax(spread * z)
    found = re.fullmatch(
        rf"{name}: {PERCENT} to key (\d+), as if ([\d.]+) of {z.size} took part", words
    )
    steps = np.array(re.findall(r"V(-?[\d.]+)H([\d.]+)", path), float)
    return bool(
        found
        and is_share(found[1], weights.max())
        and int(found[2]) == weights.argmax() + 1
        and printed(found[3], 1 / np.sum(weights**2))
        and np.allclose(0.45 * (1 - steps[:, 0] / 100), weights, atol=1e-4)
        and np.allclose(steps[:, 1], 1000 / z.size * np.arange(1, z.size + 1))
    )


def rule_of_the_width(rule: str, norm: str) -> bool:
    """Tell whether 1/√d makes the size of a head drop out."""
    return norm == "RMSNorm" or (norm == "none" and rule not in ("Xavier, one head", "T5"))


WRONG = [
    ("2/(D+3*h*d)", "2/(D+3*d)"),
    ("1/(3*D)", "1/(2*D)"),
    ("1/(D*d**0.5)", "1/(D*d)"),
    ("(d*d)/(d-1)", "d"),
    ("(d,D)=>D**-0.5", "(d,D)=>d**-0.5"),
    ("d*v*v", "v*v"),
    ("e*e*Math.exp(-e)", "e*Math.exp(-e)"),
    ("(n-1)", "n"),
    ("0.95", "0.9"),
    ("Math.sqrt(2*Math.log(n))", "Math.log(n)"),
    ("(h*d)/size", "h"),
    ("scaled(d)<0", "scaled(d)>0"),
    ("sigma / limit", "limit / sigma"),
    ("spread*key", "key"),
    ("Math.sign(scaled(d))*sigma", "sigma"),
    ("sigma,this.bare", "sigma,sigma"),
    ("seed === 1 ? row", "seed === 2 ? row"),
    ("readNumber(x)", "1"),
    ("gaussian(seed)", "gaussian(1)"),
]
