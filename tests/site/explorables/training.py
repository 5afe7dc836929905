"""Which divisor keeps what: sizes at the start and of a step, from all seeds."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import show

READ = """shown => ({
    rows: [...shown.querySelectorAll('.pair p:not(.of)')]
        .map(row => [...row.children].map(part => part.textContent)),
    lines: [...shown.querySelectorAll('.graph path:not(.at)')].map(path => path.getAttribute('d')),
    at: shown.querySelector('.at').getAttribute('d'),
    handle: shown.querySelector('.handle').style.left,
    pressed: [...shown.querySelectorAll('button')].filter(e => e.ariaPressed === 'true')
        .map(e => e.textContent),
})"""
STATES = [
    {"steps": steps, "d": d, "by": by, "zero": zero}
    for steps, d, by, zero in product([0, 1, 4, 10], [32, 128, 512], range(3), range(2))
]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a line, a size or a word is not what the layer gave."""
    layer = snippet("training/training")
    names, starts = ["nothing", "√d", "d"], ["random", "WQ = 0"]
    for state in STATES:
        steps, d, by, zero = state.values()
        here = layer.dims.index(d)
        # From all seeds, and not from the rounded table that the script is given.
        sizes = [
            layer.begin[by, zero].mean(axis=0),
            layer.moved[by, zero, :, :, steps].mean(axis=0),
        ]
        shown = show(page, "training", READ, **state)
        right = float(re.match(r"M([\d.]+) 0V100", shown["at"])[1]) == 200 * here
        right &= float(shown["handle"].removesuffix("%")) == 20 * here
        right &= shown["pressed"] == [names[by], starts[zero]]
        for row, size in enumerate(sizes):
            _, values, verdict = shown["rows"][row]
            line, dots = shown["lines"][2 * row : 2 * row + 2]
            places = [tuple(map(float, at)) for at in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", line)]
            right &= re.findall(r"M([^M]+)h0", dots) == re.findall(r"[ML]([^L]+)", line)
            if not size.any():
                right &= not places and values == "0 → 0" and verdict == "0 for all"
                continue
            x, y = np.transpose(places)
            drawn = 10 ** (2 - y / 25)  # from 100 at the top to 0.01
            right &= np.allclose(x, np.arange(6) * 200)
            right &= np.allclose(drawn, size, rtol=0.007)
            printed_sizes = [float(value) for value in values.split(" → ")]
            right &= np.allclose(printed_sizes, size[[0, here]], rtol=0.051, atol=0.0051)
            ratio = size[here] / size[0]
            if verdict == "alike":
                right &= 0.88 < ratio < 1.13
            else:
                number = float(re.search(r"[\d.]+(?= times|$)", verdict)[0])
                right &= abs(max(ratio, 1 / ratio) / number - 1) < 0.05
                right &= ("times" in verdict) == (ratio > 1)
        if not right:
            yield f"{state}: {shown}"


WRONG = [
    ("Math.log(high/low)", "Math.log(high)"),
    ("zero?0:start[by][i]", "start[by][i]"),
    ("added[by][zero]", "added[by][0]"),
    ("[i][steps]", "[i][10]"),
    ("size[here]/size[0]", "size[0]/size[here]"),
    ("ratio>1?", "ratio>2?"),
]
