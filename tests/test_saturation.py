"""The claims of docs/saturation.md: each by a second route, each with a wrong variant."""

import itertools
import math
from decimal import Decimal
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, softmax

from tests.tolerance import agrees, is_median, mean_and_error


def close(value, exact, tolerance=1e-9):
    """Tell whether two exact routes meet, up to a relative error."""
    return bool(np.allclose(value, exact, rtol=tolerance, atol=0))


def is_mean(value, sample):
    return agrees(np.mean(sample), value, np.std(sample) / np.sqrt(len(sample)))


def is_share(value, hits, draws_behind_value=math.inf):
    error = np.sqrt(value * (1 - value) * (1 / len(hits) + 1 / draws_behind_value))
    return agrees(np.mean(hits), value, error)


def draw(seed, n, sigma, draws):
    """Draw Gaussian levels, all n of them, and their weights."""
    g = np.random.default_rng(seed).standard_normal((draws, n))
    return g, softmax(sigma * g, axis=1)


def jacobian_squares(p):
    """Give ‖J‖² of each row of weights by its definition, without the cancelling formula."""
    square = p**2
    rest = 1 - p
    top = np.argmax(p, axis=1)
    rows = np.arange(len(p))
    others = p.copy()
    others[rows, top] = 0
    rest[rows, top] = others.sum(axis=1)
    diagonal = np.sum((p * rest) ** 2, axis=1)
    # Off the diagonal: the largest with each other, and the others among themselves.
    small = others**2
    pairs = 2 * square[rows, top] * small.sum(axis=1)
    pairs += np.maximum(small.sum(axis=1) ** 2 - np.sum(small**2, axis=1), 0)
    return diagonal + pairs


@pytest.fixture(scope="module")
def exact(module):
    return module("saturation/gaussian_logits")


@pytest.fixture(scope="module")
def keys(module):
    return module("saturation/largest_keys")


# The quadrature

CASES = [(2, 0.01), (2, 1.0), (3, 8.0), (16, 2.0), (512, 8.0), (65536, 1.0)]
CASES += [(10**6, 0.05), (10**6, 1.0), (10**6, 8.0), (10**6, 100.0), (10**100, 1.0)]


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


@cache
def three_keys():
    """Give a grid of the two gaps between three sorted Gaussians, and the mass of each cell."""
    step = 0.01
    gap = step * (np.arange(1000) + 0.5)
    first, second = np.meshgrid(gap, gap, indexing="ij")
    density = np.exp(-(first**2 + first * second + second**2) / 3) * math.sqrt(3) / math.pi
    scores = np.stack([np.zeros_like(first), -first, -first - second], axis=-1).reshape(-1, 3)
    return scores, density.ravel() * step**2


def entropy_of_two(p, q, lead):
    return -p * math.log(p) - q * (math.log(p) - lead)


@pytest.mark.parametrize("sigma", [1.0, 8.0])
def test_averages_for_three_keys(exact, sigma):
    scores, mass = three_keys()
    p = softmax(sigma * scores, axis=1)
    routes = {
        "trace": (exact.trace, np.sum(p * (1 - p), axis=1)),
        "jacobian_square": (exact.jacobian_square, jacobian_squares(p)),
        "largest": (exact.largest, p.max(axis=1)),
    }
    assert close(mass.sum(), 1, 1e-5)
    for name, (route, f) in routes.items():
        assert close(route(3, sigma), mass @ f, 1e-4), name
        assert not close(route(3, sigma), 1.001 * (mass @ f), 1e-4), name


def test_averages_for_512_keys_to_two_percent(exact, keys):
    n, sigma = 512, 8
    top = keys.draw(np.random.default_rng(22), n, 100_000, keep=40)
    square = keys.jacobian_norm(top, n, sigma) ** 2
    same = keys.weights_norm(top, n, sigma) ** 2
    largest = keys.largest_weight(top, n, sigma)
    for value, sample in [
        (exact.jacobian_square(n, sigma), square),
        (exact.mean_power_sum(n, sigma, 2), same),
        (exact.trace(n, sigma), 1 - same),
        (exact.largest(n, sigma), largest),
    ]:
        assert is_mean(value, sample)
        assert not is_mean(1.02 * value, sample)
        assert not is_mean(0.98 * value, sample)


@pytest.mark.parametrize("share", [0.5, 0.55, 0.6])
def test_10_to_the_100_keys(exact, share):
    # Before the edge Z is all but its mean, and one key at a time stands against it.
    n = 1e100
    sigma = share * math.sqrt(2 * math.log(n))
    level = np.arange(-10, 45, 0.001)
    weight = expit(sigma * level - math.log(n) - sigma**2 / 2)
    same = n * 0.001 * np.sum(stats.norm.pdf(level) * weight**2)
    assert close(exact.mean_power_sum(10**100, sigma, 2), same, 1e-8)
    cut = n * 0.001 * np.sum((stats.norm.pdf(level) * weight**2)[level < 23])
    assert not close(exact.mean_power_sum(10**100, sigma, 2), cut, 1e-3), "levels up to 23"


@pytest.mark.parametrize(
    ("n", "sigma"), [(3, 8.0), (16, 1.0), (16, 8.0), (64, 3.0), (512, 1.0), (512, 8.0)]
)
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


@pytest.mark.parametrize(("n", "sigma"), [(3, 1.0), (512, 1.0), (512, 8.0), (10**6, 8.0)])
def test_trace_is_the_slope_of_the_log_sum(exact, n, sigma):
    # d/dσ ln Z = Σ p g, whose mean is σ E tr J.
    h = 1e-3 * sigma
    slope = (exact.mean_log_sum(n, sigma + h) - exact.mean_log_sum(n, sigma - h)) / (2 * h)
    assert close(exact.trace(n, sigma), slope / sigma, 1e-4)
    assert not close(exact.trace(n, sigma), slope, 1e-4) or sigma == 1
    assert close(exact.trace(n, sigma), 1 - exact.mean_power_sum(n, sigma, 2), 1e-9)


def test_quadrature_does_not_depend_on_its_step(exact, module, monkeypatch):
    finer = module("saturation/gaussian_logits")
    original = finer.grid.__wrapped__

    def halved(sigma):
        h = 0.1 * min(1, sigma)
        x = h * np.arange(np.floor(-9 * sigma / h), np.ceil(23 * sigma / h))
        weight = h / sigma * stats.norm.pdf(x / sigma)
        steps = np.arange(round(x[0] / h) - round(5 / h), round((x[-1] + 270) / h))
        return h, x, weight, h * steps[::-1]

    assert close(original(1.0)[0], 0.2)
    monkeypatch.setattr(finer, "grid", halved)
    for n, sigma in [(3, 1.0), (512, 8.0), (10**6, 3.0)]:
        for name in ("participation", "trace", "jacobian_square", "mean_log_sum"):
            assert close(getattr(finer, name)(n, sigma), getattr(exact, name)(n, sigma), 1e-10)
        assert close(finer.largest(n, sigma), exact.largest(n, sigma), 3e-6)


# Near one-hot


def test_the_cancelling_formula_fails_near_one_hot(keys):
    scores = [50.0, 10.0, 5.0]
    with mpmath.workdps(60):
        e = [mpmath.exp(s) for s in scores]
        p = [x / sum(e) for x in e]
        true = mpmath.sqrt(sum((p[i] * ((i == j) - p[j])) ** 2 for i in range(3) for j in range(3)))
    stable = keys.jacobian_norm(np.array([scores]), 3, 1.0)[0]
    p = softmax(scores)
    cancelling = np.sum(p**2) - 2 * np.sum(p**3) + np.sum(p**2) ** 2
    naive = np.linalg.norm(np.diag(p) - np.outer(p, p))
    assert close(stable, float(true), 1e-12)
    assert not close(np.sqrt(max(cancelling, 0)), float(true), 1e-12)
    assert not close(naive, float(true), 1e-2), "the definition, with 1 − p = 0"
    assert p[0] == 1.0


