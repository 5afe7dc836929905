"""A row as its scores are spread out: by sums of exponentials; another row's spread fails."""

import math

import numpy as np


def test_the_bands(snippet, module):
    page, scores = snippet("saturation/freezes"), module("common/our_row").long_scores
    g = [score / math.sqrt(np.mean((scores - np.mean(scores)) ** 2)) for score in scores]
    for spread, piled in zip(page.spreads[::5], page.bands[::5], strict=True):
        powers = sorted((math.exp(spread * x - spread * max(g)) for x in g), reverse=True)
        assert np.allclose(piled, np.cumsum(powers)[:12] / math.fsum(powers))
        if spread < 16:
            squares = np.square(powers)
            assert not np.allclose(piled, np.cumsum(squares)[:12] / sum(squares))


def test_how_many_take_part(snippet, module):
    page = snippet("saturation/freezes")
    scores = module("common/our_row").long_scores
    for name, spread in {
        "÷ √d": 1,
        "freezing": math.sqrt(math.log(512**2)),
        "undivided": 8,
    }.items():
        powers = [math.exp(spread * score / np.std(scores)) for score in scores]
        expected = math.fsum(powers) ** 2 / math.fsum(x * x for x in powers)
        assert math.isclose(page.keys_at[name], expected)
        assert not math.isclose(
            page.keys_at[name], 1 / max(powers) * math.fsum(powers), rel_tol=0.1
        )
