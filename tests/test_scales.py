"""The claims of docs/scales.md: each by a second route, each with a wrong variant that fails."""

import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from tests.tolerance import agrees, close, mean_and_error, variance_and_error

N = 512


def sd_and_error(sample):
    """Give the standard deviation, and the error that the scatter of the squares gives it."""
    square, error = variance_and_error(sample)
    return np.sqrt(square), error / (2 * np.sqrt(square))


def rows(sigma, n=N, samples=3000, seed=0):
    return sigma * np.random.default_rng(seed).standard_normal((samples, n))


def pairs(d, rho=0.0, samples=20_000, seed=1):
    """Draw Gaussian q and k, each pair of coordinates with correlation rho."""
    q, k = np.random.default_rng(seed).standard_normal((2, samples, d))
    return q, rho * q + np.sqrt(1 - rho**2) * k


def cosines(q, k):
    return np.sum(q * k, 1) / np.linalg.norm(q, axis=1) / np.linalg.norm(k, axis=1)


# Softmax of Gaussian logits


@pytest.mark.parametrize(("n", "sigma"), [(2, 1), (16, 0.5), (N, 1), (N, 1.9), (N, 8)])
def test_quadratures_fit_a_simulation(module, n, sigma):
    law = module("scales/gaussian_logits")
    z = rows(sigma, n)
    p = special.softmax(z, axis=1)
    for sample, exact in [
        (special.logsumexp(z, axis=1), law.mean_log_sum),
        (np.sum(p**2, axis=1), law.mean_square_weights),
        (p.max(axis=1), law.mean_largest),
    ]:
        mean, error = mean_and_error(sample)
        assert agrees(mean, exact(n, sigma), error)
        assert not agrees(mean, exact(n, 1.3 * sigma), error), "another spread"
        assert not agrees(mean, exact(2 * n, sigma), error), "other keys"


@pytest.mark.parametrize("sigma", [0.3, 1, 8])
def test_quadratures_for_two_keys(module, sigma):
    # p = 1/(1 + e^−x) with x ~ N(0, 2σ²).
    law = module("scales/gaussian_logits")

    def mean(f):
        def g(u):
            return 2 * f(special.expit(math.sqrt(2) * sigma * u)) * stats.norm.pdf(u)

        return integrate.quad(g, 0, 1 / sigma)[0] + integrate.quad(g, 1 / sigma, 12, limit=300)[0]

    assert close(law.mean_largest(2, sigma), mean(lambda p: p), 1e-7)
    assert close(law.mean_square_weights(2, sigma), mean(lambda p: p**2 + (1 - p) ** 2), 1e-7)
    assert not close(law.mean_largest(2, sigma), mean(lambda p: p**2), 1e-7)


def test_the_slope_of_the_log_sum_is_the_concentration(module):
    # E Σp² = 1 − (d/dσ) E ln Z / σ: two of the quadratures check each other.
    law = module("scales/gaussian_logits")
    for n, s in [(16, 1.0), (N, 1.0), (N, 6.0)]:
        step = 1e-4
        slope = (law.mean_log_sum(n, s + step) - law.mean_log_sum(n, s - step)) / (2 * step)
        assert close(1 - slope / s, law.mean_square_weights(n, s), 1e-6)
        assert not close(1 - slope, law.mean_square_weights(n, s) + (s == 1), 1e-6)


def test_quadratures_at_the_ends(module):
    law = module("scales/gaussian_logits")
    assert close(law.mean_log_sum(N, 1e-9), math.log(N))
    assert close(N * law.mean_square_weights(N, 1e-9), 1)
    assert close(N * law.mean_largest(N, 1e-9), 1, 1e-7)
    # 1 − E max p → ln 2 · E max/σ; the next term is of order 1/σ².
    lack = (1 - law.mean_largest(N, 100)) * 100 / (math.log(2) * law.mean_maximum(N))
    assert abs(lack - 1) < 0.02
    assert abs(lack * math.log(2) - 1) > 0.02
    assert close(law.mean_log_sum(N, 100) / 100, law.mean_maximum(N), 1e-3)
    assert close(law.mean_maximum(2), 1 / math.sqrt(math.pi))
    assert close(law.mean_maximum(3), 1.5 / math.sqrt(math.pi))


# The rivals


@pytest.mark.parametrize("d", [4, 64, 256])
def test_spread_and_size_of_every_rival(snippet, d):
    page = snippet("scales/spread")
    divisors = {
        "1": 1,
        "log d": math.log(d),
        "√d": math.sqrt(d),
        "d": d,
        "d/8": d / 8,
        "d⁵": d**5,
        "exp πd": math.exp(min(math.pi * d, 700)),
        "log n": math.sqrt(d) / math.log(N),
    }
    for rho, table in [(0.0, page.start), (page.rho, page.aligned)]:
        q, k = pairs(d, rho)
        dot = np.sum(q * k, axis=1)
        value, error = mean_and_error(dot) if rho else sd_and_error(dot)
        for name, f in divisors.items():
            if name == "exp πd" and d > 64:
                continue
            assert agrees(value / f, table[name][d], error / f)
            assert not agrees(value / f * 1.2, table[name][d], error / f)
            if rho == 0:
                assert agrees(value / f, 1, error / f) == (name == "√d" or (name, d) == ("d/8", 64))
        cosine = cosines(q, k)
        value, error = mean_and_error(cosine) if rho else sd_and_error(cosine)
        for name, factor in [("cosine", 1), ("10 cosine", 10), ("QK-norm", math.sqrt(d))]:
            assert agrees(value * factor, table[name][d], error * factor)
        assert not agrees(value, table["√d"][d], error)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_each_divisor_holds_constant(snippet, place):
    page = snippet("scales/constant")
    d = page.dims[place]
    divisors = {"undivided": 1, "÷ √d": math.sqrt(d), "÷ d": d}
    spread, spread_error = sd_and_error(np.sum(np.multiply(*pairs(d)), axis=1))
    size, size_error = mean_and_error(np.sum(np.multiply(*pairs(d, page.rho)), axis=1))
    for name, f in divisors.items():
        assert agrees(spread / f, page.spread[name][place], spread_error / f)
        assert agrees(size / f, page.size[name][place], size_error / f)
        # The fifth part of a bar would be seen.
        assert not agrees(1.2 * spread / f, page.spread[name][place], spread_error / f)
        assert not agrees(1.2 * size / f, page.size[name][place], size_error / f)
    # "No function of d answers both": what is level above is not below.
    level = [
        {name for name, bars in row.items() if np.ptp(bars) < 1e-9}
        for row in (page.spread, page.size)
    ]
    assert level == [{"÷ √d"}, {"÷ d"}]


