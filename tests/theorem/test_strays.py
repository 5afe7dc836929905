"""How far a score strays: the bands and the bound, tried on drawn scores."""

import math
import re

import numpy as np

from tests.conftest import PROJECT
from tests.theorem.draws import all_coordinates
from tests.tolerance import agrees, close


def test_strays(snippet):
    page = snippet("theorem/strays")
    for d, band in zip(page.dims[:6], page.band[:6], strict=True):
        share = all_coordinates(np.random.default_rng(d), d, page.rho, 20_000) / d
        error = math.sqrt(0.01 * 0.99 / len(share))
        outside = np.array([np.mean(share < band[0]), np.mean(share > band[1])])
        assert agrees(outside, 0.01, error)
        straying = abs(share - page.rho) >= page.bound[page.dims.index(d)]
        assert np.mean(straying) < 0.02
    z = np.random.default_rng(1).standard_normal((2, 200_000))
    outside = np.mean(z[0] * z[1] > page.never[1])
    assert agrees(outside, 0.01, math.sqrt(0.01 * 0.99 / z.shape[1]))
    variance = np.array(page.dims) * (1 + page.rho**2)
    over = np.sqrt(2 * np.log(100) * variance) + 2 * np.log(100) * 0.65
    assert close(page.bound * page.dims, over)


def test_the_variance_decides_and_not_the_eigenvalues(snippet):
    page = snippet("theorem/strays")
    for d in (16, 1024):
        rng, first = np.random.default_rng(d), np.ones(d)
        first[0] = d**0.25
        q = rng.standard_normal((4000, d))
        k = page.rho * q + math.sqrt(1 - page.rho**2) * rng.standard_normal((4000, d))
        square = (np.sum(first * q * k, axis=1) / d - page.rho * (d - 1 + first[0]) / d) ** 2
        error = square.std() / math.sqrt(len(square))
        assert agrees(page.grows[d] ** 2, square.mean(), error)
        assert not agrees(1 + page.rho**2, square.mean(), error), "as for d z₁z₂"


def test_the_bounds_hold_where_the_score_is_constant():
    # The quarter turn, and the query 0: S = 0, as is the bound on it. With ≥ the pages would say
    # that 1 is at most 2e^(−ℓ), for any ℓ.
    for page, start in (("theorem", r"P\Big(|S - \operatorname{tr}C| "), ("variance", "P(|S| ")):
        text = (PROJECT.root / f"docs/{page}.md").read_text("utf-8")
        (sign,) = re.findall(re.escape(start) + r"(>|\\ge)", text)
        beyond = {">": np.greater, r"\ge": np.greater_equal}[sign](abs(0.0), 0.0)
        assert not beyond or "Fix a query that is not 0." in text, page


def test_in_probability_too():
    # The fourth moment of a mean and a form is at most 21 times the square of the second.
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(2000):
        value = rng.standard_normal(int(rng.integers(1, 5))) ** 3
        two, three, four = (
            2 ** (j - 1) * math.factorial(j - 1) * np.sum(value**j) for j in (2, 3, 4)
        )
        mean = rng.uniform(-2, 2) * math.sqrt(two)
        fourth = four + 3 * two**2 + 4 * mean * three + 6 * mean**2 * two + mean**4
        worst = max(worst, fourth / (two + mean**2) ** 2)
    assert 15 < worst <= 21, "3, as for a Gaussian"