def test_the_means_stay_exact_where_the_difference_loses_its_digits(exact):
    # A single pair of keys, σ = 100: E‖J‖² against the closed form.
    closed = two_keys(100.0, lambda p, q, x: 4 * (p * q) ** 2)
    assert close(exact.jacobian_square(2, 100.0), closed, 1e-8)
    # A draw that is one-hot to 1e-9 has ‖J‖² of 1e-18, below the rounding of 1 − 2 + 1.
    p = np.array([1 - 1e-9, 1e-9])
    cancelling = np.sum(p**2) - 2 * np.sum(p**3) + np.sum(p**2) ** 2
    assert close(jacobian_squares(p[np.newaxis])[0], 4e-18, 1e-6)
    assert not close(cancelling, 4e-18, 1e-6)


def test_naive_softmax_overflows():
    scores = np.array([800.0, 10.0, 5.0])

    def works(function):
        with np.errstate(over="ignore", invalid="ignore"):
            weights = function(scores)
        return bool(np.all(np.isfinite(weights))) and close(weights.sum(), 1)

    assert works(lambda z: np.exp(z - z.max()) / np.exp(z - z.max()).sum())
    assert not works(lambda z: np.exp(z) / np.exp(z).sum())


@pytest.mark.parametrize("n", [3, 16, 512])
@pytest.mark.parametrize("sigma", [1.0, 8.0])
def test_jacobian_norm_is_the_norm_of_the_matrix(keys, n, sigma):
    g = -np.sort(-np.random.default_rng(n).standard_normal((50, n)), axis=1)
    p = softmax(sigma * g, axis=1)
    matrices = [np.linalg.norm(np.diag(w) - np.outer(w, w)) for w in p]
    norms = keys.jacobian_norm(g, n, sigma)
    # The matrix itself rounds at 1e−16.
    assert np.allclose(norms, matrices, rtol=1e-8, atol=1e-15)
    assert close(norms**2, jacobian_squares(p), 1e-8)
    assert not np.allclose(norms, np.sqrt(np.sum((p * (1 - p)) ** 2, 1)), rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("n", [3, 300])
def test_the_largest_keys_have_their_law(keys, n):
    top = keys.draw(np.random.default_rng(1), n, 4000, keep=50)
    assert np.all(np.diff(top, axis=1) <= 0)
    for place in (0, 1):
        # The place-th largest of n uniform numbers has a beta law.
        u = stats.norm.cdf(top[:, place])
        assert stats.kstest(u, stats.beta(n - place, place + 1).cdf).pvalue > 1e-4
        assert stats.kstest(u, stats.beta(n, place + 2).cdf).pvalue < 1e-4


@pytest.mark.parametrize("n", [3, 300])
def test_even_draws_have_the_same_law(keys, n):
    top = keys.draw_evenly(n, power=11)
    assert np.all(np.diff(top, axis=1) <= 0)
    for place in (0, 1):
        u = stats.norm.cdf(top[:, place])
        assert stats.kstest(u, stats.beta(n - place, place + 1).cdf).pvalue > 1e-4
        assert stats.kstest(u, stats.beta(n, place + 2).cdf).pvalue < 1e-4
    # Another scramble moves a median far less than other random draws would.
    medians = [np.median(keys.draw_evenly(n, seed=s, power=11)[:, 0]) for s in range(8)]
    random = [
        np.median(keys.draw(np.random.default_rng(s), n, 2**11, keep=3)[:, 0]) for s in range(8)
    ]
    assert np.std(medians) < np.std(random) / 5


def test_a_grid_of_every_draw_of_three_keys(keys):
    top = keys.every_three()
    assert np.all(np.diff(top, axis=1) <= 0)
    scores, mass = three_keys()
    lead, span = -scores[:, 1], -scores[:, 2]

    def is_every_draw(top):
        first, whole = top[:, 0] - top[:, 1], top[:, 0] - top[:, 2]
        return all(
            abs(np.mean(ours < level) - mass[theirs < level].sum()) < 0.004
            for ours, theirs in [(first, lead), (whole, span), (whole / 2 - first, span / 2 - lead)]
            for level in (0.1, 0.5, 1, 2)
        )

    assert is_every_draw(top)
    # Half of the angles: the best leads by less than the second does.
    half = top[2 * top[:, 1] > top[:, 0] + top[:, 2]]
    assert not is_every_draw(half)
    assert not is_every_draw(1.05 * top)


@pytest.mark.parametrize("sigma", [1.0, 3.0, 8.0])
def test_the_other_keys_enter_by_their_mean(keys, sigma):
    n, draws = 2000, 1500
    top = keys.draw(np.random.default_rng(2), n, draws)
    _, p = draw(3, n, sigma, draws)
    for value, sample in [
        (keys.largest_weight(top, n, sigma), p.max(axis=1)),
        (keys.jacobian_norm(top, n, sigma), np.sqrt(jacobian_squares(p))),
    ]:
        assert is_median(np.median(value), sample, draws)
        if sigma < 3:  # there most of the weight lies beyond the first hundred
            alone = keys.largest_weight(top, top.shape[1], sigma)
            assert not is_median(np.median(alone), p.max(axis=1), draws)


# The numbers


def test_e_50():
    printed = 5_184_705_528_587_072_045  # the article's
    exact = Decimal(50).exp()
    assert f"{float(exact):,.0f}" == "5,184,705,528,587,072,045,056"
    assert float(exact) == math.exp(50)
    assert int(float(exact)) // 1000 == printed
    assert int(exact) // 1000 != printed  # the exact number cut would end otherwise
    assert close(float(exact / printed), 1000, 1e-12)


def test_temperature(snippet):
    page = snippet("saturation/temperature")
    for t, weights in page.at.items():
        e = [mpmath.exp(mpmath.mpf(int(s)) / t) for s in page.scores]
        assert close(weights, [float(x / sum(e)) for x in e], 1e-12)
        assert close(np.log(page.ratio[t]), (page.scores[0] - page.scores[1]) / t)
        if t > 1:
            assert not close(page.ratio[t], page.ratio[1])
    assert np.all(np.diff(page.weights, axis=1) < 0)  # the order never changes
    assert np.all(np.diff(np.ptp(page.weights, axis=1)) < 0)  # and they draw together


def test_three_scores(snippet):
    page = snippet("saturation/three_scores")
    z = page.sigma * np.random.default_rng(4).standard_normal((400_000, 3))
    spans, largest = np.ptp(z, axis=1), softmax(z, axis=1).max(axis=1)
    assert is_mean(page.mean_range, spans)
    assert close(page.mean_range, page.sigma * 3 / math.sqrt(math.pi), 1e-4)
    assert is_share(page.p_range_4, spans <= page.example_range)
    assert is_median(page.median_weight, largest, math.inf)
    assert is_share(page.p_weight_example, largest <= page.example_weight)
    # Halves of squared differences of pairs estimate a variance.
    halves = [(a - b) ** 2 / 2 for a, b in itertools.combinations([14, 10, 12], 2)]
    assert close(page.example_sd, math.sqrt(np.mean(halves)))
    assert not close(page.example_sd, np.std([14, 10, 12])), "divided by n"
    assert is_mean(page.sigma**2, z.var(axis=1, ddof=1))
    assert not is_mean(page.sigma**2, z.var(axis=1))
    for wrong in (spans / 8, spans * 8):
        assert not is_share(page.p_range_4, wrong <= page.example_range)
    assert not is_share(page.p_weight_example, softmax(z / 8, axis=1).max(1) <= 0.867)


# What is printed, to the last digit


@cache
def power_sums(n, sigma):
    """Give E Σp², E Σp³ and E (Σp²)²: 1/Z^r is ∫ t^r e^{−tZ} d ln t/Γ(r), here by plain sums."""
    h = 0.4
    g = np.arange(-9, math.sqrt(2 * math.log(n)) + 8, h * min(0.5, 1 / sigma))
    density = (g[1] - g[0]) * stats.norm.pdf(g)
    log_t = np.arange(-sigma * g[-1] - math.log(n) - 5, 9 * sigma + 5, h)
    u = np.minimum(sigma * g + log_t[:, np.newaxis], 7)  # beyond it exp(−e^u) is 0
    two, three, four = (np.exp(k * u - np.exp(u)) @ density for k in (2, 3, 4))
    log_rest = np.log1p(-np.minimum(-np.expm1(-np.exp(u)) @ density, 1 - 1e-15))
    one_less, two_less = (np.exp((n - k) * log_rest) for k in (1, 2))
    square = (four * one_less + (n - 1) * two**2 * two_less) / 6
    return [n * h * np.sum(f) for f in (two * one_less, three * one_less / 2, square)]


def jacobian_mean(n, sigma):
    """Give E‖J‖² by the formula that cancels, which does no harm to an average."""
    same, cubes, square = power_sums(n, sigma)
    return same - 2 * cubes + square


@cache
def log_sum(n, sigma):
    """Give E ln Z by its slope, σ (1 − E Σp²)."""
    node, weight = np.polynomial.legendre.leggauss(12)
    return math.log(n) + sum(
        w * sigma / 2 * s * (1 - power_sums(n, s)[0])
        for w, s in zip(weight, sigma * (node + 1) / 2, strict=True)
    )


@cache
def largest_mean(n, sigma):
    """Give E max p: with the best key at g, p = 1/(1 + R) is ∫ e^{−s(1 + R)} ds, R from below g."""
    node, weight = np.polynomial.legendre.leggauss(160)
    g = np.arange(-7, 9, 0.1)[:, np.newaxis]
    s = np.exp(np.arange(-13 - math.log(n), 4, 0.25))
    below = (g + (node - 1) * (g + 9) / 2)[:, np.newaxis]  # from −9 to g
    part = stats.norm.pdf(below) * weight * (g + 9)[:, np.newaxis] / 2
    lead = np.exp(sigma * (below - g[:, np.newaxis]))
    miss = np.sum(-np.expm1(-s[:, np.newaxis] * lead) * part, axis=-1)
    rest = np.exp((n - 1) * np.log(np.maximum(stats.norm.cdf(g) - miss, 1e-300)))
    return n * 0.1 * 0.25 * np.sum(stats.norm.pdf(g) * rest * s * np.exp(-s))


def holds(pairs, tolerance=3e-5):
    """Tell whether what a page prints is what another quadrature gives."""
    return all(close(printed, other, tolerance) for printed, other in pairs)


@pytest.mark.parametrize("n", [3, 16, 64, 512, 4096, 65536])
@pytest.mark.parametrize(("name", "sigma"), [("÷ √d", 1), ("d = 64", 8)])
def test_tables_by_another_quadrature(snippet, n, name, sigma):
    page, jacobian = snippet("saturation/saturation"), snippet("saturation/gradients")
    measures, typical = snippet("saturation/measures"), snippet("saturation/reach").typical
    if n == 3:
        few = page.scaled_3 if sigma == 1 else page.bare_3
        keys, largest = few["keys"], few["largest"]
    else:
        keys, largest = page.taking_part[name][n], page.largest_weight[name][n]

    def printed(s):
        same, square = power_sums(n, s)[0], jacobian_mean(n, s)
        yield keys, 1 / same
        yield largest, largest_mean(n, s)
        yield measures.norm[sigma][n] ** 2, square
        yield measures.own[sigma][n], 1 - same
        yield measures.relative[sigma][n] ** 2, square / same
        yield math.log(typical[sigma][n]), -log_sum(n, s)
        if n < 65536:
            yield jacobian.rms_at[n][sigma] ** 2, square
        elif sigma == 1:
            yield jacobian.even_at_65536**2, square
        if n > 3:
            yield page.mean_entropy[name][n], log_sum(n, s) - s**2 * (1 - same)

    assert holds(printed(sigma))
    assert not any(close(*pair, 3e-5) for pair in list(printed(1.001 * sigma))[:3])


def test_single_numbers_by_another_quadrature(snippet):
    assert close(1 / snippet("saturation/saturation").four_dimensions, power_sums(512, 2)[0], 1e-6)
    assert close(snippet("saturation/plane").border_512, 18 * math.log(2))
    assumed = snippet("saturation/assumed")
    for place, c in [(0, 0), (10, 0.5)]:
        assert close(assumed.correlation[place], c)
        found = 1 / assumed.bare[place]
        assert close(found, power_sums(512, 8 * math.sqrt(1 - c))[0], 1e-6)
        assert close(found, power_sums(512, 8 * (1 - c))[0], 1e-6) == (c == 0)
    for sigma, limits in snippet("saturation/near_ties").constants.items():
        # m_n is n(n − 1)∫φ²Φ^{n−2}, the density of ties.
        ties = integrate.quad(lambda x: stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** 14, -9, 9)[0]
        assert close(limits["trace"], sigma * (1 - power_sums(16, sigma)[0]) / 240 / ties, 1e-6)
        assert close(limits["square"], sigma * jacobian_mean(16, sigma) / 240 / ties, 3e-5)


def test_where_the_norms_cross_by_another_quadrature(snippet):
    n = snippet("saturation/gradients").rms_overtakes
    bare_is_larger = [jacobian_mean(m, 8) > jacobian_mean(m, 1) for m in (n - 1, n)]
    assert bare_is_larger == [False, True]


def test_the_border_by_another_quadrature(snippet):
    page = snippet("saturation/freezing")
    for n, values in page.at_border.items():
        edge = math.sqrt(2 * math.log(n))
        for scale in (1, 1.001):
            pairs = [
                (values["keys"], 1 / power_sums(n, scale * edge)[0]),
                (values["max"], largest_mean(n, scale * edge)),
            ]
            assert holds(pairs) == (scale == 1)
    for n, share in page.rate.items():
        assert close(1 / share, n * power_sums(n, 1)[0], 1e-6)
    for x, keys in page.true.items():
        edge = math.sqrt(2 * math.log(10**100))
        assert close(1 / keys, power_sums(10**100, x * edge)[0], 1e-6)


def three_by_angle(sigma, f):
    """Average over the angle of three scores' differences; their length is Rayleigh's, times σ.

    The angle runs from the best two alike to the last two alike; f gets the range per length.
    """
    angle = np.pi / 6 * (np.arange(400) + 0.5) / 200
    lead, whole = (math.sqrt(2) * np.sin(a) for a in (angle, angle + np.pi / 3))
    return np.mean(f(sigma * lead, sigma * whole))


def test_three_scores_by_their_angle(snippet):
    page = snippet("saturation/three_scores")

    def within(lead, whole):
        return -np.expm1(-((page.example_range / whole) ** 2) / 2)

    def below(weight):
        def f(lead, whole):
            low, high = np.zeros_like(lead), np.full_like(lead, 1e4)
            for _ in range(60):  # the length at which the largest weight is this one
                r = (low + high) / 2
                over = 1 / (1 + np.exp(-lead * r) + np.exp(-whole * r)) > weight
                low, high = np.where(over, low, r), np.where(over, r, high)
            return -np.expm1(-(low**2) / 2)

        return f

    mean_length = math.sqrt(np.pi / 2)
    for sigma in (8, 8.1):
        found = [
            (page.p_range_4, three_by_angle(sigma, within), 1e-4),
            (page.mean_range, mean_length * three_by_angle(sigma, lambda lead, whole: whole), 0.01),
            (0.5, three_by_angle(sigma, below(page.median_weight)), 5e-4),
            (page.p_weight_example, three_by_angle(sigma, below(page.example_weight)), 1e-3),
        ]
        assert all(abs(value - other) < error for value, other, error in found) == (sigma == 8)
    first, total = (Decimal(x) for x in ("4.482", "13.727"))
    assert close(page.printed_fraction, float(first / total))


# How saturated


def attention(seed, n, d, divisor, draws):
    """Draw whole queries, of length √d, and keys; give the weights."""
    rng = np.random.default_rng(seed)
    p = np.empty((draws, n))
    for row in p:
        q = rng.standard_normal(d)
        q *= np.sqrt(d) / np.linalg.norm(q)
        row[:] = softmax(rng.standard_normal((n, d)) @ q / divisor)
    return p


@pytest.mark.parametrize("n", [16, 512])
def test_saturation(snippet, n):
    page = snippet("saturation/saturation")
    for name, d, divisor in [("÷ √d", 64, 8), ("d = 16", 16, 1), ("d = 64", 64, 1)]:
        p = attention(5, n, d, divisor, 600)
        same = np.sum(p**2, axis=1)
        assert is_mean(1 / page.taking_part[name][n], same)
        assert is_mean(page.largest_weight[name][n], p.max(axis=1))
        entropy = -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)
        assert is_mean(page.mean_entropy[name][n], entropy)
        assert close(page.share[name][n] * np.log(n), page.mean_entropy[name][n])
    for divisor in (1, 64):
        wrong = np.sum(attention(5, n, 64, divisor, 600) ** 2, axis=1)
        assert not is_mean(1 / page.taking_part["÷ √d"][n], wrong), "no divisor, and d for √d"