@pytest.mark.parametrize("d", [2, 5, 64])
@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_mean_cosine(module, d, rho):
    sample = cosines(*pairs(d, rho, 60_000, seed=d))
    mean, error = mean_and_error(sample)
    assert agrees(mean, module("scales/rivals").mean_cosine(d, rho), error)
    if d < 64:
        assert not agrees(mean, rho, error), "it is not quite ρ"


def test_the_spread_of_a_cosine_is_exactly_one_over_root_d():
    # The law of one coordinate of a unit vector: density ∝ (1 − c²)^((d − 3)/2).
    for d in (4, 64):
        c = 2 * stats.beta((d - 1) / 2, (d - 1) / 2).var() ** 0.5
        assert close(c, 1 / math.sqrt(d))
        assert not close(c, 1 / math.sqrt(d - 1), 1e-4)


def test_soft_cap(snippet):
    page = snippet("scales/spread")

    def capped(z):
        return 50 * math.tanh(z / 50)

    square = integrate.quad(lambda z: capped(z) ** 2 * stats.norm.pdf(z), -12, 12)[0]
    assert close(page.start["cap"][64], math.sqrt(square), 1e-8)
    assert not close(1, math.sqrt(square), 1e-8), "the cap does something"
    for d in (64, 4096):
        assert close(page.aligned["cap"][d], capped(page.rho * math.sqrt(d)))
    q, k = pairs(64)
    value, error = sd_and_error(50 * np.tanh(np.sum(q * k, axis=1) / 8 / 50))
    assert agrees(value, page.start["cap"][64], error)


def test_digits_of_the_exponential(snippet):
    assert math.floor(snippet("scales/spread").exp_digits) + 1 == 88
    # 22/7 > π > 333/106, so this holds from both sides.
    for about_pi in (Fraction(333, 106), Fraction(22, 7)):
        assert 10.0**87 < math.exp(64 * about_pi) < 10.0**88


def test_weights(snippet, module):
    page, spread = snippet("scales/weights"), snippet("scales/spread")
    for name, values in page.largest.items():
        for d in set(values) & {64, 4096}:
            sigma = spread.start[name][d]
            p = special.softmax(rows(sigma, samples=2000, seed=3), axis=1)
            mean, error = mean_and_error(p.max(axis=1))
            assert agrees(mean, values[d], error + 1e-10)
            mean, error = mean_and_error(np.sum(p**2, axis=1))
            assert agrees(mean, 1 / page.effective[name][d], error + 1e-10)
            if name in ("1", "log d", "√d"):
                assert not agrees(mean, 1 / N, error), "not uniform"


def test_freezing(snippet):
    page = snippet("scales/weights")
    assert close(math.exp(page.frozen**2 / 2), N)
    assert close(page.frozen_d, 2 * math.log(N))
    d = page.frozen_log_d
    assert close(math.sqrt(d), page.frozen * math.log(d))
    assert not close(math.sqrt(475), page.frozen * math.log(475), 1e-4)
    # Not by the formula: there the largest weight is near a half already, and passes it soon after.
    for name, where in (("1", page.frozen_d), ("log d", d)):
        sigma = math.sqrt(where) / (1 if name == "1" else math.log(where))
        p = special.softmax(rows(sigma, samples=2000, seed=20), axis=1)
        mean, error = mean_and_error(p.max(axis=1))
        assert 0.3 < mean - 4.5 * error < mean + 4.5 * error < 0.5
    assert page.largest["log d"][512] < 0.5 < page.largest["log d"][1024]


# What is printed, to the last digit


@pytest.fixture(scope="module")
def other(module):
    """Give the averages by another chapter's quadrature, each computed once."""
    route = module("saturation/gaussian_logits")
    names = "largest", "participation", "mean_log_sum", "mean_maximum"
    return SimpleNamespace(**{name: cache(getattr(route, name)) for name in names})


@cache
def nearly_even(sigma):
    """Give the largest weight and the keys that take part, for Z all but its mean, n e^(σ²/2)."""

    def heaviest(g):
        return stats.norm.pdf(g) * stats.norm.cdf(g) ** (N - 1) * math.exp(sigma * g)

    return integrate.quad(heaviest, -1, 9)[0] / math.exp(sigma**2 / 2), N / math.exp(sigma**2)


SPREADS = {
    "1": lambda d: mpmath.sqrt(d),
    "log d": lambda d: mpmath.sqrt(d) / mpmath.log(d),
    "√d": lambda d: mpmath.mpf(1),
    "d": lambda d: 1 / mpmath.sqrt(d),
    "d/8": lambda d: 8 / mpmath.sqrt(d),
    "d⁵": lambda d: mpmath.mpf(d) ** -4.5,
    "exp πd": lambda d: mpmath.sqrt(d) * mpmath.exp(-mpmath.pi * d),
    "cosine": lambda d: 1 / mpmath.sqrt(d),
    "10 cosine": lambda d: 10 / mpmath.sqrt(d),
    "QK-norm": lambda d: mpmath.mpf(1),
    "log n": lambda d: mpmath.log(N),
}


@pytest.mark.parametrize("d", [64, 4096])
@pytest.mark.parametrize("name", [*SPREADS, "cap"])
def test_the_table_of_scales_by_closed_forms(snippet, other, name, d):
    page, weights = snippet("scales/spread"), snippet("scales/weights")
    if name == "cap":  # a bit below 1; test_soft_cap says how much
        sigma = page.start["cap"][d]
    else:
        sigma = float(SPREADS[name](d))
        assert close(page.start[name][d] / (sigma or 1), 1 if sigma else 0)
        size = float(page.rho * mpmath.sqrt(d) * SPREADS[name](d))
        if "cosine" not in name and name != "QK-norm":
            assert close(page.aligned[name][d] / (size or 1), 1 if size else 0)
    if name == "exp πd" and d == 64:  # all weights alike
        assert close(weights.largest[name][d] * weights.n_keys, 1, 1e-6)
    if sigma > 0.1:
        largest, keys = other.largest(N, sigma), other.participation(N, sigma)
    else:
        largest, keys = nearly_even(sigma)
    assert close(weights.largest[name][d] / largest, 1, 1e-4)
    assert close(weights.effective[name][d] / keys, 1, 1e-4)
    if sigma > 0.1:
        assert not close(weights.largest[name][d] / other.largest(N, 1.01 * sigma), 1, 1e-4)


@pytest.mark.parametrize("d", [64, 4096])
def test_the_mean_cosine_to_three_digits(snippet, d):
    page, rng = snippet("scales/spread"), np.random.default_rng(30)
    # Of k only what lies along q, and the length of the rest.
    length, rest = np.sqrt(rng.chisquare([[d], [d - 1]], (2, 1_000_000)))
    root = math.sqrt(1 - page.rho**2)
    along = page.rho * length + root * rng.standard_normal(length.shape)
    mean, error = mean_and_error(along / np.hypot(along, root * rest))
    assert 4.5 * error < 6e-4
    for name, factor in [("cosine", 1), ("10 cosine", 10), ("QK-norm", math.sqrt(d))]:
        assert agrees(factor * mean, page.aligned[name][d], factor * error)
        assert not agrees(factor * (mean + 1e-3), page.aligned[name][d], factor * error)


