"""The phase plane: the mean largest weight, the border, the point and the models' pins."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import show

READ = """shown => ({
    words: shown.querySelector('.found').innerText,
    border: shown.querySelector('.map path').getAttribute('d'),
    point: ['left', 'bottom'].map(side => parseFloat(shown.querySelector('.point').style[side])),
    pins: [...shown.querySelectorAll('.pin')].map(pin => [
        pin.textContent, pin.matches('.frozen'),
        parseFloat(pin.style.left), parseFloat(pin.style.bottom)
    ]),
})"""
GPT_2 = (768 * 0.02**2) ** 2  # its Var q · Var k
STATES = [
    {"n": n, "d": d, "a": a, "v": v}
    for n, d, a, v in product([2, 45, 512, 16384], [1, 23, 64, 1024], [0, 0.25, 0.5], [1, GPT_2])
]
# Between the places of the map, straight lines take the place of a curve.
MEAN = 0.012


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which the mean, the phase or the border is not the right one."""
    largest = cache(module("saturation/gaussian_logits").largest)
    models = snippet("saturation/plane").explore["models"]
    for state in STATES:
        n, d, a, v = state.values()
        shown = show(page, "plane", READ, **state)
        words = re.search(r"([\d.]+)%.*(shared|frozen): .* variance ([\d.]+)", shown["words"], re.S)
        percent, phase, variance = float(words[1]), words[2], float(words[3])
        square = v * d ** (1 - 2 * a)
        border = []
        for place in re.findall(r"[ML](\d+) ([-\d.]+)", shown["border"]):
            x, y = map(float, place)
            keys, dimensions = 2 ** (1 + 13 * x / 1000), 2 ** (10 * (1 - y / 1000))
            head = dimensions / v  # upwards is the variance before the division, v d
            border.append(v * head ** (1 - 2 * a) / (2 * np.log(keys)))
        where = 100 * np.array([(np.log2(n) - 1) / 13, max(0, np.log2(v * d) / 10)])
        if (
            abs(percent / 100 - largest(n, np.sqrt(square))) > MEAN
            or phase != ("frozen" if square > 2 * np.log(n) else "shared")
            or abs(variance - square) > (0.0501 if square < 100 else 0.501)
            or len(border) != (51 if a < 0.5 else 0)
            or not np.allclose(border, 1, atol=1e-3)
            or not np.allclose(shown["point"], where, atol=1e-2)
            or [pin[:2] for pin in shown["pins"]]
            != [[m, own * d ** (1 - 2 * a) > 2 * np.log(n)] for m, n, d, own in models[:-1]]
            or not np.allclose(
                [pin[2:] for pin in shown["pins"]],
                [[(np.log2(n) - 1) / 0.13, 10 * np.log2(own * d)] for _, n, d, own in models[:-1]],
                atol=1e-2,
            )
        ):
            yield f"{state}: {shown}"


WRONG = [
    ("octaves*(0.5-a)", "octaves*(0.45-a)"),
    ("(Math.log2(sigma)+3)*4", "(Math.log2(sigma)+2.8)*4"),
    ("2*Math.LN2", "2.1*Math.LN2"),
    ("/(1-2*a)", "/(1-a)"),
]