def test_saturation_for_three_keys(snippet):
    page = snippet("saturation/saturation")
    for values, sigma, wrong in [(page.scaled_3, 1, 8), (page.bare_3, 8, 1)]:
        _, p = draw(6, 3, sigma, 50_000)
        assert is_mean(values["largest"], p.max(axis=1))
        assert is_mean(1 / values["keys"], np.sum(p**2, axis=1))
        assert not is_mean(values["largest"], draw(6, 3, wrong, 50_000)[1].max(axis=1))


def test_rows(snippet):
    page = snippet("saturation/rows")
    # The picks stand for a quarter of all draws each: 1/8, 3/8, … have a smaller largest weight.
    rng = np.random.default_rng(34)
    root = np.sqrt(rng.chisquare(page.d, size=(20_000, 1)))  # the query's length
    largest = softmax(root * rng.standard_normal((20_000, page.n)), axis=1).max(axis=1)
    for place, p in enumerate(page.bare):
        share = (2 * place + 1) / 8
        assert is_share(share, largest < p.max(), page.draws)
        assert not is_share(share + 0.1, largest < p.max(), page.draws)
    assert close(np.sum(page.bare, axis=1), 1)
    # The same scores, divided by √d: the bare weights are the divided ones to the power 8.
    power = page.divided**8 / np.sum(page.divided**8, axis=1, keepdims=True)
    assert close(power, page.bare)
    wrong = page.divided**64 / np.sum(page.divided**64, axis=1, keepdims=True)
    assert not close(wrong, page.bare), "divided by d"
    assert np.all(page.divided.max(axis=1) < page.bare.max(axis=1))
    for lead, times in page.times.items():
        first, second = softmax([lead, 0])
        assert close(times, first / second)