def test_rows_of_the_audit_by_closed_forms(snippet, other):
    page = snippet("scales/audit")
    variances = {  # of a coordinate of q, and of k: D Var W
        "LeCun": (1, 1),
        "Xavier, one head": (2 * 512 / (512 + 64),) * 2,
        "Xavier, fused": (1 / 2, 1 / 2),
        "nn.Linear": (1 / 3, 1 / 3),
        "GPT-2": (768 / 2500,) * 2,
        "T5": (1 / 64, 1),
        "first cross": (1, 2 / 3),
    }
    assert variances.keys() == page.logit_sd.keys()
    for rule, (q, k) in variances.items():
        assert close([page.var_q[rule], page.var_k[rule]], [q, k])
        sigma = math.sqrt(q * k) * (8 if rule == "T5" else 1)
        assert close(page.logit_sd[rule], sigma)
        assert close(page.effective[rule] / other.participation(N, sigma), 1, 1e-6)
    for width, variance in page.fixed.items():
        assert close(variance, width / 2500)
        assert close(page.fixed_effective[width] / other.participation(N, variance), 1, 1e-6)
    assert close(page.gpt2_width, 2500)
    assert close(page.cross_sd, math.sqrt(6 / 5))
    assert close(page.linear_bias, 1 / 1536)
    assert page.first_input == 1.5
    alike = snippet("scales/resemblance")
    for c, keys in alike.effective.items():
        assert close(keys / other.participation(alike.n_keys, math.sqrt(1 - c)), 1, 1e-6)
        assert not close(keys / other.participation(N, 1 - c), 1, 1e-6) or c == 0


def test_thresholds_by_the_other_quadrature(snippet, other):
    page, match = snippet("scales/retrieval"), snippet("scales/match")
    spreads = {"√64": (64, 1), "√128": (128, 1), "1": (64, 8), "64": (64, 1 / 8)}
    for name, (d, sigma) in spreads.items():
        log_odds = page.needed[name][N] * math.sqrt(d) * sigma
        assert close(log_odds, other.mean_log_sum(N - 1, sigma), 1e-6)
    for name, factor in match.factors.items():
        log_odds = match.needed[name] * 8 * factor
        assert close(log_odds, other.mean_log_sum(N - 1, factor), 1e-6)
        assert not close(log_odds, other.mean_log_sum(N, factor), 1e-6)
    for d, n in page.capacity.items():  # the whole number
        assert other.mean_log_sum(n - 1.5, 1) < math.sqrt(d) < other.mean_log_sum(n - 0.5, 1)
    assert close(page.floor, other.mean_maximum(N - 1) / 8, 1e-6)
    assert close(page.perfect_by_d, special.expit(1 - other.mean_log_sum(N - 1, 1 / 8)), 1e-6)
    keys = snippet("scales/keys")
    for name, factor in FACTORS.items():
        assert close(keys.noise_alone[name], other.largest(N, factor(N)), 1e-4)
        assert not close(keys.noise_alone[name], other.largest(N, 1.01 * factor(N)), 1e-4)


@cache
def on_top(n, rho):
    """Give the chance that a key of correlation ρ beats n − 1 others, by the best of these."""

    def misses(x):  # the best of the others lies above x
        return -math.expm1((n - 1) * stats.norm.logcdf(x))

    def density(x):
        return stats.norm.pdf(x, 8 * rho, math.sqrt(1 - rho**2))

    return 1 - integrate.quad(lambda x: misses(x) * density(x), -4, 14, points=[8 * rho])[0]


def test_how_often_the_right_key_is_on_top(snippet):
    keys, match = snippet("scales/keys"), snippet("scales/match")
    for n, share in keys.on_top.items():
        assert close(share, on_top(n, keys.rho), 1e-6)
        assert not close(share, on_top(n + 1, keys.rho), 1e-6)
    for name, share in match.on_top.items():
        assert close(share, on_top(N, match.needed[name]), 1e-6)
    assert keys.d == 64


@cache
def log_sums(n, a):
    """Give ln Σ e^{az} over n − 1 noise scores, from even draws of all of them, none by a mean."""
    uniform = stats.qmc.Sobol(n - 1, bits=40, rng=1).random(2**13)
    return special.logsumexp(a * special.ndtri(uniform), axis=1)


def test_quantiles_of_the_weight_to_a_hundredth(snippet):
    """At a quantile, so many draws have a smaller weight, averaged over the right key's score."""
    page, match = snippet("scales/keys"), snippet("scales/match")

    def below(t, n, a, rho):
        limit = (special.logit(t) + log_sums(n, a)) / a
        return np.mean(stats.norm.cdf((limit - 8 * rho) / math.sqrt(1 - rho**2)))

    for name, quantiles in page.quantiles.items():
        for n in (64, N):
            a = FACTORS[name](n)
            found = [below(t, n, a, page.rho) for t in quantiles[n]]
            assert np.allclose(found, [0.1, 0.5, 0.9], rtol=0, atol=1e-3)
            found = [below(t, n, a, 1.02 * page.rho) for t in quantiles[n]]
            assert not np.any(np.isclose(found, [0.1, 0.5, 0.9], rtol=0, atol=1e-3))
    for name, a in match.factors.items():
        found = below(0.1, N, a, match.needed[name]), 1 - below(0.9, N, a, match.needed[name])
        printed = match.below_tenth[name], match.above_nine[name]
        assert np.allclose(found, printed, rtol=0, atol=2e-3)
    # With many keys and a factor of 1, ln Z is Gaussian, of variance (e − 1)/n.
    low, median, high = special.logit(page.quantiles["1"][16_384])
    assert close(median, 4 - math.log(16_383) - 0.5, 1e-3)
    sd = math.sqrt(1 - page.rho**2 + (math.e - 1) / 16_383)
    assert close([high - median, median - low], stats.norm.ppf(0.9) * sd, 2e-3)


# Number formats


def to_bf16(x):
    """Round a positive number to bfloat16: to 8 bits, ties to even.

    Not by way of float32, which would round twice.
    """
    if x >= (2 - 2.0**-8) * 2.0**127:
        return math.inf
    spacing = 2.0 ** max(math.frexp(x)[1] - 8, -133)
    return round(x / spacing) * spacing


ROUND = {
    "fp16": lambda x: float(np.float16(x)),
    "bf16": to_bf16,
    "fp32": lambda x: float(np.float32(x)),
    "fp64": float,
}


