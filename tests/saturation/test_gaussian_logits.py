"""The quadrature: closed forms for two keys, simulations, and the mean maximum."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, softmax

from tests.saturation.draws import close, draw, is_mean, jacobian_squares

CASES = [(2, 0.01), (3, 8.0), (16, 2.0), (512, 8.0)]
CASES += [(10**6, 0.05), (10**6, 8.0), (10**6, 100.0), (10**100, 1.0)]


@pytest.mark.parametrize(("n", "sigma"), CASES)
def test_the_weights_add_up_to_1(exact, n, sigma):
    assert close(exact.mean_power_sum(n, sigma, 1), 1, 1e-12)
    if n < 10**100:  # there one factor L more or less is nothing
        wrong = n * exact.integral(sigma, n - 2, (1,))
        assert not close(wrong, 1, 1e-12), "a factor L too few"


def two_keys(sigma, f):
    """Average f(p, 1 − p, x) over the lead x of the better of two keys: x = |N(0, 2)|."""

    def integrand(x):
        p, rest = expit(sigma * x), expit(-sigma * x)
        return 2 * stats.norm.pdf(x, scale=math.sqrt(2)) * f(p, rest, x)

    ends = [0, *(c / sigma for c in (1, 3, 10, 30) if c < 9 * sigma), 13]
    parts = [integrate.quad(integrand, *ends, epsrel=1e-11)[0] for ends in itertools.pairwise(ends)]
    return sum(parts)


def entropy_of_two(p, q, lead):
    return -p * math.log(p) - q * (math.log(p) - lead)


@pytest.mark.parametrize("sigma", [0.1, 1.0, 8.0])
def test_closed_forms_for_two_keys(exact, sigma):
    forms = {
        "trace": (exact.trace, lambda p, q, x: 2 * p * q, 1e-9),
        "jacobian_square": (exact.jacobian_square, lambda p, q, x: 4 * (p * q) ** 2, 1e-9),
        "along": (exact.along_query_square, lambda p, q, x: 2 * (p * q * x) ** 2, 1e-9),
        "largest": (exact.largest, lambda p, q, x: p, 2e-6),
        "entropy": (exact.entropy, lambda p, q, x: entropy_of_two(p, q, sigma * x), 1e-9),
        "mean_log_sum": (exact.mean_log_sum, lambda p, q, x: sigma * x / 2 - math.log(p), 1e-9),
    }
    for name, (route, form, tolerance) in forms.items():
        assert close(route(2, sigma), two_keys(sigma, form), tolerance), name
        # One score's spread in place of the difference's.
        assert not close(route(2, sigma / math.sqrt(2)), two_keys(sigma, form), tolerance), name


@pytest.mark.parametrize(("n", "sigma"), [(3, 8.0), (16, 1.0), (64, 3.0), (512, 8.0)])
def test_averages_fit_a_simulation(exact, n, sigma):
    draws = 200_000 // n + 4000
    g, p = draw(n, n, sigma, draws)
    centred = g - np.sum(p * g, axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(p > 0, p * np.log(p), 0), axis=1)
    samples = {
        "mean_power_sum": np.sum(p**2, axis=1),
        "trace": 1 - np.sum(p**2, axis=1),
        "jacobian_square": jacobian_squares(p),
        "along_query_square": np.sum((p * centred) ** 2, axis=1),
        "entropy": entropy,
        "largest": p.max(axis=1),
        "mean_log_sum": np.log(np.sum(np.exp(sigma * g), axis=1)),
    }
    for name, sample in samples.items():
        more = (2,) if name == "mean_power_sum" else ()
        route = getattr(exact, name)
        assert is_mean(route(n, sigma, *more), sample), name
        # The wrong temperature: d for √d at d = 64, and none.
        assert not is_mean(route(n, sigma / 8, *more), sample), name
        assert not is_mean(route(n, sigma * 8, *more), sample), name


def test_a_million_keys(exact):
    n, draws = 10**6, 30
    for sigma in (1.0, 3.0):
        same, largest = [], []
        for seed in range(draws):
            p = softmax(sigma * np.random.default_rng(seed).standard_normal(n))
            same.append(np.sum(p**2))
            largest.append(p.max())
        assert is_mean(exact.mean_power_sum(n, sigma, 2), np.array(same))
        assert is_mean(exact.largest(n, sigma), np.array(largest))
        assert not is_mean(exact.mean_power_sum(n, sigma * 1.1, 2), np.array(same))


def test_mean_maximum(exact):
    closed = {2: 1 / math.sqrt(math.pi), 3: 1.5 / math.sqrt(math.pi)}
    for n, value in closed.items():
        assert close(exact.mean_maximum(n), value)
        assert not close(exact.mean_maximum(n), math.sqrt(2 * math.log(n)))


@pytest.mark.parametrize("n", [2, 16, 512])
def test_the_density_of_ties_is_the_mean_maximum(exact, n):
    def ties(x):
        return stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** (n - 2)

    density = n * (n - 1) * integrate.quad(ties, -9, 9, points=[0, 2, 3])[0]
    assert close(density, exact.mean_maximum(n), 1e-8)
    assert not close(density / 2, exact.mean_maximum(n), 1e-8), "unordered pairs"