def test_lead_figure(snippet):
    page = snippet("saturation/logits")
    for n, largest in page.largest_at.items():
        for sigma, value in largest.items():
            p = draw(7, n, sigma, 1_000_000 // n + 500)[1]
            assert is_mean(value, p.max(axis=1))
            assert not is_mean(largest[9 - sigma], p.max(axis=1))
    for n, weight in page.largest_weight.items():
        assert np.all(np.diff(weight) > 0)
        falls = bool(np.all(np.diff(page.gradient[n]) < 0))
        assert falls == (n == 3)


def test_certainty(snippet):
    page = snippet("saturation/certainty")
    for n in (3, 64, 512):
        hits, lead = [], []
        for seed in range(20):  # in parts: half of a gigabyte would be slow
            g, p = draw((8, seed), n, 8, 3000 if n > 64 else 10_000)
            hits.append(p.max(axis=1))
            two = -np.partition(-g, 1, axis=1)[:, :2]
            lead.append(8 * (two[:, 0] - two[:, 1]))
        hits, lead = np.concatenate(hits), np.concatenate(lead)
        assert is_share(page.at_64[n], hits > 0.99)
        assert not is_share(page.at_64[n] + 0.01, hits > 0.99)
        assert not is_share(page.at_64[n] - 0.01, hits > 0.99)
        assert not is_share(page.at_64[n], hits > 0.999)
        assert is_median(page.gap_at_64[n], lead, math.inf)
        assert not is_median(page.gap_at_64[n] + 0.1, lead, math.inf)
        assert not is_median(8, lead, math.inf), "the spread of one score"

    # For three keys: the first lead has to exceed ln 99 + ln(1 + e^{-8b}), over 8.
    def beyond(b):
        low = (math.log(99) + math.log1p(math.exp(-8 * b))) / 8
        return stats.norm.sf((low + b / 2) * math.sqrt(2 / 3)) * math.exp(-(b**2) / 4)

    integral = 6 / math.sqrt(4 * math.pi) * integrate.quad(beyond, 0, 14, points=[0.5, 2])[0]
    assert abs(page.at_64[3] - integral) < 2e-4
    assert not abs(page.at_64[3] - 2 * integral) < 2e-4
    assert close(page.behind_by_2, softmax([0, 2])[0])


def test_dimensions_needed_for_certainty(snippet):
    page = snippet("saturation/certainty")
    for n in (3, 64):
        p = draw(9, n, np.sqrt(page.d_needed[n]), 20_000)[1].max(axis=1)
        assert is_share(0.95, p > 0.99)
        p = draw(9, n, np.sqrt(64), 20_000)[1].max(axis=1)
        assert not is_share(0.95, p > 0.99), "'almost certainly' at d = 64"


# The two phases


def test_levels(snippet):
    page = snippet("saturation/levels")
    counts = [np.random.default_rng(s).standard_normal(page.n) for s in range(200)]
    for level in (0, 1, 2, 3):
        near = np.array([np.sum(np.abs(g - level) < 0.25) for g in counts])
        at = np.searchsorted(page.g, level)
        assert is_mean(page.keys[at], near)
        assert not is_mean(page.keys[at] / 2, near)
    assert close(page.n * np.exp(-(page.edge**2) / 2), 1)
    one = page.n * integrate.quad(stats.norm.pdf, page.one_left - 0.25, page.one_left + 0.25)[0]
    assert close(one, 1, 1e-3)
    assert not close(one / 2, 1, 1e-3)
    for s, weight in page.weight.items():
        exponent = np.log(page.n) - page.g**2 / 2 + s * page.g
        assert page.g[np.argmax(exponent)] == page.g[np.argmax(weight)]
        assert close(page.g[np.argmax(weight)], s)
        assert (page.keys_at_peak[s] > 1) == (s < page.edge)


def test_the_weight_gathers_at_sigma_until_there_are_no_keys(snippet):
    page = snippet("saturation/levels")
    for s in page.spreads:
        g, p = draw(10, page.n, s, 300)
        level = np.sum(p * g, axis=1)  # the mean level by weight
        if s <= page.edge / 2:
            assert abs(level.mean() - s) < 0.1 * s
            assert level.mean() < page.edge
        if s > page.edge:
            assert level.mean() < page.edge  # frozen at the edge
            assert not abs(level.mean() - s) < 0.1 * s


def test_phases(snippet, exact):
    page = snippet("saturation/phases")
    for n, critical in page.critical.items():
        assert close(math.exp(critical / 2), n)
    assert [round(page.critical[n], 1) for n in (16, 65536)] == [5.5, 22.2]
    for d, keys in page.spread_if_above.items():  # so many that the border is at d
        assert close(2 * math.log(keys), d)
    assert all(2 * math.log(n) > 1 for n in page.critical)  # divided: spread, from 2 keys on
    assert not all(2 * math.log(n) > 4 for n in page.critical)  # half the divisor would not do
    for n in (16, 512):
        p = draw(11, n, math.sqrt(page.half[n]), 4000)[1].max(axis=1)
        assert is_mean(0.5, p)
        assert not is_mean(0.5, draw(11, n, 1, 4000)[1].max(axis=1))


def initial_scores(width, d, sd_q, sd_k, sets=2000):
    """Draw bare scores of one head: a token of length √width, times weights of these spreads.

    A coordinate of Wx is Gaussian, with the variance of W's entries times |x|².
    """
    rng = np.random.default_rng(35)
    x = rng.standard_normal(width)
    x *= math.sqrt(width) / np.linalg.norm(x)
    q, k = (sd * np.linalg.norm(x) * rng.standard_normal((sets, d)) for sd in (sd_q, sd_k))
    return np.sum(q * k, axis=1)


@pytest.mark.parametrize(
    ("name", "width", "d", "sd_q", "sd_k"),
    [
        ("T5", 512, 64, (512 * 64) ** -0.5, 512**-0.5),
        ("GPT-2", 768, 64, 0.02, 0.02),
        ("GPT-2 XL", 1600, 64, 0.02, 0.02),
        ("OPT-175B", 12288, 128, 0.006, 0.006),
        ("GPT-3, if 0.02", 12288, 128, 0.02, 0.02),
    ],
)
def test_where_models_start(snippet, name, width, d, sd_q, sd_k):
    page = snippet("saturation/phases")
    n = page.models[name][0]
    square = initial_scores(width, d, sd_q, sd_k) ** 2
    assert is_mean(page.bare[name], square)
    assert close(page.bare[name], d * (width * sd_q * sd_k) ** 2)
    assert not is_mean(d, square), "variances of 1"
    assert close(page.bare[name] / page.divided[name], d)
    counts = page.taking_part[name]
    for kind, other in [("bare", "divided"), ("divided", "bare")]:
        variance = getattr(page, kind)[name]
        same = np.concatenate(
            [np.sum(draw((36, s), n, variance**0.5, 200)[1] ** 2, axis=1) for s in range(5)]
        )
        assert is_mean(1 / counts[kind], same)
        assert not is_mean(1 / counts[other], same)
        assert close(1 / counts[kind], power_sums(n, variance**0.5)[0], 1e-6)
    # Frozen or spread, as the page says.
    frozen = {key: getattr(page, key)[name] > 2 * math.log(n) for key in ("bare", "divided")}
    assert frozen["bare"] == (name not in ("T5", "GPT-2"))
    assert frozen["divided"] == (name == "GPT-3, if 0.02")


def test_initialisations_are_those_of_the_audit(snippet):
    page, audit = snippet("saturation/phases"), snippet("scales/audit")
    assert close(page.bare["GPT-2"], (8 * audit.logit_sd["GPT-2"]) ** 2)
    assert close(page.bare["T5"], audit.logit_sd["T5"] ** 2)  # which has no divisor
    assert close(page.first_transformer, 64 * audit.var_q["Xavier, fused"] ** 2)
    assert not close(page.first_transformer, 64 * audit.var_q["LeCun"] ** 2)


@pytest.mark.parametrize("n", [16, 512, 65536])
def test_the_border_itself(snippet, keys, n):
    page, edge = snippet("saturation/freezing"), math.sqrt(2 * math.log(n))
    top = keys.draw(np.random.default_rng(37), n, 100_000)
    same, largest = keys.weights_norm(top, n, edge) ** 2, keys.largest_weight(top, n, edge)
    assert is_mean(1 / page.at_border[n]["keys"], same)
    assert is_mean(page.at_border[n]["max"], largest)
    # At the edge that the finer formula gives, a little lower.
    lower = edge - (math.log(math.log(n)) + math.log(4 * math.pi)) / (2 * edge)
    assert not is_mean(1 / page.at_border[n]["keys"], keys.weights_norm(top, n, lower) ** 2)
    assert not is_mean(page.at_border[n]["max"], keys.largest_weight(top, n, lower))


def test_freezing_limit_by_a_poisson_process(snippet, exact):
    page = snippet("saturation/freezing")
    rng = np.random.default_rng(12)
    for alpha in (0.4, 0.5):
        # Points of density α w^{−α−1}: the inverse of a unit Poisson process, to the power 1/α.
        times = np.cumsum(rng.exponential(size=(4000, 3000)), axis=1)
        w = (times / times[:, :1]) ** (-1 / alpha)
        p = w / w.sum(axis=1, keepdims=True)
        assert is_mean(1 - alpha, np.sum(p**2, axis=1))
        assert not is_mean(1 - alpha**2, np.sum(p**2, axis=1))
        assert is_mean(alpha * (1 - alpha) / 3, jacobian_squares(p))
        assert not is_mean(alpha * (1 - alpha) / 2, jacobian_squares(p))
    place = np.searchsorted(page.ratio, 2)
    assert close(page.limit[place], 0.5, 0.02)
    errors = [abs(page.twice[n] - 0.5) for n in page.counts]
    assert sorted(errors, reverse=True) == errors  # nearer with every n
    # The distance falls like 1/ln n, up to a slowly varying factor.
    for n, error in zip(page.counts, errors, strict=True):
        assert error < 1 / math.log(n)
        assert abs(page.twice[n] - 0.75) > 1 / math.log(n) or n == 16
    n = 10**100
    sigma = 2 * math.sqrt(2 * math.log(n))
    assert abs(exact.jacobian_square(n, sigma) - 1 / 12) < 1 / math.log(n)
    assert abs(exact.jacobian_square(n, sigma) - 1 / 8) > 1 / math.log(n)


def test_where_the_simple_count_ends(snippet):
    page = snippet("saturation/freezing")
    for x, simple in page.simple.items():
        # In logarithms: ln n (1 − 2x²).
        assert close(math.log(simple), math.log(10**100) * (1 - 2 * x**2))
    factor = {x: page.true[x] / page.simple[x] for x in page.simple}
    assert factor[0.55] < 1.1 < 10 < factor[0.6]  # on both sides of 1/√3
    assert page.simple[0.9] < 1 < page.true[0.9]


def test_a_share_of_1_over_e(snippet):
    page = snippet("saturation/freezing")

    def tends(limit):  # the first correction is of order 1/n, with a constant below 4
        return all(abs(page.rate[n] / limit - 1) < 10 / n for n in (512, 65536, 10**6))

    assert tends(math.exp(-1))
    assert not tends(math.exp(-0.5))
    assert close(page.inverse_e, math.exp(-1))


# Gradients


@pytest.mark.parametrize("n", [3, 16, 64, 512])
def test_gradients(snippet, n):
    page = snippet("saturation/gradients")
    for sigma in (1, 8):
        draws = 6000 if n < 512 else 3000
        norms = np.sqrt(jacobian_squares(draw(13, n, sigma, draws)[1]))
        assert is_mean(page.rms_at[n][sigma] ** 2, norms**2)
        assert not is_mean(page.rms_at[n][9 - sigma] ** 2, norms**2)
        behind = math.inf
        mean, error = mean_and_error(norms)
        assert agrees(mean, page.mean_at[n][sigma], error * math.sqrt(1 + draws / behind))
        assert is_median(page.median_at[n][sigma], norms, behind)
        if n != 64:  # for 64 keys the two medians nearly meet
            assert not is_median(page.median_at[n][9 - sigma], norms, behind)
        if sigma == 8:
            assert is_share(page.near_zero_at[n][sigma], norms < 0.01, behind)
            assert not is_share(page.near_zero_at[n][sigma], norms < 0.1, behind)


@pytest.mark.parametrize("n", [16, 64, 512, 4096])
def test_printed_digits_of_the_gradients(snippet, keys, n):
    page, draws = snippet("saturation/gradients"), 250_000
    top = keys.draw(np.random.default_rng(24), n, draws, keep=min(n, 30))
    norms = keys.jacobian_norm(top, n, 8)
    relative = norms / keys.weights_norm(top, n, 8)
    for value, sample in [(page.median_at, norms), (page.relative_at, relative)]:
        assert is_median(value[n][8], sample, math.inf)
        for unit in (-0.01, 0.01):
            assert not is_median(value[n][8] + unit, sample, math.inf)
    assert is_mean(page.mean_at[n][8], norms)
    assert not is_mean(page.mean_at[n][8] + 0.01, norms)
    assert is_share(page.near_zero_at[n][8], norms < 0.01)
    assert not is_share(page.near_zero_at[n][8] + 0.01, norms < 0.01)


def test_the_share_near_zero_to_three_digits(snippet, keys):
    value, shares = snippet("saturation/gradients").near_zero_at[512][8], []
    for seed in range(1, 6):  # other even draws, of fewer keys
        top = keys.draw_evenly(512, keep=12, seed=seed)
        shares.append(np.mean(keys.jacobian_norm(top, 512, 8) < 0.01))
    share, error = mean_and_error(np.array(shares))
    assert 4.5 * error < 0.0006
    assert agrees(share, value, error)
    for unit in (-0.001, 0.001):
        assert not agrees(share, value + unit, error)


def test_gradients_for_three_keys(snippet):
    page, measures = snippet("saturation/gradients"), snippet("saturation/measures")
    scores, mass = three_keys()

    def share(hits):
        return mass[hits].sum()

    medians = {}
    for sigma in (1, 8):
        p = softmax(sigma * scores, axis=1)
        norms = np.sqrt(jacobian_squares(p))
        order = np.argsort(norms)
        medians[sigma] = np.interp(0.5, np.cumsum(mass[order]), norms[order])
        assert abs(mass @ norms - page.mean_at[3][sigma]) < 1e-3
        for sample, values in [
            (norms, page.median_at),
            (norms / np.linalg.norm(p, axis=1), page.relative_at),
        ]:
            # Half a unit of the last digit that is printed.
            unit = 0.005 if sigma == 1 else 0.0005
            value = values[3][sigma]
            assert share(sample < value - unit) < 0.5 < share(sample < value + unit)
            assert not share(sample < value + unit) < 0.5
        own = mass @ np.sum(p * (1 - p), axis=1)
        relative = (mass @ norms**2 / (mass @ np.sum(p**2, axis=1))) ** 0.5
        for measure, value in [
            ("norm", (mass @ norms**2) ** 0.5),
            ("own", own),
            ("relative", relative),
        ]:
            assert close(getattr(measures, measure)[sigma][3], value, 1e-4)
            assert not close(getattr(measures, measure)[9 - sigma][3], value, 1e-4)
    ratio = snippet("saturation/reach").median_ratio[64][3]
    assert abs(8 * medians[8] / medians[1] - ratio) < 0.002
    assert not abs(medians[8] / medians[1] - ratio) < 0.002, "without the chain rule's 1/s"
    assert abs(share(norms < 0.01) - page.near_zero_at[3][8]) < 0.001
    assert not abs(share(norms < 0.011) - page.near_zero_at[3][8]) < 0.001


@pytest.mark.parametrize(("n", "draws"), [(16, 200_000), (64, 60_000), (512, 12_000), (4096, 3000)])
def test_printed_digits_with_the_divisor(snippet, n, draws):
    # All keys, drawn at random: with the divisor the many small weights count.
    page, samples = snippet("saturation/gradients"), []
    for seed in range(5):
        p = draw((38, seed), n, 1, draws // 5)[1]
        norms = np.sqrt(jacobian_squares(p))
        samples.append([norms, norms / np.linalg.norm(p, axis=1)])
    norms, relative = np.concatenate(samples, axis=1)
    unit = 0.001 if n == 4096 else 0.01
    for value, sample, last in [(page.median_at, norms, 0.01), (page.relative_at, relative, unit)]:
        assert is_median(value[n][1], sample, math.inf)
        for error in (-last / 2, last / 2):
            assert not is_median(value[n][1] + error, sample, math.inf)


def test_three_measures(snippet):
    page, gradients = snippet("saturation/measures"), snippet("saturation/gradients")
    for n in (3, 16, 64, 512):
        for s in (1, 8):
            p = draw(25, n, s, 3000)[1]
            square, same = jacobian_squares(p), np.sum(p**2, axis=1)
            assert is_mean(page.norm[s][n] ** 2, square)
            assert is_mean(page.own[s][n], np.sum(p * (1 - p), axis=1))
            assert not is_mean(page.own[9 - s][n], np.sum(p * (1 - p), axis=1))
            # A ratio of means, as a mean that has to be 0.
            assert is_mean(0, square - page.relative[s][n] ** 2 * same)
            assert not is_mean(0, square - page.relative[9 - s][n] ** 2 * same)
            assert is_median(gradients.relative_at[n][s], np.sqrt(square / same), math.inf)
    for n in page.counts:
        # The norm is the larger one without the divisor for many keys; the others never are.
        assert (page.norm[8][n] > page.norm[1][n]) == (n >= gradients.rms_overtakes)
        assert page.own[8][n] < page.own[1][n]
        assert page.relative[8][n] < page.relative[1][n]
    assert page.relative[8][512] > 1 / 3 < page.own[8][512]
    p = draw(26, 65536, 1, 20)[1]
    assert is_mean(gradients.even_at_65536**2, jacobian_squares(p))
    assert np.all(jacobian_squares(p) < 0.01**2)


@pytest.mark.parametrize("sigma", [1, 8])
def test_why_frobenius(sigma):
    n, d = 6, 5
    p = draw(39, n, sigma, 1)[1][0]
    J = np.diag(p) - np.outer(p, p)
    rng = np.random.default_rng(40)
    u, V = rng.standard_normal(d), rng.standard_normal((40_000, n, d))

    # What comes back to the scores is the derivative of u·o, with o = V'p.
    def loss(z):
        return u @ (V[0].T @ softmax(z))

    z, h = np.log(p), 1e-6
    slopes = [(loss(z + h * e) - loss(z - h * e)) / (2 * h) for e in np.eye(n)]
    assert np.allclose(J @ V[0] @ u, slopes, rtol=0, atol=1e-8)

    back = np.sum((V @ u @ J) ** 2, axis=1)
    assert is_mean(u @ u * np.sum(J**2), back)
    assert not is_mean(u @ u * np.linalg.norm(J, 2) ** 2, back), "the spectral norm"
    assert not is_mean(u @ u * np.trace(J) ** 2, back), "the trace"

    # The output, for a random small change of all scores, and its own size.
    change = rng.standard_normal((len(V), n)) @ J
    moved = np.sum(np.einsum("rnd,rn->rd", V, change) ** 2, axis=1)
    size = np.sum(np.einsum("rnd,n->rd", V, p) ** 2, axis=1)
    assert is_mean(d * np.sum(J**2), moved)
    assert is_mean(d * np.sum(p**2), size)
    assert not is_mean(d * np.sum(p), size)


def test_where_the_median_norms_cross(snippet, keys):
    page = snippet("saturation/gradients")
    assert list(page.medians) == [page.median_overtakes - 1, page.median_overtakes]

    def bare_is_larger(n, seed):
        top = keys.draw_evenly(n, keep=n, seed=seed)
        one, eight = (np.median(keys.jacobian_norm(top, n, s)) for s in (1, 8))
        return eight > one

    for seed in (1, 2):
        assert [bare_is_larger(n, seed) for n in page.medians] == [False, True]
    for n, larger in [(45, False), (70, True)]:  # by all keys, drawn at random
        one, eight = (np.median(jacobian_squares(draw(27, n, s, 20_000)[1])) for s in (1, 8))
        assert (eight > one) == larger


@pytest.mark.parametrize("n", [2, 3, 4, 5, 64])
def test_four_keys_by_a_line(n):
    # In every draw, however uneven.
    for sigma in (0.01, 0.3, 1, 3):
        p = draw(28, n, sigma, 50)[1]
        x = n * p - 1
        v, s = np.mean(x**2, axis=1), np.mean(x**3, axis=1)
        matrices = [np.linalg.norm(np.diag(w) - np.outer(w, w)) ** 2 for w in p]
        rise = n**2 * np.array(matrices) - (n - 1)
        rounding = 1e-12 * n**2

        def fits(value, rise=rise, rounding=rounding):
            return np.allclose(rise, value, rtol=1e-9, atol=rounding)

        assert fits((n - 4) * v + v**2 - 2 * s)
        assert not fits((n - 3) * v + v**2 - 2 * s)
        if sigma > 0.01 and n > 2:
            assert not fits((n - 4) * v), "without the powers above the second"
        if sigma == 0.01 and n != 4:  # which hardly matter to nearly even weights
            assert np.all(np.sign(rise) == np.sign(n - 4))


def test_a_handful_of_keys_and_many(snippet, exact):
    page = snippet("saturation/gradients")
    for values in (page.rms_at, page.median_at):
        assert values[3][8] < values[3][1]
        assert values[512][8] > 2 * values[512][1]
    n = page.rms_overtakes
    bigger = [exact.jacobian_square(m, 8) > exact.jacobian_square(m, 1) for m in (n - 1, n, n + 1)]
    assert bigger == [False, True, True]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 64])
