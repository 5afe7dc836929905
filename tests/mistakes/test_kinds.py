"""The factors of the kinds, from logits; the keys at the start, by drawing rows."""

import re

import numpy as np
import pytest
from scipy.special import softmax

from tests.conftest import PROJECT
from tests.tolerance import agrees, close, mean_and_error


def by_code(d, heads, rng):
    """Give what each kind's code makes of q·k for heads of d, and what is right."""
    q, k = rng.standard_normal((2, heads, 6, d))
    product = q @ k.mT
    width = heads * d
    return {
        "times √d": product / d**-0.5,
        "no scale": product,
        "1/√heads": product / np.sqrt(len(q)),
        "one fourth root": (q * d**-0.25) @ k.mT,
        "log₂e too much": product / np.sqrt(d) / np.log(2),
        "1/8, typed": product * 0.125,
        "1/√width": product / np.sqrt(width),
        "scaled twice": (q / np.sqrt(d)) @ k.mT / np.sqrt(d),
    }, product / np.sqrt(d)


def test_the_factors_are_those_of_the_logits(snippet):
    kinds = snippet("mistakes/kinds")
    assert {len(by) for by in kinds.factor.values()} == {len(kinds.shapes)}
    for shape, (d, heads) in kinds.shapes.items():
        wrong, right = by_code(d, heads, np.random.default_rng(d))
        assert wrong.keys() == kinds.factor.keys()
        for name, logits in wrong.items():
            assert close(logits, kinds.factor[name][shape] * right, 1e-9)
            assert not close(logits, 1.01 * kinds.factor[name][shape] * right, 1e-3)
    assert kinds.here == {name: by["12 × 64"] for name, by in kinds.factor.items()}


def test_the_factors_of_one_model(snippet):
    """From what each report says of sizes; YaRN's factor once and twice."""
    others = snippet("mistakes/kinds").others
    mscale = {times: 0.1 * np.log(times) + 1 for times in (16, 128)}
    assert close(round(mscale[128], 4), 1.4852)
    assert close(round(mscale[128] ** 2, 4), 2.2058)
    # cos and sin carry it, on q and on k: so logits have its square, or its fourth power.
    assert close(others["YaRN's factor twice"], mscale[128] ** 4 / mscale[128] ** 2)
    assert close(round(mscale[16], 3), 1.277)
    assert close(others["YaRN's factor where none belongs"], mscale[16] ** 2)
    sizes = {
        "absorbed MLA, 576 for 256": (576, 256),
        "packed QKV, 192 for 128": (7680 // 40, 128),
        "padded, 128 for 96": (128, 96),
    }
    for name, (used, right) in sizes.items():
        assert close(others[name], used**-0.5 / right**-0.5)
        assert not close(others[name], used**0.5 / right**0.5, 1e-2)
    assert close(others["scale of 1 dropped, d = 256"], 1 / 16)


@pytest.mark.parametrize("name", ["right", "1/√width", "1/√heads", "no scale", "scaled twice"])
def test_the_keys_that_take_part_by_drawing(snippet, name):
    kinds = snippet("mistakes/kinds")
    spread = 1 if name == "right" else kinds.here[name]
    z = spread * np.random.default_rng(1).standard_normal((4000, kinds.n_keys))
    squares, error = mean_and_error(np.sum(softmax(z, axis=1) ** 2, axis=1))
    assert agrees(1 / kinds.keys[name], squares, error)
    assert not agrees(1.2 / kinds.keys[name], squares, error)


def test_the_quadrature_meets_the_other_chapters(snippet, module):
    kinds = snippet("mistakes/kinds")
    participation = module("saturation/gaussian_logits").participation
    for name, factor in (kinds.here | kinds.others).items():
        assert close(kinds.keys[name], participation(kinds.n_keys, min(64, factor)), 1e-5)


def test_in_the_shape_that_the_page_proposes_no_wrong_scale_is_right(module):
    page = (PROJECT.root / "docs/mistakes.md").read_text("utf-8")
    h, d, n = map(int, re.search(r"(\d+) heads of (\d+) and (\d+) tokens", page).groups())

    def closest(d, h, n):
        others = {"tokens": n, "packed": 3 * d, "8/d": d * d / 64, "number of heads": h * h}
        factors = module("mistakes/factors").FACTORS
        found = [by(d, h) for by in factors.values()]
        found += [(d / size) ** 0.5 for size in others.values()]
        return min(abs(np.log(factor)) for factor in found)

    assert closest(d, h, n) > 0.05
    assert closest(16, 4, 64) < 1e-9
    assert closest(64, 64, 50) < 1e-9
