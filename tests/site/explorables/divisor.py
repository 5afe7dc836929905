"""A divisor and five measures: the largest logit as a norm grows."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
from playwright.sync_api import Page

from tests.site.explorables import show

READ = """shown => ({
    words: ['.title', '.found b', '.found span'].map(e => shown.querySelector(e).textContent),
    lines: [...shown.querySelectorAll('.graph path')].map(path => path.getAttribute('d')),
    begins: parseFloat(shown.querySelector('.reach').style.top),
    grip: [shown.querySelector('.grip').textContent, shown.querySelector('.grip').style.left],
    pressed: [...shown.querySelectorAll('button')].findIndex(e => e.ariaPressed === 'true'),
})"""
STATES = [  # the snippet clips with √d alone
    {"steps": steps, "a": a, "times": times, "by": by}
    for steps, a, times, by in product([16, 512, 4096], [0, 0.25, 0.5, 1], [1, 64], range(6))
    if by != 4 or a == 0.5
]


def differences(page: Page, snippet, module) -> Iterator[str]:
    """Yield the states in which a line, a logit or a word is not what the snippet has."""
    one = snippet("growth/divisor")
    drawn = np.round(2 ** (4 + np.arange(81) / 10)).astype(int)
    for state in STATES:
        steps, a, times, by = state.values()
        held, free = (one.held, one.divided["√d"]) if times == 1 else (one.coarse, one.alone)
        root, s, gain = one.root, one.root ** (2 * a), 1 + one.small * times * steps
        free = free * root
        lines = [
            free / s,
            *(held[name] * root / s for name in ("norm", "norm and gain")),
            one.cap * np.tanh(free / s / one.cap),
            held["clip at 100"],
            held["weight decay"] * root / s,
        ]
        logit, bound = lines[by][steps - 1], root**2 / s
        earlier = np.argmax(free >= free[steps - 1] / s) + 1
        said = [
            [steps / earlier, earlier] if a else [],
            [bound],
            [bound, gain],
            [one.cap, free[steps - 1] / s],
            [one.tau],
            [one.bound * root / s, 1, 10],
        ][by]
        shown = show(page, "divisor", READ, **state)
        _, size, verdict = shown["words"]
        words = re.findall(r"(\d[\d,]*\.?\d*)( million)?", f"{size} {verdict}")
        words = [float(x.replace(",", "")) * (1e6 if unit else 1) for x, unit in words]
        said = [logit, *said]
        right = len(words) == len(said) and np.allclose(words, said, rtol=0.00502)
        right &= shown["pressed"] == by
        right &= by != 4 or ("nothing" in verdict) == (logit < one.tau)
        upright, back, bare, *faint, now, dot = shown["lines"]
        place = 100 * np.log(steps / 16) / np.log(256)
        right &= abs(float(re.match(r"M([\d.]+) 0V100", upright)[1]) / 10 - place) < 0.0051
        right &= shown["grip"][0] == f"‹ {steps} steps ›"
        right &= abs(float(shown["grip"][1].rstrip("%")) - place) < 0.0051
        # A line leads back to where the same logit is reached without a divisor.
        found = re.fullmatch(r"M([\d.]+) ([-\d.]+)H([\d.]+)", back)
        right &= bool(found) == (by == 0 and logit <= 1e5)
        if found:
            at = 1000 * np.log(max(16, earlier) / 16) / np.log(256)
            right &= abs(float(found[3]) - at) < 0.0501
            right &= found[2] in dot
        if a == 0.5 or by != 4:
            height = 100 * (1 - np.log10(10 * lines[by][15]) / 6)
            right &= abs(shown["begins"] - height) < 0.00501
        expected = [(bare, free, 4096), (now, lines[by], steps), (dot, lines[by], -steps)]
        expected += [(line, lines[i], 4096) for i, line in enumerate(faint) if a == 0.5 or i != 4]
        for line, logits, last in expected:
            at = drawn[drawn <= last] if last > 0 else np.array([steps])
            at = at[logits[at - 1] <= 1e5]
            places = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", line)
            x, y = np.reshape(np.array(places, float), (-1, 2)).T
            right &= len(x) == len(at)
            right = right and np.allclose(x, 1000 * np.log(at / 16) / np.log(256), atol=0.0501)
            heights = 100 * (1 - np.log10(10 * logits[at - 1]) / 6)
            right = right and np.allclose(y, heights, atol=0.00501)
        if not right:
            yield f"{state}: {shown['words']}"


WRONG = [
    ("Math.sign(y-alongQ*x)", "Math.sign(y)"),
    ("-decay*x)", ")"),
    ("Math.sqrt(clip/qk)", "clip/qk"),
    ("clip:clip*s", "clip"),
    ("1+rate*step", "1+rate"),
    ("free[step]/s/cap", "free[step]/cap"),
    ("s=d**a", "s=d**(1.01*a)"),
    ("decay ** 2", "decay"),
    ("this.begun=logits[by]", "this.begun=logits[0]"),
    ("Math.max(first, undivided)", "steps"),
]