def test_up_to_four_keys_the_gradient_only_falls(exact, n):
    square = [exact.jacobian_square(n, s) for s in np.geomspace(0.05, 20, 60)]
    assert close(square[0], (n - 1) / n**2, 3e-3)  # even weights
    assert bool(np.all(np.diff(square) < 0)) == (n <= 4)


def test_mean_maximum(exact):
    closed = {2: 1 / math.sqrt(math.pi), 3: 1.5 / math.sqrt(math.pi)}
    for n, value in closed.items():
        assert close(exact.mean_maximum(n), value)
        assert not close(exact.mean_maximum(n), math.sqrt(2 * math.log(n)))
    g = np.random.default_rng(14).standard_normal((4000, 512)).max(axis=1)
    assert is_mean(exact.mean_maximum(512), g)
    assert not is_mean(math.sqrt(2 * math.log(512)), g)


@pytest.mark.parametrize("n", [2, 16, 512])
def test_the_density_of_ties_is_the_mean_maximum(exact, n):
    def ties(x):
        return stats.norm.pdf(x) ** 2 * stats.norm.cdf(x) ** (n - 2)

    density = n * (n - 1) * integrate.quad(ties, -9, 9, points=[0, 2, 3])[0]
    assert close(density, exact.mean_maximum(n), 1e-8)
    assert not close(density / 2, exact.mean_maximum(n), 1e-8), "unordered pairs"