def power(name, d):
    return {
        "1": lambda: 1.0,
        "log d": lambda: math.log(d),
        "√d": lambda: math.sqrt(d),
        "d": lambda: float(d),
        "d/8": lambda: d / 8,
        "d⁵": lambda: float(d) ** 5,
        "exp πd": lambda: float(np.exp(np.pi * d)),
    }[name]()


@pytest.mark.parametrize("number_format", ROUND)
def test_where_formats_give_out_by_rounding_real_numbers(snippet, number_format):
    page, cast = snippet("scales/floats"), ROUND[number_format]
    with np.errstate(over="ignore"):
        for table, value, bad in [
            (page.zero, lambda f, d: math.exp(-page.gap * math.sqrt(d) / power(f, d)), 0),
            (page.equal, lambda f, d: math.exp(-math.sqrt(d) / power(f, d)), 1),
            (page.infinite, power, math.inf),
        ]:
            for f, found in table.items():
                d = found[number_format]
                if d > 1e7:
                    continue
                if number_format == "fp64" and bad == 1:
                    continue  # math.exp is not correctly rounded; see below
                assert cast(value(f, d)) == bad, (f, d)
                assert cast(value(f, d - 1)) != bad, (f, d)


@pytest.mark.parametrize("number_format", ROUND)
def test_where_formats_give_out_far_away(snippet, module, number_format):
    # Beyond 10⁷ floats no longer tell d from d − 1: in 60 digits, a billionth to either side.
    page = snippet("scales/floats")
    bits, top, bottom = module("scales/formats").FORMATS[number_format]
    tried = 0
    with mpmath.workdps(60):
        divisor = {
            "1": lambda d: mpmath.mpf(1),
            "log d": mpmath.log,
            "√d": mpmath.sqrt,
            "d": lambda d: d,
            "d/8": lambda d: d / 8,
            "d⁵": lambda d: d**5,
            "exp πd": lambda d: mpmath.exp(mpmath.pi * d),
        }

        def spreads(f, d):
            return mpmath.sqrt(d) / divisor[f](d)

        rules = [
            (
                page.zero,
                lambda f, d: mpmath.exp(-page.gap * spreads(f, d)) <= mpmath.mpf(2) ** (bottom - 1),
            ),
            (
                page.equal,
                lambda f, d: -mpmath.expm1(-spreads(f, d)) <= mpmath.mpf(2) ** -(bits + 1),
            ),
            (
                page.infinite,
                lambda f, d: divisor[f](d) >= (2 - mpmath.mpf(2) ** -bits) * mpmath.mpf(2) ** top,
            ),
        ]
        for table, bad in rules:
            for f, found in table.items():
                d = found[number_format]
                if math.isinf(d):
                    assert not bad(f, mpmath.mpf(10) ** 42), (f, d)
                elif d > 1e7:
                    tried += 1
                    far = mpmath.mpf(d) * 1e-9 if d > 1e9 else 0
                    d = mpmath.mpf(d)
                    assert bad(f, d + far), (f, d)
                    assert not bad(f, d - max(1, far)), (f, d)
                    assert not bad(f, d / 2), (f, d)
    assert tried >= 2


def test_ten_times_a_cosine(snippet, module):
    # e^{−s} rounds to 1 once it lacks half of the spacing below 1; s is 10/√d.
    for number_format, d in snippet("scales/floats").cosine.items():
        bits, _, _ = module("scales/formats").FORMATS[number_format]
        s = -mpmath.log1p(-(mpmath.mpf(2) ** -(bits + 1)))
        assert close(d / float((10 / s) ** 2), 1, 1e-6)
        assert not close(d / float(1 / s**2), 1, 1e-6), "the cosine alone"


def test_never_is_where_no_dimension_was_found(snippet):
    page, text = snippet("scales/floats"), Path("docs/scales.md").read_text("utf-8")
    tables = {"typical weight": page.zero, "infinite": page.infinite, "equal": page.equal}
    names = {
        "1": "1",
        "$\\log d$": "log d",
        "$\\sqrt d$": "√d",
        "$d$": "d",
        "$d^5$": "d⁵",
        "$e^{\\pi d}$": "exp πd",
    }
    rows = never = 0
    for line in text.splitlines():
        label, *cells = [cell.strip() for cell in line.strip("| ").split("|")]
        f = names.get(label.split(":")[0])
        table = next((v for k, v in tables.items() if k in label), None)
        if f is None or table is None or len(cells) != 3:
            continue
        rows += 1
        for number_format, cell in zip(("fp16", "bf16", "fp32"), cells, strict=True):
            assert (cell == "never") == math.isinf(table[f][number_format]), (label, number_format)
            never += cell == "never"
    assert rows == 9
    assert never == 2
    # What is said of fp64 in words.
    assert all(math.isinf(page.infinite[f]["fp64"]) for f in ("√d", "d", "d⁵"))
    assert not math.isinf(page.infinite["exp πd"]["fp64"])
    # With a spread of 1 at every d: neither 0 nor 1 in any format.
    for cast in ROUND.values():
        assert 0 < cast(math.exp(-page.gap)) < cast(math.exp(-1)) < 1


def test_equal_weights_in_fp64_in_exact_arithmetic(snippet):
    # 1 − e^−s rounds 1 − s + s²/2 …; it is 1 if the gap is at most 2^−54.
    page = snippet("scales/floats")
    for d, equal in [(4096, True), (4095, False)]:
        s = Fraction(math.isqrt(d * 10**40), 10**20) / d**5  # √d from below, to 20 digits
        gap = s - s * s / 2 + s**3 / 6
        assert (gap <= Fraction(1, 2**54)) == equal
    assert page.equal["d⁵"]["fp64"] == 4096
    d = page.equal["d"]["fp64"]
    assert close(d, 2.0**108, 1e-12)


def test_the_formats_are_those_of_numpy(module):
    formats = module("scales/formats").FORMATS
    for name, kind in [("fp16", np.float16), ("fp32", np.float32), ("fp64", np.float64)]:
        info, (bits, top, bottom) = np.finfo(kind), formats[name]
        assert info.eps == 2.0 ** (1 - bits)
        assert float(info.max) == (2 - 2.0 ** (1 - bits)) * 2.0**top
        assert float(info.smallest_subnormal) == 2.0**bottom
    bits, top, bottom = formats["bf16"]
    assert (2 - 2.0 ** (1 - bits)) * 2.0**top == to_bf16(3.3895e38)  # its largest number
    assert to_bf16(1 + 2.0**-8) == 1 < to_bf16(1 + 1.01 * 2.0**-8)  # half a spacing
    assert 2.0**bottom == 2.0 ** (-126 - (bits - 1))


def test_log_n_scaling_and_half_precision(snippet):
    page = snippet("scales/floats")
    assert np.float16(math.exp(-1.0001 * page.fp16_zero)) == 0
    assert np.float16(math.exp(-0.9999 * page.fp16_zero)) > 0
    assert close(page.log_n_gap, page.gap * 9 * math.log(2))
    assert page.log_n_gap > page.fp16_zero
    assert to_bf16(math.exp(-page.log_n_gap)) > 0


