"""The spread and the size of cosines and of capped logits; test_weights.py has the others."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from tests.tolerance import agrees, close, mean_and_error


@pytest.mark.parametrize("d", [4, 64, 4096])
def test_the_mean_cosine_to_three_digits(snippet, d):
    page, rng = snippet("scales/spread"), np.random.default_rng(30)
    # Of k only what lies along q, and the length of the rest.
    length, rest = np.sqrt(rng.chisquare([[d], [d - 1]], (2, 1_000_000)))
    root = math.sqrt(1 - page.rho**2)
    along = page.rho * length + root * rng.standard_normal(length.shape)
    mean, error = mean_and_error(along / np.hypot(along, root * rest))
    for name, factor in [("cosine", 1), ("10 cosine", 10), ("QK-norm", math.sqrt(d))]:
        assert agrees(factor * mean, page.aligned[name][d], factor * error)
        assert not agrees(factor * (mean + 0.01), page.aligned[name][d], factor * error)
    assert agrees(mean, page.rho, error) == (d == 4096), "it is not quite ρ"


def test_the_spread_of_a_cosine_is_exactly_one_over_root_d(snippet):
    # One coordinate of a unit vector has density ∝ (1 − c²)^((d − 3)/2).
    for d, spread in snippet("scales/spread").start["cosine"].items():
        c = 2 * stats.beta((d - 1) / 2, (d - 1) / 2).std()
        assert close(c, spread)
        assert not close(c, 1 / math.sqrt(d - 1), 1e-6)


def test_soft_cap(snippet):
    page = snippet("scales/spread")

    def capped(z):
        return 50 * math.tanh(z / 50)

    square = integrate.quad(lambda z: capped(z) ** 2 * stats.norm.pdf(z), -12, 12)[0]
    assert close(page.start["cap"][64], math.sqrt(square), 1e-8)
    assert not close(1, math.sqrt(square), 1e-8), "the cap does something"
    for d in (64, 4096):
        assert close(page.aligned["cap"][d], capped(page.rho * math.sqrt(d)))