@pytest.mark.parametrize("n", [3, 16, 512])
def test_the_law_of_near_ties(exact, n):
    spreads = [16.0, 32.0, 64.0, 128.0]
    laws = {
        "trace": (exact.trace, 1),
        "square": (exact.jacobian_square, 1 / 3),
        "rest": (lambda n, s: 1 - exact.largest(n, s), math.log(2)),
    }

    def tends(values, limit):
        # The next term is of order 1/σ or less: it halves, at least, as σ doubles. The largest
        # weight has six digits, and σ/m_n multiplies their error.
        errors = [abs(v / limit - 1) for v in values]
        return errors[-1] < 0.05 and all(
            b < max(0.6 * a, 1e-3) for a, b in itertools.pairwise(errors)
        )

    for name, (route, limit) in laws.items():
        values = [route(n, s) * s / exact.mean_maximum(n) for s in spreads]
        assert tends(values, limit), name
        assert not tends(values, limit / 2), name
        assert not tends([v / s for v, s in zip(values, spreads, strict=True)], limit), "d for √d"


def test_the_fourth_law_of_near_ties(exact, keys):
    n, sigma = 16, 64
    top = keys.draw(np.random.default_rng(29), n, 400_000)
    mean, error = mean_and_error(keys.jacobian_norm(top, n, sigma) * sigma / exact.mean_maximum(n))
    # The next term is of order 1/σ.
    assert agrees(mean, 1, error + 1 / sigma / 4)
    assert not agrees(mean, 1 / 3, error + 1 / sigma / 4), "the law of its square"
    assert not agrees(mean, math.log(2), error + 1 / sigma / 4)