def test_first_is_the_first(module):
    first = module("scales/formats").first
    for target in (2, 3, 1000, 2**50 + 4097):
        assert first(lambda d, t=target: d >= t) == target
    assert first(lambda d: False) == math.inf


# A bound on the logits


def test_bound(snippet):
    page = snippet("scales/bound")
    for n in page.keys:
        z = np.full(n, -1.0)
        z[0] = 1
        assert close(special.softmax(z)[0], page.cosine_ceiling[n])
        z[1:] = 0
        assert not close(special.softmax(z)[0], page.cosine_ceiling[n], 1e-6)
        z[0] = page.needed[n]
        assert close(special.softmax(z)[0], 0.5)
        z[1:] = -page.needed_at_best[n]
        z[0] = page.needed_at_best[n]
        assert close(special.softmax(z)[0], 0.5)
        for place in (0, 20, 160):
            b = page.bound[place]
            best, zero = np.full(n, -b), np.zeros(n)
            best[0] = zero[0] = b
            assert close(special.softmax(best)[0], page.ceiling[n][place])
            assert close(special.softmax(zero)[0], page.against_zero[n][place])
    z = np.zeros(N)
    z[0] = 50
    assert close(special.softmax(z)[1:].sum() / page.cap_lack, 1)
    best = [special.softmax(np.r_[1.0, np.full(n - 1, -1.0)])[0] for n in (8, 9)]
    assert page.half_keys == 8
    assert best[0] > 0.5 > best[1]


def test_no_other_logits_within_the_bound_do_better(snippet):
    z = np.random.default_rng(4).uniform(-1, 1, (2000, N))
    z[:, 0] = 1
    largest = special.softmax(z, axis=1).max()
    assert largest < snippet("scales/bound").cosine_ceiling[N]
    assert special.softmax(2 * z, axis=1).max() > largest


# Initialisation


def tokens(cosine, n, D, seed=5):
    """Give n tokens that LayerNorm leaves alone, of the same cosine with each other."""
    noise = np.random.default_rng(seed).standard_normal((D, n))
    basis = np.linalg.qr(noise - noise.mean(axis=0))[0].T  # rows that add up to 0
    gram = D * (cosine + (1 - cosine) * np.eye(n))
    return np.linalg.cholesky(gram) @ basis


def draw(rng, shape, rule):
    """Draw a matrix as the library does, from the rule's own definition."""
    rows, columns = shape
    if rule == "LeCun":
        return rng.standard_normal(shape) / np.sqrt(columns)
    if rule == "GPT-2":
        return 0.02 * rng.standard_normal(shape)
    bound = {
        "Xavier, one head": np.sqrt(6 / (rows + columns)),
        "Xavier, fused": np.sqrt(6 / (3 * columns + columns)),
        # kaiming_uniform_ with a = √5: gain √(2/(1 + 5)), bound gain·√(3/fan_in).
        "nn.Linear": np.sqrt(2 / (1 + 5)) * np.sqrt(3 / columns),
    }[rule]
    return rng.uniform(-bound, bound, shape)


@pytest.mark.parametrize(
    "rule",
    ["LeCun", "Xavier, one head", "Xavier, fused", "nn.Linear", "GPT-2", "T5", "first cross"],
)
@pytest.mark.parametrize("same", [False, True], ids=["two tokens", "one token"])
def test_audit(snippet, rule, same):
    page, rng = snippet("scales/audit"), np.random.default_rng(6)
    D, d = (768 if rule == "GPT-2" else 512), 64
    x, y = tokens(0.3, 2, D)
    y = x if same else y
    q, k = [], []
    for _ in range(150):
        if rule == "T5":
            q.append(rng.standard_normal((d, D)) @ x / np.sqrt(D * d))
            k.append(rng.standard_normal((d, D)) @ y / np.sqrt(D))
        elif rule == "first cross":
            # One head's rows of a square matrix, and of one with K and V below each other.
            square, double = np.sqrt(6 / (D + D)), np.sqrt(6 / (2 * D + D))
            q.append(rng.uniform(-square, square, (d, D)) @ x)
            k.append(rng.uniform(-double, double, (d, D)) @ y)
        else:
            q.append(draw(rng, (d, D), rule) @ x)
            k.append(draw(rng, (d, D), rule) @ y)
    q, k = np.array(q), np.array(k)
    variance, error = mean_and_error(q.ravel() ** 2)
    assert agrees(variance, page.var_q[rule], error)
    assert not agrees(variance, 2 * page.var_q[rule], error)
    if rule not in ("LeCun", "first cross"):
        assert not agrees(variance, 1, error), "'safe to assume unit variance'"
    variance, error = mean_and_error(k.ravel() ** 2)
    assert agrees(variance, page.var_k[rule], error)
    if rule != "LeCun" and rule != "T5":
        assert not agrees(variance, 1, error)
    # All pairs of a drawn q with a drawn k are fair draws of a score; pair them once each.
    score = np.sum(q * k, axis=1) * (1 if rule == "T5" else 1 / 8)
    sd, error = sd_and_error(score)
    assert agrees(sd, page.logit_sd[rule], error)
    assert not agrees(sd / np.sqrt(8), page.logit_sd[rule], error), "√D for √d"


def test_audit_without_normalisation_fails(snippet):
    page, rng = snippet("scales/audit"), np.random.default_rng(7)
    x = 2 * tokens(0.3, 2, 512)[0]
    q = np.array([draw(rng, (64, 512), "LeCun") @ x for _ in range(50)])
    variance, error = mean_and_error(q.ravel() ** 2)
    assert not agrees(variance, page.var_q["LeCun"], error)
    assert agrees(variance / 4, page.var_q["LeCun"], error / 4)


def test_a_gaussian_token_with_itself():
    rng, D, d = np.random.default_rng(19), 8, 4
    x = rng.standard_normal((60_000, 1, D))
    W_Q, W_K = rng.standard_normal((2, 60_000, D, d)) / np.sqrt(D)
    score = np.sum((x @ W_Q) * (x @ W_K), axis=2)[:, 0]
    square, error = mean_and_error(score**2)
    assert agrees(square, d * (1 + 2 / D), error)
    assert not agrees(square, d, error)


