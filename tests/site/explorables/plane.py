"""The phase plane: the mean largest weight, the curve, the point and the models' pins."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from playwright.sync_api import Page
from scipy.special import softmax

from tests.site.explorables import DRAWN, PERCENT, is_share, numbers, printed, show

READ = """shown => ({
    words: shown.querySelector('.found').innerText,
    drawn: shown.querySelector('.drawn').textContent,
    bar: parseFloat(shown.querySelector('.bars path').getAttribute('d').split('v-')[1]),
    border: shown.querySelector('.map path').getAttribute('d'),
    point: ['left', 'bottom'].map(side => parseFloat(shown.querySelector('.point').style[side])),
    pins: [...shown.querySelectorAll('.pin')].map(pin => [
        pin.textContent, pin.matches('.frozen'), pin.matches('.other'),
        parseFloat(pin.style.left), parseFloat(pin.style.bottom)
    ]),
})"""
# Variances of the models: GPT-2's and Llama 3's Var q · Var k, and T5's, which is the least.
VARIANCES = [1, (768 * 0.02**2) ** 2, (4096 * 0.02**2) ** 2, 1 / 64]
STATES = (
    [
        {"n": n, "d": d, "a": a, "v": v}
        for n, d, a, v in product([2, 32, 512, 16384], [1, 23, 64, 1024], [0, 0.3, 0.5], VARIANCES)
    ]
    + [  # the models as their buttons set them
        {"n": n, "d": d, "a": a, "v": v}
        for n, d, v in zip([1024, 8192, 512], [64, 128, 64], VARIANCES[1:], strict=True)
        for a in (0, 0.25, 0.5)
    ]
)


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which the mean, the phase or the curve is not the right one."""
    largest = cache(module("saturation/gaussian_logits").largest)
    models = snippet("saturation/plane").explore["models"]
    for state in STATES:
        n, d, a, v = state.values()
        shown = show(page, "plane", READ, **state)
        words = re.search(
            PERCENT + r".*(shared|frozen): .* variance ([\d.]+), and .* is ([\d.]+)",
            shown["words"],
            re.DOTALL,
        )
        square, limit = v * d ** (1 - 2 * a), 2 * np.log(n)
        draw = softmax(np.sqrt(square) * np.array(numbers(1, n)))
        border = []
        for place in re.findall(r"[ML](\d+) ([-\d.]+)", shown["border"]) if a < 0.5 else []:
            x, y = map(float, place)
            keys, dimensions = 2 ** (1 + 13 * x / 1000), 2 ** (10 * (1 - y / 1000))
            head = dimensions / v  # upwards is the variance before the division, v d
            border.append(v * head ** (1 - 2 * a) / (2 * np.log(keys)))
        # Divided by √d all scores have the variance v: the curve, if any, goes straight up.
        freezing = 1000 * (v / (2 * np.log(2)) - 1) / 13
        straight = re.fullmatch(r"M([\d.]+) 0V1000", shown["border"])
        where = 100 * np.array([(np.log2(n) - 1) / 13, np.clip(np.log2(v * d) / 10, 0, 1)])
        pins = [
            (m, own * d ** (1 - 2 * a) > 2 * np.log(n), a > 0 and own != v)
            for m, n, d, own in models[:-1]
        ]
        if (
            not is_share(words[1], largest(float(n), float(np.sqrt(square))))
            or words[2] != ("frozen" if square > limit else "shared")
            or not printed(words[3], square)
            or not printed(words[4], limit)
            or not is_share(re.search(PERCENT, shown["drawn"])[1], draw.max())
            or abs(shown["bar"] / 100 - draw.max()) > DRAWN
            or len(border) != (51 if a < 0.5 else 0)
            or not np.allclose(border, 1, atol=1e-3)
            or bool(straight) != (a == 0.5 and freezing > 0)
            or (straight and abs(float(straight[1]) - freezing) > 0.0501)
            or not np.allclose(shown["point"], where, atol=1e-2)
            or [tuple(pin[:3]) for pin in shown["pins"]] != pins
            or not np.allclose(
                [pin[3:] for pin in shown["pins"]],
                [[(np.log2(n) - 1) / 0.13, 10 * np.log2(own * d)] for _, n, d, own in models[:-1]],
                atol=1e-2,
            )
        ):
            yield f"{state}: {shown}"


WRONG = [
    ("variance**(0.5-a)", "variance**(0.45-a)"),
    ("Math.log(sigma/spreads[low])", "Math.log(1.1*sigma/spreads[low])"),
    ("[-1,0,1,2].map", "[0,0,1,1].map"),
    ("2*Math.log(few", "2.1*Math.log(few"),
    ("/(1-2*a)", "/(1-a)"),
    ("Math.exp(v/2)", "Math.exp(v)"),
]