def test_near_ties(snippet):
    page = snippet("saturation/near_ties")
    for d in (1, 64, 1024):
        place = int(np.flatnonzero(page.dims == d)[0])
        square = jacobian_squares(draw(15, page.n, math.sqrt(d), 40_000)[1])
        assert is_mean(page.mean_square[place], square)
        assert is_median(page.median[place], square, math.inf)
        if d > 1:
            assert not is_median(page.mean_square[place], square, math.inf)
    for d, value, unit in [(64, page.tenth_at_64, 0.005), (4096, page.tenth_at_4096, 0.0005)]:
        shares = []
        for seed in range(20):
            square = np.sort(jacobian_squares(draw((30, seed), page.n, math.sqrt(d), 20_000)[1]))
            shares.append(square[-2000:].sum() / square.sum())
        share, error = mean_and_error(np.array(shares))
        assert 4.5 * error < unit
        assert agrees(share, value, error)
        assert not agrees(share, value + 2 * unit, error)
    # Means: a straight line of slope −1/2. Medians: steeper and steeper.
    slope = np.diff(np.log(page.mean_square)) / np.diff(np.log(page.dims))
    assert abs(slope[-1] + 0.5) < 0.02
    assert np.diff(np.log(page.median))[-1] < -5
    assert close(page.ln_2, math.log(2))