def test_audit_of_shapes(snippet):
    page = snippet("scales/audit")
    assert close(page.var_q["Xavier, one head"], 16 / 9)
    assert close(page.gpt2_width * 0.02**2, 1)
    # A fixed 0.02: drawn at the widths that the page names.
    rng = np.random.default_rng(23)
    for D, variance in page.fixed.items():
        x = rng.choice([-1.0, 1.0], D)  # x·x = D
        mean, error = mean_and_error((0.02 * rng.standard_normal((2000, D)) @ x) ** 2)
        assert agrees(mean, variance, error)
        assert not agrees(mean, 1, error)
    # With the same rule for q and k the spread of the logit is that variance.
    for D, variance in page.fixed.items():
        p = special.softmax(rows(variance, samples=4000, seed=24), axis=1)
        mean, error = mean_and_error(np.sum(p**2, axis=1))
        assert agrees(mean, 1 / page.fixed_effective[D], error)
        assert not agrees(mean, 1 / page.effective["GPT-2"], error)
    assert page.fixed[8192] < page.frozen < page.fixed[12288]
    assert close(math.exp(page.frozen**2 / 2), N)
    # "The dimension has dropped out": of all rows but Xavier's for one head.
    for rule in ("LeCun", "Xavier, one head", "Xavier, fused", "nn.Linear", "GPT-2"):
        small, large = (
            mean_and_error(
                np.concatenate(
                    [
                        (draw(rng, (d, 512), rule) @ rng.choice([-1.0, 1.0], 512)) ** 2
                        for _ in range(4096 // d)
                    ]
                )
            )
            for d in (64, 4096)
        )
        same = agrees(small[0], large[0], math.hypot(small[1], large[1]))
        assert same == (rule != "Xavier, one head")
    assert close(page.wrong_root, math.sqrt(1 / 8))
    assert page.cross_var_k == 1.2
    bias = np.random.default_rng(8).uniform(-1, 1, 40_000) / math.sqrt(512)
    mean, error = mean_and_error(bias**2)
    assert agrees(mean, page.linear_bias, error)
    for name, sigma in page.logit_sd.items():
        p = special.softmax(rows(sigma, samples=2000, seed=9), axis=1)
        mean, error = mean_and_error(np.sum(p**2, axis=1))
        assert agrees(mean, 1 / page.effective[name], error)
        mean, error = mean_and_error(p.max(axis=1))
        assert agrees(mean, page.largest[name], error)


def test_the_first_layer_of_the_first_transformer(snippet):
    # Embeddings of variance 1, and its code's sines and cosines of positions, at width 512.
    page, rng, D, n = snippet("scales/audit"), np.random.default_rng(25), 512, 400
    rate = np.exp(-np.arange(D // 2) * math.log(1e4) / (D // 2 - 1))
    angle = np.arange(n)[:, np.newaxis] * rate
    signal = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    assert close(np.sum(signal**2, axis=1), D / 2)
    x = rng.standard_normal((n, D)) / math.sqrt(D) * math.sqrt(D) + signal
    mean, error = mean_and_error(np.sum(x**2, axis=1) / D)
    assert agrees(mean, page.first_input, error)
    assert not agrees(mean, 1, error), "as after LayerNorm"
    q = np.array([draw(rng, (64, D), "Xavier, fused") @ token for token in x[:100]])
    variance, error = mean_and_error(q.ravel() ** 2)
    assert agrees(variance, page.first_input * page.var_q["Xavier, fused"], error)
    assert not agrees(variance, page.var_q["Xavier, fused"], error)


def test_cross_attention(snippet):
    page, rng = snippet("scales/audit"), np.random.default_rng(10)
    x, y = tokens(0, 2, 512)[0], tokens(0, 2, 768)[0]
    score = []
    for _ in range(800):
        bounds = [np.sqrt(6 / (512 + 512)), np.sqrt(6 / (512 + 768))]
        # 64 of the 512 rows: one head.
        q = rng.uniform(-bounds[0], bounds[0], (64, 512)) @ x
        k = rng.uniform(-bounds[1], bounds[1], (64, 768)) @ y
        score.append(q @ k / 8)
    sd, error = sd_and_error(np.array(score))
    assert agrees(sd, page.cross_sd, error)
    assert not agrees(sd, page.cross_sd * 1.2**1.5, error)


def test_layernorm():
    x = np.random.default_rng(11).standard_normal((5, 32)) + 3
    v = x.var(axis=1)
    for epsilon in (0, 0.1):
        y = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(v + epsilon)[:, np.newaxis]
        assert close(y.sum(axis=1), 0)
        assert close(np.sum(y**2, axis=1), 32 * v / (v + epsilon))
        assert close(np.sum(y**2, axis=1), 32) == (epsilon == 0)
    uncentred = x / x.std(axis=1, keepdims=True)
    assert not close(np.sum(uncentred**2, axis=1), 32), "it must centre"
    rms = x / np.sqrt(np.mean(x**2, axis=1, keepdims=True))
    assert close(np.sum(rms**2, axis=1), 32)


@pytest.mark.parametrize("cosine", [0.0, 0.5, 0.9])
def test_resemblance(snippet, cosine):
    page, rng = snippet("scales/resemblance"), np.random.default_rng(12)
    D, d, n = 64, 16, 32
    x = tokens(cosine, n, D)
    assert close(x @ x.T / D, cosine + (1 - cosine) * np.eye(n))
    assert close(x.sum(axis=1), 0)
    within, about_0 = [], []
    for _ in range(1200):
        q = draw(rng, (d, D), "LeCun") @ x[0]
        row = x @ draw(rng, (d, D), "LeCun").T @ q / np.sqrt(d)
        within.append(np.var(row, ddof=1))
        about_0.append(np.mean(row**2))
    mean, error = mean_and_error(np.array(within))
    assert agrees(mean, page.spread[cosine] ** 2, error)
    assert not agrees(mean / d, page.spread[cosine] ** 2, error / d), "d for √d"
    if cosine:
        assert not agrees(mean, 1, error), "unit variance"
    mean, error = mean_and_error(np.array(about_0))
    assert agrees(mean, 1, error)


def test_effective_keys_of_similar_tokens(snippet):
    page = snippet("scales/resemblance")
    for c in (0.0, 0.5, 0.9):
        # Scores with a part in common, as they are.
        common = rows(math.sqrt(c), 1, 2000, seed=13)
        p = special.softmax(common + rows(math.sqrt(1 - c), samples=2000, seed=14), axis=1)
        mean, error = mean_and_error(np.sum(p**2, axis=1))
        assert agrees(mean, 1 / page.effective[c], error)
        if c:
            assert not agrees(mean, 1 / page.effective[0.0], error)


def test_a_turn_leaves_isotropic_queries_alone():
    angle = 0.7
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    rng = np.random.default_rng(15)
    for scale in (np.ones(2), np.sqrt([1.5, 0.5])):
        q, k = scale * rng.standard_normal((2, 200_000, 2))
        square, error = mean_and_error(np.sum(q * (k @ turn.T), axis=1) ** 2)
        exact = 2 + 0.5 * math.cos(2 * angle) * (scale[0] != 1)
        assert agrees(square, exact, error)
        assert agrees(square, np.sum(scale**4), error) == (scale[0] == 1)


# The number of keys


@pytest.mark.parametrize(
    ("name", "s"), [("√64", 8), ("1", 1), ("log n", 8 / math.log(N)), ("64", 64)]
)
def test_threshold(snippet, name, s):
    # Real queries of length √64, real keys: the log-odds of the match have mean 0 at ρ.
    page, rng, d, samples = snippet("scales/retrieval"), np.random.default_rng(16), 64, 1500
    rho = page.needed[name][N]
    q = rng.standard_normal((samples, d))
    q *= math.sqrt(d) / np.linalg.norm(q, axis=1, keepdims=True)
    # Given such a q, q·k is N(0, d) for a noise key.
    noise = math.sqrt(d) * rng.standard_normal((samples, N - 1))
    fresh = rng.standard_normal((samples, d))

    def log_odds(correlation):
        # A key with covariance ρ, of unit variance as long as ρ ≤ 1.
        k = correlation * q + math.sqrt(max(0, 1 - correlation**2)) * fresh
        return np.sum(q * k, axis=1) / s - special.logsumexp(noise / s, axis=1)

    mean, error = mean_and_error(log_odds(rho))
    assert agrees(mean, 0, error)
    for wrong in (0.9 * rho, 1.1 * rho):
        mean, error = mean_and_error(log_odds(wrong))
        assert not agrees(mean, 0, error)


FACTORS = {
    "1": lambda n: 1,
    "0.43 ln n": lambda n: 0.43 * math.log(n),
    "√(2 ln n)": lambda n: math.sqrt(2 * math.log(n)),
    "ln n": math.log,
    "√d": lambda n: 8,
}


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("n", [64, N, 16_384])
def test_weight_as_keys_are_added(snippet, name, n):
    # Scores drawn in units of √d; given the noise, the share below a weight is Gaussian.
    page, factor, samples = snippet("scales/keys"), FACTORS[name](n), 2**21 // n + 500
    rng, share = np.random.default_rng(26), {t: [] for t in page.quantiles[name][n].tolist()}
    for _ in range(samples // 50):
        log_z = special.logsumexp(factor * rng.standard_normal((50, n - 1)), axis=1)
        for t in share:
            limit = (special.logit(t) + log_z) / factor
            share[t].append(stats.norm.cdf(limit, page.rho * 8, math.sqrt(1 - page.rho**2)))
    drawn_there = 64 * max(16, min(128, 2**18 // n))
    for q, sample in zip((0.1, 0.5, 0.9), share.values(), strict=True):
        sample = np.concatenate(sample)
        mean, error = mean_and_error(sample)
        error *= math.sqrt(1 + len(sample) / drawn_there)
        assert agrees(mean, q, error + 1e-3)  # its grid has 200 scores
        if q != 0.5 or name != "1":
            assert not agrees(mean, 0.5 if q != 0.5 else 0.4, error + 1e-3)
    others = [page.quantiles[other][n][1] for other in FACTORS if other != name]
    assert all(abs(math.log(t / page.quantiles[name][n][1])) > 1e-4 for t in others)


@pytest.mark.parametrize("n", [64, N])
def test_ranking_and_weight_with_whole_keys(snippet, n):
    # Keys and a query of length √64; the same draws for all factors.
    page, rng, rho = snippet("scales/keys"), np.random.default_rng(27), 0.5
    assert page.rho == rho
    q = np.zeros(8)  # the other coordinates do not count
    q[0] = 8
    score = rng.standard_normal((4000, n, 8))
    score[:, 0] = rho * q + math.sqrt(1 - rho**2) * score[:, 0]
    score = score @ q / 8
    tops = np.argmax(score, axis=1) == 0
    error = np.sqrt(page.on_top[n] * (1 - page.on_top[n]) / len(tops))
    assert agrees(np.mean(tops), page.on_top[n], error)
    assert not agrees(np.mean(tops), page.on_top[1024], error)
    for name, factor in FACTORS.items():
        weight = special.softmax(factor(n) * score, axis=1)
        assert np.all((np.argmax(weight, axis=1) == 0) == tops)
        for q_level, t in zip((0.1, 0.5, 0.9), page.quantiles[name][n], strict=True):
            error = math.sqrt(q_level * (1 - q_level) / len(tops)) + 1e-3
            assert agrees(np.mean(weight[:, 0] < t), q_level, error)
        wrong = page.quantiles["ln n" if name == "1" else "1"][n][1]
        assert not agrees(np.mean(weight[:, 0] < wrong), 0.5, math.sqrt(0.25 / len(tops)))
        p = special.softmax(factor(N) * rows(1, samples=2000, seed=28), axis=1)
        mean, error = mean_and_error(p.max(axis=1))
        assert agrees(mean, page.noise_alone[name], error)
        assert not agrees(mean, 1.2 * page.noise_alone[name], error)


def test_where_a_factor_freezes_the_noise(snippet):
    for s, n in snippet("scales/keys").frozen_from.items():
        assert s * math.log(n) >= math.sqrt(2 * math.log(n))
        assert not s * math.log(n - 1) >= math.sqrt(2 * math.log(n - 1))


def test_how_fast_the_factor_should_grow(module):
    # Gaussian noise: what is needed falls with the factor, up to √(2 ln n) by the formula.
    law = module("scales/gaussian_logits")
    for n, tolerance, first_order in [(N, 0.12, 0.02), (2.0**40, 0.06, 1e-3)]:
        log_n = math.log(n)
        best = math.sqrt(2 * log_n)
        for a in (1, 0.3 * best, 0.6 * best):
            needed = law.mean_log_sum(n, a) / a
            assert close(needed, log_n / a + a / 2, first_order)
            assert not close(needed, log_n / a, first_order), "without a/2"
        a = np.linspace(0.1, 3 * best, 3000)
        formula = log_n / a + a / 2
        assert close(a[np.argmin(formula)], best, 1e-2)
        assert close(formula.min(), best, 1e-4)
        assert formula.min() < 0.6 * log_n, "√(log n), not log n"
        # Beyond it little is left to gain: nothing below the largest noise score.
        there, beyond = (law.mean_log_sum(n, c * best) / (c * best) for c in (1, 4))
        assert law.mean_maximum(int(min(n, 1e15))) <= beyond < there
        assert abs(there / best - 1) < tolerance
        assert there / beyond < 1.15 < (log_n + 0.5) / there
    # A fixed gap: log n, whatever the size of the gap.
    for n in (16, N):
        for gap in (0.5, 1, 5):
            scores = np.zeros(n)
            scores[0] = gap
            assert close(special.softmax(math.log(n - 1) / gap * scores)[0], 0.5)
            slower = math.sqrt(2 * math.log(n)) / gap
            assert not close(special.softmax(slower * scores)[0], 0.5, 0.05)


@pytest.mark.parametrize("c", [0.0, 0.5, 0.9])
def test_critical_factor_of_tokens_with_a_common_cosine(c):
    # A token among others: at ln n/(1 − c) half of its weight is on itself.
    x = tokens(c, 64, 256)
    scores = x @ x.T / 256
    own = np.diag(special.softmax(math.log(63) / (1 - c) * scores, axis=1))
    assert close(own, 0.5)
    own = np.diag(special.softmax(math.log(63) * scores, axis=1))
    assert close(own, 0.5, 1e-3) == (c == 0), "ln n alone"


@pytest.mark.parametrize("name", ["√d", "√d/√(2 ln n)", "√d/(0.43 ln n)", "√d/ln n", "1"])
def test_weight_of_the_right_key(snippet, name):
    # Whole keys and a whole query: no formula for the scores.
    page, d = snippet("scales/match"), 64
    factor = {
        "√d": 1,
        "√d/√(2 ln n)": math.sqrt(2 * math.log(N)),
        "√d/(0.43 ln n)": 0.43 * math.log(N),
        "√d/ln n": math.log(N),
        "1": 8,
    }[name]
    assert close(page.factors[name], factor)
    rng, weight, top, noise = np.random.default_rng(21), [], [], []
    for _ in range(6000):
        # A query along the first axis, of length √d; the right key is ρq + √(1 − ρ²) z.
        k = rng.standard_normal((N, d // 8))  # the other coordinates do not count
        q = np.zeros(d // 8)
        q[0] = math.sqrt(d)
        rho = page.needed[name]
        k[0] = rho * q + math.sqrt(1 - rho**2) * k[0]
        p = special.softmax(factor * (k @ q) / math.sqrt(d))
        weight.append(p[0])
        top.append(np.argmax(p) == 0)
        noise.append(p[1:].max() / (1 - p[0]))
    weight, top = np.array(weight), np.array(top)

    def is_share(value, hits):
        return agrees(np.mean(hits), value, np.sqrt(value * (1 - value) / len(hits)) + 1e-6)

    assert is_share(page.below_tenth[name], weight < 0.1)
    assert is_share(page.above_nine[name], weight > 0.9)
    between = 1 - page.below_tenth[name] - page.above_nine[name]
    assert is_share(between, (weight > 0.1) & (weight < 0.9))
    assert is_share(page.on_top[name], top)
    mean, error = mean_and_error(special.logit(weight))
    assert agrees(mean, 0, error)
    for at in (0.2, 0.5, 0.8):
        assert is_share(np.interp(at, page.weight, page.share[name]), weight < at)
    mean, error = mean_and_error(np.array(noise))
    assert agrees(mean, page.largest[name], error + 0.001)  # 511 keys here, 512 there
    # "Half of the weight": true of √d, where all weights lie near it, and of no other.
    halves = np.mean(np.abs(weight - 0.5) < 0.4)
    assert (halves > 0.99) == (name == "√d")
    if name != "√d":
        assert not is_share(page.below_tenth["√d"], weight < 0.1)
        assert not is_share(page.on_top["√d"], top)


def test_no_divisor_changes_the_ranking():
    rng = np.random.default_rng(22)
    scores = 8 * rng.standard_normal((500, N))
    scores[:, 0] = 0.39 * 64 + math.sqrt(1 - 0.39**2) * scores[:, 0]
    tops = [np.argmax(special.softmax(scores / s, axis=1), axis=1) for s in (1, 8, 64)]
    assert np.all(tops[0] == tops[1])
    assert np.all(tops[1] == tops[2])
    weights = [special.softmax(scores / s, axis=1)[:, 0] for s in (1, 8)]
    assert not close(*weights, 0.1)


def test_noise_keys_given_the_query_are_independent_gaussians():
    rng, d = np.random.default_rng(17), 64
    q = rng.standard_normal(d)
    q *= math.sqrt(d) / np.linalg.norm(q)
    scores = rng.standard_normal((20_000, d)) @ q
    assert stats.kstest(scores / math.sqrt(d), "norm").pvalue > 1e-4
    assert stats.kstest(scores / d, "norm").pvalue < 1e-4


def test_retrieval_numbers(snippet, module):
    page, law = snippet("scales/retrieval"), module("scales/gaussian_logits")
    # ln n + ½ is the first order: the log of the mean of Z.
    assert abs(page.needed["√64"][N] - page.approximate) < 1e-3
    assert abs(page.needed["√64"][N] - math.log(N) / 8) > 1e-2
    for d, n in page.capacity.items():
        assert abs(n / math.exp(math.sqrt(d) - 0.5) - 1) < 2e-3
        assert close(law.mean_log_sum(n - 1, 1), math.sqrt(d))
        assert not close(law.mean_log_sum(n - 1, 1), d, 0.1)
    ratio = page.needed["√128"][N] / page.needed["√64"][N]
    assert close(ratio, math.sqrt(64 / 128))
    assert not close(ratio, 64 / 128)
    z = rows(1, N - 1, 4000, seed=18)
    mean, error = mean_and_error(z.max(axis=1) / 8)
    assert agrees(mean, page.floor, error)
    assert page.floor < page.needed["1"][N] < page.needed["log n"][N] < page.needed["√64"][N]
    assert all(value > 1 for value in page.needed["64"].values())
    lead, error = mean_and_error(1 - special.logsumexp(z / 8, axis=1))
    exact = special.logit(page.perfect_by_d)
    assert agrees(lead, exact, error)
    assert not agrees(lead, exact + 0.1, error)


def test_growth_of_the_thresholds(snippet):
    page = snippet("scales/retrieval")
    n = np.array([4096, 2.0**20])

    def growth(name):
        low, high = (page.needed[name][int(k)] for k in n)
        return high / low

    by_log, by_root = np.log(n[1]) / np.log(n[0]), np.sqrt(np.log(n[1]) / np.log(n[0]))
    assert abs(growth("√64") - by_log) < 0.05
    for name in ("1", "log n"):
        assert abs(growth(name) - by_root) < 0.07
        assert abs(growth(name) - by_log) > 0.07


@pytest.mark.parametrize("sigma", [0.1, 0.3, 1, 4, 8])
@pytest.mark.parametrize("n", [3, 512, 65_536])
def test_two_chapters_compute_the_same_averages_by_their_own_quadratures(module, n, sigma):
    here, there = module("scales/gaussian_logits"), module("saturation/gaussian_logits")
    assert close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, sigma), 1e-8)
    assert close(here.mean_square_weights(n, sigma), 1 / there.participation(n, sigma), 1e-8)
    assert close(here.mean_largest(n, sigma) / there.largest(n, sigma), 1, 1e-4)
    assert not close(here.mean_log_sum(n, sigma), there.mean_log_sum(n, 1.01 * sigma), 1e-8)
