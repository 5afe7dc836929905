"""What a mistake costs: its factor, measured curves with a mark on each, and a row of weights."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from matplotlib.scale import SymmetricalLogTransform
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import PERCENT, is_share, printed, show

READ = """shown => {
    const texts = selector => [...shown.querySelectorAll(selector)].map(part => part.textContent)
    const drawn = selector => shown.querySelector(selector).getAttribute('d')
    const place = mark => [parseFloat(mark.getAttribute('x')), parseFloat(mark.getAttribute('y'))]
    const curves = [...shown.querySelectorAll('.costs span')].map(span => {
        const hue = span.className
        return {
            hue, said: span.textContent,
            line: drawn(`.curve.${hue}`), bars: drawn(`.errors.${hue}`),
            marks: [...shown.querySelectorAll(`.graph g.${hue}:not(.rides) > svg`)].map(place),
            rides: place(shown.querySelector(`.rides.${hue} > svg`)),
        }
    })
    return {
        curves,
        title: texts('.title')[0], losing: texts('.losing')[0], grip: texts('.grip')[0],
        at: drawn('.at'), left: parseFloat(shown.querySelector('.grip').style.left),
        slider: +shown.querySelector('[name=times]').value,
        rows: texts('.split p'),
        parts: ['C0', 'C1'].map(row => drawn(`.split path.${row}`)),
        buttons: texts('[data-act=preset] small'),
        pressed: [...shown.querySelectorAll('[aria-pressed=true]')].map(b => b.firstChild.data),
    }
}"""
FREE = (0.25, 0.297, 0.3, 1, 1.22, 3.36, 4)


def floats(pattern: str, text: str) -> np.ndarray:
    """Return the numbers that a pattern finds in a text, a row for each place."""
    return np.array(re.findall(pattern, text), float)


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a number or a line is not what the tables and formulas give."""
    cost, factors = snippet("mistakes/cost"), module("mistakes/factors").FACTORS
    axis = SymmetricalLogTransform(10, cost.linear, 0.8)
    low, high = axis.transform(np.array(cost.losses))

    def down(loss):
        return 100 * (high - axis.transform(np.asarray(loss))) / (high - low)

    across = 100 * np.log(cost.factor / cost.factor[0]) / np.log(cost.factor[-1] / cost.factor[0])
    names, hues = [*factors], [*cost.cost]
    states = [
        {"kind": kind, "d": d, "h": h}
        for kind, d, h in product(range(len(names)), (16, 64, 256), (1, 8, 128))
    ]
    states += [{"kind": -1, "times": times, "d": 16, "h": 1} for times in FREE]
    for state in states:
        shown, d, h = show(page, "cost", READ, **state), state["d"], state["h"]
        at = [float(factors[name](d, h)) for name in names]
        name = names[state["kind"]] if "times" not in state else None
        factor = at[state["kind"]] if name else shown["slider"]
        if not name:  # a stop of the slider: 32 of them in an octave
            factor = float(f"{2 ** (shown['slider'] / 32 - 2):.3g}")
            right = abs(np.log2(factor / state["times"])) < 1 / 60
        else:
            right = True
        end = np.clip(factor, cost.factor[0], cost.factor[-1])
        for words in (shown["title"], shown["grip"]):
            right &= abs(float(re.search(r"× ([\d.e-]+)", words)[1]) / factor - 1) < 6e-3
        right &= shown["title"].startswith(f"{name or 'Your own factor'}: all logits")
        inside = abs(np.log(end / factor)) < 1e-3
        right &= ("Measured from" in shown["losing"]) == (not inside)
        right &= inside or f" at {end:g} right" in shown["losing"]
        right &= ("←" in shown["grip"]) == (not inside and factor < 1)
        right &= ("→" in shown["grip"]) == (not inside and factor > 1)
        place = 100 * np.log(end / cost.factor[0]) / np.log(cost.factor[-1] / cost.factor[0])
        right &= abs(shown["left"] - place) < 0.1
        right &= abs(floats(r"M([\d.]+)", shown["at"])[0] / 10 - place) < 0.1
        right &= abs(shown["slider"] - 1.28 * place) < 0.6
        found = floats(r"([\d.]+)", " ".join(shown["buttons"]))
        right &= len(found) == len(at) and np.allclose(found, at, rtol=6e-3)

        right &= len(shown["curves"]) == len(cost.cost)
        for curve in shown["curves"]:
            model = hues[int(curve["hue"][1])]  # of the same colour as in the static figure
            by, error = cost.cost[model], 2 * cost.error[model]
            label = model if model == "SmolLM2" else f"decoder, {model}"
            line = floats(r"[ML]([\d.]+) ([\d.]+)", curve["line"])
            bars = floats(r"M([\d.]+) ([-\d.]+)V([-\d.]+)", curve["bars"])
            points = np.c_[across, down(by)]
            right &= np.allclose(line / (10, 1), points, atol=0.02)
            right &= np.allclose(curve["marks"], points, atol=0.02)
            spans = np.c_[across, down(by - error), down(by + error)]
            right &= np.allclose(bars / (10, 1, 1), spans, atol=0.03)
            x, y = curve["rides"]
            on = np.interp(x, *(line / (10, 1)).T)
            right &= abs(x - place) < 0.1 and abs(y - on) < 0.02
            lost = axis.inverted().transform(np.array(high - (high - low) * on / 100))
            said = re.search(rf"^ *{re.escape(label)} ([+−]?)([\d.]+)$", curve["said"])
            right &= abs(float(said[2]) - abs(lost)) < 0.0052 + 0.002 * abs(lost)
            right &= said[1] == ("" if said[2] == "0.00" else "−" if lost < 0 else "+")

        for by, words, parts in zip((1, factor), shown["rows"], shown["parts"], strict=True):
            weights = softmax(cost.row * by)
            found = re.search(PERCENT + r" to key (\d+), as if ([\d.]+) of 32", words)
            right &= is_share(found[1], max(weights)) and int(found[2]) == weights.argmax() + 1
            right &= printed(found[3], 1 / np.sum(weights**2))
            steps = floats(r"V(-?[\d.]+)H([\d.]+)", parts)
            right &= np.allclose(0.45 * (1 - steps[:, 0] / 100), weights, atol=3e-5)
            right &= np.allclose(steps[:, 1], 1000 / 32 * np.arange(1, 33), atol=0.01)
        if not right or shown["pressed"] != ([name] if name else []):
            yield f"{state}: {shown}"


WRONG = [
    ("(d/h)**0.5", "(h/d)**0.5"),
    ("h**-0.5", "d**-0.5"),
    ("d**0.25", "d**0.2"),
    ("d**0.5/8", "d**0.5/9"),
    ("Math.LOG2E", "Math.LN2"),
    ("Math.log(at[i]/at[i-1])", "(at[i]/at[i-1])"),
    ("by[i] + off", "by[i]"),
    ("decades*loss", "loss"),
    ("linear*10**", "10**"),
    ("100*(high-height)", "100*(high-1.002*height)"),
    ("this.on(by,end)", "this.on(by,1)"),
    ("score*by", "score/by"),
    ("x < 0", "x > 0"),
]