def output_gradients(seed, n, d, s, draws):
    """Draw queries of length √d, keys and values; give ‖∂o/∂q‖_F/√d_v, from the definition."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        q = rng.standard_normal(d)
        q *= np.sqrt(d) / np.linalg.norm(q)
        K, V = rng.standard_normal((2, n, d))
        p = softmax(K @ q / s)
        o = p @ V
        result.append(np.linalg.norm(((V - o).T * p) @ K) / s / np.sqrt(d))
    return np.array(result)


@pytest.mark.parametrize("n", [3, 16, 64])
def test_gradient_of_the_output(snippet, exact, n):
    page, d = snippet("saturation/reach"), 64
    bare, divided = (output_gradients(16, n, d, s, 3000) for s in (1, 8))
    for sample, s in [(bare, 1), (divided, 8)]:
        sigma = 8 / s
        square = (d - 1) * exact.jacobian_square(n, sigma) + exact.along_query_square(n, sigma)
        assert is_mean(square / s**2, sample**2)
        assert not is_mean(square / s**2 / 64, sample**2), "1/s once too often"
        if s > 1:
            assert not is_mean(square, sample**2), "without the chain rule's 1/s"
    ratio = np.median(bare) / np.median(divided)
    # What is left out, ‖Jg‖², and two simulated medians: a tenth, or a quarter for three keys.
    assert abs(ratio / page.median_ratio[d][n] - 1) < (0.3 if n == 3 else 0.12)
    assert not abs(ratio / 8 / page.median_ratio[d][n] - 1) < 0.3
    assert (ratio < 1) == (n == 3)
    root = np.sqrt(np.mean(bare**2) / np.mean(divided**2))
    assert abs(root / page.rms_ratio[d][n] - 1) < 0.12
    assert page.rms_ratio[d][n] > 1


def test_gradient_of_the_output_for_512_keys(snippet, exact):
    page, n, d = snippet("saturation/reach"), 512, 64
    ratio = {s: output_gradients(31, n, d, s, 500) for s in (1, 8)}
    for s, sample in ratio.items():
        assert is_mean(exact.output_gradient(n, d, s) ** 2, sample**2)
    squares = [mean_and_error(sample**2) for sample in ratio.values()]
    root = math.sqrt(squares[0][0] / squares[1][0])
    error = root / 2 * math.hypot(*(e / m for m, e in squares))
    assert agrees(root, page.rms_ratio[d][n], error)
    assert not agrees(root / 2, page.rms_ratio[d][n], error)
    assert page.rms_ratio[d][n] / 8 < 5, "8 of it is 1/s"
    # Relative to o, by E‖o‖²/d_v = E Σp², drawn.
    norms = [mean_and_error(np.sum(draw(32, n, 8 / s, 8000)[1] ** 2, axis=1)) for s in ratio]
    relative = page.rms_ratio[d][n] * math.sqrt(norms[1][0] / norms[0][0])
    error = relative / 2 * math.hypot(*(e / m for m, e in norms))
    assert agrees(relative, page.rms_relative, error)
    assert 4.5 * error < 0.05 < abs(page.rms_ratio[d][n] - page.rms_relative)


def test_relative_to_the_output_the_medians_cross_later():
    d = 64

    def relative(n, s):
        rng, result = np.random.default_rng(33), []
        for _ in range(4000):
            K, V = rng.standard_normal((2, n, d))
            p = softmax(math.sqrt(d) * K[:, 0] / s)  # the query lies along the first axis
            o = p @ V
            result.append(np.linalg.norm(((V - o).T * p) @ K) / s / np.linalg.norm(o))
        return np.median(result)

    assert relative(8, 1) < 0.9 * relative(8, 8)
    assert relative(64, 1) > 1.1 * relative(64, 8)


@pytest.mark.parametrize("d", [64, 128, 256])
def test_where_the_medians_cross(snippet, keys, d):
    page = snippet("saturation/reach")

    def ratio(n):
        bare, divided = (np.sqrt(jacobian_squares(draw(21, n, s, 8000)[1])) for s in (d**0.5, 1))
        return math.sqrt(d) * np.median(bare) / np.median(divided)

    def crosses(n):  # a tenth below it the bare gradient is smaller, a tenth above larger
        return ratio(math.floor(n / 1.1)) < 1 < ratio(math.ceil(n * 1.1))

    assert crosses(page.crossing[d])
    assert not crosses(page.crossing[d] / 1.3)
    assert not crosses(page.crossing[d] * 1.3)

    # The whole number that is printed, from other even draws.
    def even_ratio(n):
        top = keys.draw_evenly(n, seed=1)
        bare, divided = (np.median(keys.jacobian_norm(top, n, s)) for s in (math.sqrt(d), 1))
        return math.log(math.sqrt(d) * bare / divided)

    low = math.floor(page.crossing[d])
    below, above = even_ratio(low), even_ratio(low + 1)
    assert abs(low - below / (above - below) - page.crossing[d]) < 0.25


def test_gradient_of_the_output_is_a_derivative():
    rng = np.random.default_rng(17)
    q, K, V, s = rng.standard_normal(4), *rng.standard_normal((2, 5, 4)), 2.0

    def output(q):
        return softmax(K @ q / s) @ V

    p = softmax(K @ q / s)
    formula = V.T @ (np.diag(p) - np.outer(p, p)) @ K / s
    steps = 1e-6 * np.eye(4)
    slopes = np.array([(output(q + h) - output(q - h)) / 2e-6 for h in steps]).T
    assert np.allclose(formula, slopes, atol=1e-8)
    assert not np.allclose(formula * s, slopes, atol=1e-8)


def test_typical_weight(snippet):
    page = snippet("saturation/reach")
    for n in (16, 512):
        for sigma in (1, 8):
            g, _ = draw(18, n, sigma, 3000)
            log_sum = np.log(np.sum(np.exp(sigma * g), axis=1))
            assert is_mean(-math.log(page.typical[sigma][n]), log_sum)
            assert not is_mean(math.log(n), log_sum), "1/n"


def test_a_row_of_the_jacobian_is_no_longer_than_root_2_p():
    for sigma in (0.5, 1, 8):
        for p in draw(19, 8, sigma, 200)[1]:
            rows = np.linalg.norm(np.diag(p) - np.outer(p, p), axis=1)
            assert np.all(rows <= math.sqrt(2) * p * (1 + 1e-12) + 1e-16)
            assert not np.all(rows <= p**2)


# What it rests on


def test_correlated_keys(snippet):
    page = snippet("saturation/assumed")
    rng = np.random.default_rng(20)
    n, d = page.n, page.d

    def same_key(c, divisor, draws=400):
        result = []
        for _ in range(draws):
            q = rng.standard_normal(d)
            q *= np.sqrt(d) / np.linalg.norm(q)
            common, own = rng.standard_normal(d), rng.standard_normal((n, d))
            K = math.sqrt(c) * common + math.sqrt(1 - c) * own
            result.append(np.sum(softmax(K @ q / divisor) ** 2))
        return np.array(result)

    for c in (0.0, 0.5, 0.9):
        place = int(np.argmin(np.abs(page.correlation - c)))
        for divisor, values in [(1, page.bare), (8, page.divided)]:
            sample = same_key(c, divisor)
            assert is_mean(1 / values[place], sample)
            if c:
                assert not is_mean(1 / values[0], sample), "independent keys"
    assert close((1 - page.leaves_at) * d, 2 * math.log(n))


def test_length_of_the_query(snippet, exact):
    page = snippet("saturation/assumed")
    for d in page.mixed:
        # Another rule for the same average: Gauss–Laguerre for the law of ‖q‖²/2.
        node, weight = np.polynomial.laguerre.laggauss(120)
        weight = np.exp(np.log(weight) + (d / 2 - 1) * np.log(node) - math.lgamma(d / 2))
        same = [exact.mean_power_sum(page.n, math.sqrt(2 * x / d), 2) for x in node[weight > 1e-9]]
        average = np.sum(weight[weight > 1e-9] * same)
        assert close(1 / page.mixed[d], average, 1e-5)
        fixed = exact.mean_power_sum(page.n, 1.0, 2)
        assert not close(1 / page.mixed[d], fixed, 1e-3)
        assert abs(page.excess[d] - (average / fixed - 1)) < 1e-4
        if d == page.d:
            same = [exact.mean_power_sum(page.n, math.sqrt(2 * x), 2) for x in node[weight > 1e-9]]
            assert close(1 / page.mixed_bare, np.sum(weight[weight > 1e-9] * same), 1e-5)
            assert not close(page.mixed_bare, page.bare[0], 1e-3)


def test_the_map_to_drag_over(snippet):
    """Each place averages what simulated rows do; a map shifted by half an octave does not."""
    shown = snippet("saturation/plane")
    rng = np.random.default_rng(31)

    def fits(shift):
        found = []
        for i, j in [(0, 2), (12, 0), (12, 6), (20, 3), (24, 8), (28, 5), (32, 9)]:
            n, sigma = 2 ** shown.octaves[j], 2.0 ** (shown.halvings[i] + shift)
            rows = softmax(sigma * rng.standard_normal((1500, n)), axis=1).max(axis=1)
            mean, error = mean_and_error(rows)
            found.append(agrees(shown.weight[i, j], mean, error))
        return all(found)

    assert fits(0)
    assert not fits(0.5)
    assert np.abs(shown.explore["map"] / 1000 - shown.weight).max() <= 0.0005
    assert shown.models["GPT-2"][2] == pytest.approx(snippet("scales/audit").var_q["GPT-2"] ** 2)
    t5 = snippet("scales/audit")
    assert shown.models["T5"][2] == pytest.approx(t5.var_q["T5"] * t5.var_k["T5"])
