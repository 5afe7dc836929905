"""The claims of docs/variance.md: each by a second route, each with a wrong variant that fails."""

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy import integrate, special, stats

from tests.tolerance import agrees, close, mean_and_error, variance_and_error


def dots(seed, d, samples=20_000):
    """Draw dot products of independent Gaussian q and k."""
    q, k = np.random.default_rng(seed).standard_normal((2, samples, d))
    return np.sum(q * k, axis=1)


def signs(count):
    """Give all 2^count ways to choose signs, each as likely as the others."""
    return np.array(list(itertools.product([-1, 1], repeat=count)))


def gaussian_mean(polynomial):
    """Give the mean of a polynomial in independent standard Gaussians, exactly."""
    return sum(
        c * math.prod(0 if p % 2 else math.prod(range(1, p, 2)) for p in powers)
        for powers, c in polynomial.terms()
    )


# The law of q·k


@pytest.mark.parametrize("d", [1, 2, 3, 4, 16, 64, 256])
def test_density_is_a_mean_of_bell_curves(module, d):
    # Given k, q·k is N(0, |k|²), and |k|² is χ²_d.
    density = module("variance/dot_product").density
    s = np.array([0.5, 1, 3, 8]) * np.sqrt(d)

    def mixture(degrees):
        u = np.linspace(-25, np.log(stats.chi2.isf(1e-60, degrees)), 6000)
        weight = np.exp(stats.chi2.logpdf(np.exp(u), degrees) + u)
        bells = stats.norm.pdf(s[:, np.newaxis], scale=np.exp(u / 2))
        return np.trapezoid(weight * bells, u, axis=1)

    assert close(density(s, d) / mixture(d), 1, 1e-7)
    assert not close(density(s, d) / mixture(d + 1), 1, 1e-4)


def test_density_in_closed_form_for_2_and_4_dimensions(module):
    density = module("variance/dot_product").density
    s = np.linspace(-9, 9, 37)
    laplace, four = np.exp(-np.abs(s)) / 2, (1 + np.abs(s)) * np.exp(-np.abs(s)) / 4
    assert close(density(s, 2), laplace, 1e-8)
    assert close(density(s, 4), four)
    assert not close(density(s, 4), laplace, 1e-2)


def test_density_survives_orders_where_scipy_overflows(module):
    law = module("variance/dot_product")
    with np.errstate(all="ignore"):
        assert np.isinf(special.kv(127.5, 0.1))
    assert close(law.log_bessel_k(127.5, 5.0), np.log(special.kv(127.5, 5.0)))
    peak = math.exp(math.lgamma(127.5) - math.lgamma(128)) / (2 * math.sqrt(math.pi))
    assert close(law.density(0.0, 256), peak)


def test_density_with_correlation_fits_a_simulation(module):
    density = module("variance/dot_product").density
    d, rho, samples = 8, 0.6, 20_000
    q, k = np.random.default_rng(1).standard_normal((2, samples, d))
    drawn = np.sort(np.sum(q * (rho * q + np.sqrt(1 - rho**2) * k), axis=1))
    grid = np.linspace(-60, 120, 9001)

    def fits(correlation):
        law = integrate.cumulative_trapezoid(density(grid, d, correlation), grid, initial=0)
        return stats.kstest(drawn, lambda s: np.interp(s, grid, law)).pvalue > 1e-4

    assert fits(rho)
    assert not fits(0.0)
    assert not fits(0.55)


def test_spread(snippet):
    spread = snippet("variance/spread")
    for d in spread.dims:
        variance, error = variance_and_error(dots(d, d, 10_000))
        assert agrees(variance, spread.std[d] ** 2, error)
        assert agrees(variance / d, spread.std_scaled[d] ** 2, error / d)
        assert not agrees(variance, spread.std_scaled[d] ** 2, error), "no divisor"
        assert not agrees(variance / d**2, spread.std_scaled[d] ** 2, error / d**2), "d for √d"


def test_average_size_by_its_closed_form(snippet):
    spread = snippet("variance/spread")
    for d in spread.dims:
        log_ratio = special.gammaln((d + 1) / 2) - special.gammaln(d / 2)
        exact = 2 / np.sqrt(np.pi) * np.exp(log_ratio)
        # The trapezoid rule errs by the kink of |s| at 0: step² f(0) / 6.
        error = 1.01 * spread.step**2 * spread.pdf[d].max() / 6 + 1e-9
        assert abs(spread.mean_size[d] - exact) <= error
        assert abs(np.sqrt(2 / np.pi) * spread.std[d] - exact) > error, "if it were Gaussian"
        if d > 4:
            assert abs(spread.mean_size[4] * d / 4 - exact) > error, "if it grew like d"


def test_a_sum_from_0_has_one_term_too_many(snippet):
    spread = snippet("variance/spread")
    variance, error = variance_and_error(dots(5, 4 + 1))
    assert agrees(variance, 4 + 1, error)
    assert not agrees(variance, spread.std[4] ** 2, error)


def test_law(snippet):
    law = snippet("variance/law")
    t, d = sympy.symbols("t d", positive=True)
    # E e^{t q_i k_i} = E e^{t² k_i²/2} = (1 − t²)^{−1/2}, to the power d.
    cumulants = sympy.series(-d / 2 * sympy.log(1 - t**2), t, 0, 5).removeO()
    second, fourth = (sympy.diff(cumulants, t, n).subs(t, 0) for n in (2, 4))
    excess = sympy.simplify(fourth / second**2)
    assert excess == 6 / d
    for dim, kurtosis in law.kurtosis.items():
        exact = float(excess.subs(d, dim))
        assert close(kurtosis, exact, 1e-5)
        assert not close(kurtosis, 6 / (dim + 1), 1e-5)
        estimate, error = law.simulated_kurtosis[dim], law.kurtosis_standard_error[dim]
        assert agrees(estimate, exact, error)
        if dim <= 16:
            assert not agrees(estimate, 0, error), "a Gaussian"


@pytest.mark.parametrize("d", [1, 2, 4, 16])
def test_law_lies_on_its_histogram(snippet, d):
    law = snippet("variance/law")
    width = np.diff(law.edges)
    density = np.interp(np.linspace(-3.5, 3.5, 5601), law.point, law.pdf[d])
    drawn = law.edges[1:][np.abs(law.edges[1:] - width / 2) > 0.2]  # away from the peak of d = 1
    bins = np.isin(law.edges[1:], drawn)

    def fits(values):
        share = values.reshape(-1)[:-1].reshape(len(width), -1).mean(axis=1) * width
        error = np.sqrt(share * (1 - share) / law.samples) + 2e-4 * share
        return agrees((law.histogram[d] * width)[bins], share[bins], error[bins])

    assert fits(density)
    if d < 16:
        assert not fits(stats.norm.pdf(np.linspace(-3.5, 3.5, 5601)))


def test_given_query(snippet):
    page = snippet("variance/given_query")
    rng = np.random.default_rng(3)
    for name, variance in page.variance.items():
        query = np.sqrt(variance) * np.ones(page.d)  # another direction, the same length
        scores = rng.standard_normal((page.n_keys, page.d)) @ query / np.sqrt(page.d)
        assert stats.kstest(scores, stats.norm(scale=np.sqrt(variance)).cdf).pvalue > 1e-4
        assert agrees(page.simulated[name], variance, page.standard_error[name])
        assert not agrees(page.simulated[name], variance / page.d, page.standard_error[name])
        if name != "middling":
            assert not agrees(page.simulated[name], 1, page.standard_error[name])
            assert stats.kstest(scores, stats.norm.cdf).pvalue < 1e-4


def test_spread_of_the_query_length(snippet):
    page = snippet("variance/given_query")
    query = np.random.default_rng(4).standard_normal((20_000, page.d))
    variance, error = variance_and_error(np.sum(query**2, axis=1) / page.d)
    assert close(page.norm_spread, math.sqrt(2 / page.d))
    assert agrees(variance, page.norm_spread**2, error)
    assert not agrees(variance, 1 / page.d, error)


# Why the variance is d


def test_shapes(snippet):
    page = snippet("variance/shapes")
    assert page.scores.shape == (page.n, page.m)
    assert page.query.shape == page.key.shape == (page.d_k,)
    by_hand = math.fsum(a * b for a, b in zip(page.query, page.key, strict=True))
    assert close(by_hand, page.scores[page.row, page.column])
    assert close(by_hand, page.score)
    assert not close(by_hand, page.scores[page.column, page.row])


def test_heights(snippet):
    page = snippet("variance/heights")
    for name, heights in page.classes.items():
        mean = math.fsum(heights) / len(heights)
        by_hand = math.fsum((h - mean) ** 2 for h in heights) / len(heights)
        assert close(page.variance[name], by_hand)
        assert page.variance[name] <= page.bound[name]
    assert page.variance["A"] < page.variance["B"]
    assert close(page.bound["B"], page.bound["C"])  # the same range …
    assert page.variance["C"] < page.variance["A"]  # … and less variance than the narrow class
    assert close(page.variance["C"], 0.008)


def test_a_range_bounds_the_variance_from_below_too():
    rng = np.random.default_rng(17)

    def holds(bound):  # of n numbers with range 1: random ones, and the best
        best = [[0, 1, *[0.5] * (n - 2)] for n in range(2, 9)]
        drawn = [[0, 1, *rng.random(n - 2)] for n in range(2, 9) for _ in range(300)]
        return all(np.var(x) >= bound(len(x)) - 1e-12 for x in best + drawn)

    assert holds(lambda n: 1 / (2 * n))
    assert not holds(lambda n: 1.01 / (2 * n)), "it is the best bound"
    assert not holds(lambda n: 1 / 12), "a uniform distribution"


def test_the_average_size_needs_gaussian_coordinates(snippet):
    # Coordinates ±4 with probability 1/16, else 0: mean 0, variance 1, and the variance is d.
    page = snippet("variance/spread")
    size = {}
    for d in (4, 64):
        chance = np.ones(1)
        for _ in range(d):  # a term is ±16 with probability 1/512 each
            chance = np.convolve(chance, [1 / 512, 255 / 256, 1 / 512])
        score = 16 * np.arange(-d, d + 1)
        assert close(chance @ score**2, d)
        size[d] = chance @ np.abs(score)
    assert not close(size[4], page.mean_size[4], 0.5)
    assert size[64] / size[4] > 3 * page.mean_size[64] / page.mean_size[4]


def test_popoviciu_is_the_best_bound(snippet):
    page = snippet("variance/heights")
    rng = np.random.default_rng(5)
    heights = np.concatenate([rng.uniform(3, 7, (500, 8)), rng.choice([3, 7], (500, 8))])
    heights[:, 0], heights[:, 1] = 3, 7
    variances = heights.var(axis=1)

    def holds(bound):
        return bool(np.all(variances <= bound + 1e-12))

    assert holds(page.bound["B"])
    assert close(np.var([3, 3, 7, 7]), page.bound["B"])
    assert not holds((7 - 3) ** 2 / 12)  # the variance of a uniform law
    assert not holds(page.variance["B"])


def test_product(snippet):
    page = snippet("variance/product")
    naive = np.full_like(page.law, page.var_x * page.var_y)
    # X and Y take μ − 1 and μ + 1: variance 1, and only four products to count.
    two_point = [np.var([(m + x) * (m + y) for x, y in signs(2)]) for m in page.means]
    assert close(page.law, two_point)
    assert not close(page.law, naive)
    assert agrees(page.simulated, page.law, page.standard_error)
    assert agrees(page.simulated[0], naive[0], page.standard_error[0])  # right at mean 0 only
    for m in range(1, len(page.means)):
        assert not agrees(page.simulated[m], naive[m], page.standard_error[m])


def test_product_symbolically():
    m, a, b = sympy.symbols("m a b")
    product = sympy.Poly((m + a) * (m + b), a, b)
    variance = sympy.expand(gaussian_mean(product**2) - gaussian_mean(product) ** 2)
    assert variance == 1 + 2 * m**2
    assert variance != 1


def test_square_counts_by_expanding_it(snippet):
    page = snippet("variance/square")
    for d in (3, 4, 64, 512):  # pairs of places, and of unlike ones
        assert page.total[d] == len([*itertools.product(range(d), repeat=2)])
        assert page.off_diagonal[d] == 2 * math.comb(d, 2) == page.total[d] - page.diagonal[d]
    for d in (3, 4):
        terms = sympy.symbols(f"t:{d}")
        square = sympy.Poly(sympy.expand(sum(terms) ** 2), *terms)
        assert sum(square.coeffs()) == page.total[d]
        assert sum(c for powers, c in square.terms() if 2 in powers) == page.diagonal[d]
    for d in page.variance:
        assert page.variance[d] == d
        assert page.variance[d] != d + 1


@pytest.mark.parametrize("d", [3, 4])
def test_square_by_all_sign_vectors(snippet, d):
    # Signs have mean 0 and variance 1; average the d² terms over every pair of sign vectors.
    page = snippet("variance/square")
    q, k = signs(d)[:, np.newaxis], signs(d)

    def means(shift):
        terms = (q + shift) * (k + shift)
        return np.einsum("abi,abj->ij", terms, terms) / 4**d

    assert np.array_equal(means(0), page.terms[d])
    assert not np.array_equal(means(0.5), page.terms[d]), "a mean other than 0"
    copy = np.einsum("ai,aj->ij", signs(d) ** 2, signs(d) ** 2) / 2**d
    assert not np.array_equal(copy, page.terms[d]), "k = q"


def test_assumptions(snippet):
    page = snippet("variance/assumptions")
    for case in page.cases:
        for d in page.dims:
            estimate, error = page.simulated[case][d], page.standard_error[case][d]
            assert agrees(estimate, page.exact[case][d], error + 1e-12)
            if case not in ("independent", "random signs"):
                assert not agrees(estimate, d, error + 1e-12), "'always exactly d'"
    for d in page.dims:
        laws = {"equal coordinates": d**2, "q = k": 2 * d, "independent": d, "random signs": d}
        assert {case: page.exact[case][d] for case in laws} == laws
        assert page.exact["cancelling pairs"][d] == 0


def test_assumptions_give_coordinates_of_mean_0_and_variance_1_to_every_case():
    # All of it counted: z and w are single signs in the cases that repeat them.
    z, w = signs(2).T
    e = signs(5)
    for q, k, variance in [
        (np.outer(z, [1] * 4), np.outer(w, [1] * 4), 16),
        (np.outer(z, [1] * 4), np.outer(w, [1, -1, 1, -1]), 0),
        (e[:, :4], e[:, :4] * e[:, 1:], 4),
    ]:
        for x in (q, k):
            assert np.all(x.mean(axis=0) == 0)
            assert np.all(x.var(axis=0) == 1)
        assert np.var(np.sum(q * k, axis=1)) == variance


def uniform_on_sphere(rng, samples, d):
    z = rng.standard_normal((samples, d))
    return z * np.sqrt(d) / np.linalg.norm(z, axis=1, keepdims=True)


@pytest.mark.parametrize("query", ["signs", "sphere"])
def test_one_side_with_uncorrelated_coordinates_is_enough(query):
    # The key depends on itself: one Gaussian in all places, its length random, its mean not 0.
    rng, d, samples = np.random.default_rng(18), 5, 100_000
    z = rng.standard_normal((samples, 1))
    k = z * np.arange(1, d + 1) + (z**2 > 1) * np.array([2, 0, -1, 0, 1])
    R_k = k.T @ k / samples
    k *= np.sqrt(d / np.trace(R_k))  # E|k|² = d
    spread = {
        "signs": rng.choice([-1, 1], (samples, d)),
        "sphere": uniform_on_sphere(rng, samples, d),
    }
    q = spread[query]
    variance, error = variance_and_error(np.sum(q * k, axis=1))
    assert agrees(variance, d, error)
    equal = q[:, :1] * np.ones(d)  # coordinates that are all the same are correlated
    variance, error = variance_and_error(np.sum(equal * k, axis=1))
    assert not agrees(variance, d, error)


@pytest.mark.parametrize("seed", [0, 1])
def test_second_moments_are_all_that_counts(seed):
    # tr(R_q R_k), for a query and a key that take a few values each, over all pairs of values.
    rng, d = np.random.default_rng(seed), 3
    q, k = rng.exponential(1, (2, 7, d)) * rng.choice([-2, 1], (2, 7, d))
    p, r = rng.dirichlet(np.ones(7), 2)
    R_q, R_k = (q.T * p) @ q, (k.T * r) @ k
    second, mean = p @ (q @ k.T) ** 2 @ r, p @ (q @ k.T) @ r
    assert close(second, np.trace(R_q @ R_k))
    assert close(mean, (p @ q) @ (r @ k))
    assert not close(second - mean**2, np.trace(R_q @ R_k)), "the mean is not 0"
    assert not close(second, np.trace(R_q) * np.trace(R_k)), "the product of the traces"


def test_the_sphere_depends_on_itself():
    q = uniform_on_sphere(np.random.default_rng(19), 50_000, 4)
    mean, error = mean_and_error(q[:, 0] * q[:, 1])
    assert agrees(mean, 0, error)  # uncorrelated …
    mean, error = mean_and_error(q[:, 0] ** 2 * q[:, 1] ** 2)
    assert not agrees(mean, 1, error)  # … and not independent


def test_unequal_means_add_their_squares():
    rng, samples = np.random.default_rng(20), 200_000
    m, n = np.array([0.5, -1, 0, 2]), np.array([1, 0.3, -2, 0])
    q, k = (mean + rng.standard_normal((samples, 4)) for mean in (m, n))
    variance, error = variance_and_error(np.sum(q * k, axis=1))
    assert agrees(variance, 4 + np.sum(m**2 + n**2), error)
    assert not agrees(variance, 4 + np.sum(m**2), error), "one side only"
    assert not agrees(variance, 4 + np.sum((m + n) ** 2), error), "the square of the sum"


def test_the_weights_have_a_far_smaller_spread(snippet):
    page = snippet("saturation/saturation")
    printed = np.sqrt(1 / 512 / page.taking_part["÷ √d"][512] - 1 / 512**2)
    logits = np.random.default_rng(21).standard_normal((2000, 512))
    weights = special.softmax(logits, axis=1)
    # Each row's weights add up to 1, so their mean is 1/512 and rows are independent draws.
    variance, error = mean_and_error(np.mean((weights - 1 / 512) ** 2, axis=1))
    assert agrees(variance, printed**2, error)
    assert error / (2 * printed) < 0.00005, "the fourth decimal is tested"
    assert not agrees(variance, 1, error), "'standard deviation 1'"
    assert not agrees(variance, (1 / 512) ** 2, error)


def test_random_signs_depend_on_each_other_and_gaussians_would_not_do():
    e = signs(5)
    q, k = e[:, :4], e[:, :4] * e[:, 1:]
    assert np.array_equal(k[:, 0], q[:, 0] * q[:, 1])  # q decides k, up to the last sign
    rng = np.random.default_rng(6)
    e = rng.standard_normal((100_000, 5))
    variance, error = variance_and_error(np.sum(e[:, :4] ** 2 * e[:, 1:], axis=1))
    # E e⁴ = 3, and for neighbours E[e_i² e_{i+1}³ e_{i+2}] = 0: 3d.
    assert agrees(variance, 12, error)
    assert not agrees(variance, 4, error)


# The divisor


def test_divisor(snippet):
    page = snippet("variance/divisor")
    for place, d in enumerate(page.dims[:9]):
        variance, error = variance_and_error(dots(int(d), d, 8000))
        divisors = {"1": 1, "2": 2, "10": 10, "√d": d**0.5, "d": d}
        for name, c in divisors.items():
            assert agrees(variance / c**2, page.spread[name][place] ** 2, error / c**2)
            flat = agrees(variance / c**2, 1, error / c**2)
            assert flat == (name == "√d" or c == d**0.5)


def test_divisor_crossings(snippet):
    page = snippet("variance/divisor")
    for c, d in page.crossing.items():
        assert close(d, c**2)
        variance, error = variance_and_error(dots(c, round(d)))
        assert agrees(variance / c**2, 1, error / c**2)
        if c > 1:
            assert not agrees(variance / c, 1, error / c), "Var(S/c) is not Var(S)/c"


# np.var of a product


@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 1, 3), (1, 2, 2), (2, 3, 2), (3, 2, 2)])
def test_mean_and_variance_of_the_sample_variance_symbolically(module, shape):
    law = module("variance/sample_variance")
    n, d, m = shape
    x = sympy.symbols(f"x:{n * d + d * m}")
    Q, K = sympy.Matrix(n, d, x[: n * d]), sympy.Matrix(d, m, x[n * d :])
    entries = [sympy.Poly(s, *x) for s in Q * K]
    total = sum(entries[1:], entries[0])
    squares = sum((s**2 for s in entries[1:]), entries[0] ** 2)
    V = sympy.Rational(1, n * m) * squares - sympy.Rational(1, (n * m) ** 2) * total**2
    mean = gaussian_mean(V)
    variance = gaussian_mean(V**2) - mean**2
    assert close(law.expected(n, d, m), float(mean))
    assert close(law.variance(n, d, m), float(variance))
    assert not close(d, float(mean)), "the variance of one entry"
    assert not close(law.variance_if_independent(n, d, m), float(variance))


def test_variance_if_independent(module):
    law = module("variance/sample_variance")
    n, d, m = 2, 3, 4
    entries = dots(7, d, 40_000 * n * m).reshape(-1, n * m)
    variance, error = variance_and_error(entries.var(axis=1))
    assert agrees(variance, law.variance_if_independent(n, d, m), error)
    assert not agrees(variance, law.variance(n, d, m), error)


@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 2, 3), (3, 1, 2)])
def test_expected_by_all_sign_matrices(module, shape):
    law = module("variance/sample_variance")
    n, d, m = shape
    choice = signs(n * d + d * m)
    V = np.var(choice[:, : n * d].reshape(-1, n, d) @ choice[:, n * d :].reshape(-1, d, m), (1, 2))
    assert close(V.mean(), law.expected(n, d, m))
    assert not close(V.mean(), d)
    if shape == (2, 2, 2):
        assert len(V) == 256
        assert V.mean() == 1.5
        assert set(V) == {0, 1, 2, 4}  # so that signs cannot have given 1.6


def standardise(A):
    return (A - A.mean((-2, -1), keepdims=True)) / A.std((-2, -1), keepdims=True)


def products_of_2x2(seed, samples, change=lambda A: A):
    Q, K = change(np.random.default_rng(seed).standard_normal((2, samples, 2, 2)))
    return np.var(Q @ K, axis=(1, 2))


def test_puzzle_gaussian(snippet):
    page = snippet("variance/puzzle")
    V = products_of_2x2(8, 200_000)
    mean, error = mean_and_error(V)
    variance, variance_error = variance_and_error(V)
    half = 0.5 / np.sqrt(len(V))
    assert agrees(mean, page.exact_mean, error)
    assert not agrees(mean, page.naive, error)
    assert agrees(variance, page.exact_variance, variance_error)
    assert agrees(np.mean(page.median >= V), 0.5, half)
    assert not agrees(np.mean(page.exact_mean >= V), 0.5, half), "the mean is no median"
    assert agrees(np.mean(page.observed >= V), page.percentile_of_1_6 / 100, half)
    assert agrees(np.mean(page.observed >= V / 2), page.scaled_percentile / 100, half)
    assert not agrees(np.mean(page.observed >= V), page.scaled_percentile / 100, half)
    assert agrees(mean / 2, page.scaled_mean, error / 2)
    assert not agrees(mean / 2, 1, error / 2), "'it should work out to unit variance'"
    assert agrees(page.mean, page.exact_mean, page.standard_error)
    assert not agrees(page.mean, page.naive, page.standard_error)


def test_puzzle_standardised(snippet):
    page = snippet("variance/puzzle")
    V = products_of_2x2(9, 200_000, standardise)
    mean, error = mean_and_error(V)
    half = 0.5 / np.sqrt(len(V))
    assert close(page.standardised_exact_mean, 16 / 9)
    assert agrees(mean, page.standardised_exact_mean, error)
    assert not agrees(mean, page.naive, error)
    assert not agrees(mean, page.exact_mean, error)
    assert agrees(np.mean(page.standardised_median >= V), 0.5, half)
    assert agrees(np.mean(page.observed >= V), page.standardised_percentile / 100, half)
    assert not agrees(np.mean(page.observed >= V), page.percentile_of_1_6 / 100, half)
    assert agrees(
        page.standardised_mean, page.standardised_exact_mean, page.standardised_standard_error
    )
    assert V.max() <= 4 + 1e-12
    Q, K = np.array([[1, -1], [1, -1]]), np.array([[1, -1], [-1, 1]])
    assert np.array_equal(standardise(np.array([Q, K])), [Q, K])
    assert np.var(Q @ K) == 4
    assert np.var(Q @ Q) == 0


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (1, 2, 4, 8), (-1, -1, -1, 1), (0, 0, 1, 5)])
def test_16_9_by_all_orders_of_four_numbers(module, numbers):
    # Any law of independent entries is a mixture of such shuffles.
    law = module("variance/sample_variance")
    orders = np.array(list(itertools.permutations(numbers))).reshape(-1, 2, 2)
    Q, K = standardise(orders)[:, np.newaxis], standardise(orders)
    mean = np.var(Q @ K, axis=(-2, -1)).mean()
    assert close(mean, law.expected_if_standardised(2, 2, 2))
    assert not close(mean, law.expected(2, 2, 2))
    raw = np.var(orders[:, np.newaxis] @ orders, axis=(-2, -1)).mean()
    assert not close(raw, law.expected_if_standardised(2, 2, 2)), "not standardised"


def test_16_9_for_signs_where_it_is_defined(module, snippet):
    page, law = snippet("variance/puzzle"), module("variance/sample_variance")
    arrays = signs(4).reshape(-1, 2, 2)
    varied = arrays[arrays.std(axis=(1, 2)) > 0]
    assert close(1 - len(varied) / len(arrays), page.constant_signs)
    A = standardise(varied)
    mean = np.var(A[:, np.newaxis] @ A, axis=(-2, -1)).mean()
    assert close(mean, law.expected_if_standardised(2, 2, 2))
    raw = np.var(arrays[:, np.newaxis] @ arrays, axis=(-2, -1)).mean()
    assert not close(raw, law.expected_if_standardised(2, 2, 2)), "not standardised"


@pytest.mark.parametrize("shape", [(1, 3, 2), (3, 2, 4), (5, 1, 2)])
def test_expected_if_standardised_at_other_shapes(module, shape):
    law = module("variance/sample_variance")
    n, d, m = shape
    rng = np.random.default_rng(10)
    Q = standardise(rng.standard_normal((40_000, n, d)))
    K = standardise(rng.standard_normal((40_000, d, m)))
    mean, error = mean_and_error(np.var(Q @ K, axis=(1, 2)))
    assert agrees(mean, law.expected_if_standardised(n, d, m), error)
    assert not agrees(mean, law.expected(n, d, m), error)


def test_laws_of_the_2x2_variance(module):
    law = module("variance/two_by_two")
    v = np.array([0.02, 0.2, 0.5, 1, 2, 3, 3.9])
    for cdf, other, change in [
        (law.cdf, law.standardised_cdf, lambda A: A),
        (law.standardised_cdf, law.cdf, standardise),
    ]:
        V = products_of_2x2(11, 100_000, change)
        share = np.mean(v[:, np.newaxis] >= V, axis=1)
        error = np.sqrt(cdf(v) * (1 - cdf(v)) / len(V)) + 1e-4
        assert agrees(share, cdf(v), error)
        assert not agrees(share, other(v), error)


def test_the_2x2_law_has_the_mean_and_the_variance_of_the_formulas(module, snippet):
    law, page = module("variance/two_by_two"), snippet("variance/puzzle")
    u, weight = np.polynomial.legendre.leggauss(60)
    u, weight = 10 * (u + 1), 10 * weight  # v = u² from 0 to 400
    above = 1 - law.cdf(u**2)
    mean = np.sum(weight * above * 2 * u)
    square = np.sum(weight * 2 * u**2 * above * 2 * u)
    assert close(mean, page.exact_mean, 1e-4)
    assert close(mean / 2, page.scaled_mean, 1e-4)
    assert close(square - mean**2, page.exact_variance, 1e-3)
    assert close(law.cdf(page.median), 0.5)
    assert close(law.cdf(2 * page.observed), page.scaled_percentile / 100)
    assert not close(law.cdf(page.exact_mean), 0.5, 0.01), "the mean is no median"
    assert not close(mean, page.naive, 1e-4)
    u = np.linspace(0, 2, 401)
    mean = np.trapezoid((1 - law.standardised_cdf(u**2)) * 2 * u, u)
    assert close(mean, page.standardised_exact_mean, 1e-4)
    assert not close(mean, page.exact_mean, 1e-4)


def test_bias(snippet, module):
    page, law = snippet("variance/bias"), module("variance/sample_variance")
    for n in page.sizes:
        error, sd_error = page.standard_error[n], page.relative_sd_error[n]
        assert agrees(page.simulated[n], page.expected[n], error)
        assert agrees(page.simulated_relative_sd[n], page.relative_sd[n], sd_error)
        independent = math.sqrt(law.variance_if_independent(n, n, n)) / n
        if n > 2:  # at n = 2 the error is too large to tell them apart
            assert not agrees(page.simulated_relative_sd[n], independent, sd_error)
        # To the last digit: the formulas that other tests check at small shapes.
        assert close(page.sd[n] ** 2, law.variance(n, n, n))
        assert close(page.relative_sd[n] * n, page.sd[n])
        assert not close(page.relative_sd[n] / independent, 1, 1e-2)
    for n in (2, 4):
        assert not agrees(page.simulated[n], n, page.standard_error[n])


def test_bias_is_that_of_dividing_by_the_count(snippet):
    # ddof=1 removes it, since the entries are uncorrelated.
    page = snippet("variance/bias")
    for n in (2, 4):
        Q, K = np.random.default_rng(12).standard_normal((2, 100_000, n, n))
        mean, error = mean_and_error(np.var(Q @ K, axis=(1, 2), ddof=1))
        assert agrees(mean, n, error)
        assert not agrees(mean, page.expected[n], error)


def test_relative_spread_tends_to_root_6_over_n(snippet):
    page = snippet("variance/bias")
    ratio = {n: page.relative_sd[n] / (math.sqrt(6) / n) for n in page.sizes}

    def tends(constant):  # the first correction is of order 1/n
        return all(abs(ratio[n] * constant - 1) < 1 / n for n in page.sizes)

    assert tends(1)
    assert not tends(math.sqrt(6) / 2)


def test_only_as_a_share_does_the_scatter_fall(snippet):
    page = snippet("variance/bias")

    def falls(spread):
        return all(spread[2 * n] < spread[n] for n in page.sizes[:-1])

    assert falls(page.relative_sd)
    assert not falls(page.sd)
    assert page.sd[2] < math.sqrt(6) < page.sd[8]


def draws_of_the_experiment(seed, n, d, m, draws):
    """Give V and the product of the variances of the factors, without the n×m product."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        Q, K = rng.standard_normal((n, d)), rng.standard_normal((d, m))
        square = np.sum((Q.T @ Q) * (K @ K.T))  # tr(QᵀQ KKᵀ) = Σ S_ij²
        mean = Q.sum(axis=0) @ K.sum(axis=1) / (n * m)
        result.append((square / (n * m) - mean**2, d * np.var(Q) * np.var(K)))
    return np.array(result).T


def test_experiment_shortcut():
    V, _ = draws_of_the_experiment(13, 7, 3, 5, 1)
    rng = np.random.default_rng(13)
    Q, K = rng.standard_normal((7, 3)), rng.standard_normal((3, 5))
    assert close(V[0], np.var(Q @ K))
    assert not close(V[0], np.mean((Q @ K) ** 2))


def test_experiment(snippet):
    page = snippet("variance/experiment")
    V, given_factors = draws_of_the_experiment(14, page.n, page.d, page.m, 100)
    mean, error = mean_and_error(V)
    assert agrees(mean, page.expected, error)
    assert not agrees(mean, page.d + 1, error)
    variance, error = variance_and_error(V)
    assert agrees(variance, page.sd**2, error)
    assert not agrees(variance, page.iid_sd**2, error)
    # A variance less what the square of the mean entry takes, in whole numbers.
    cells = page.n * page.m
    assert close(page.expected * cells, page.d * (cells - 1))
    assert close(page.given_factors / page.a_variance / page.b_variance, page.d)
    of_rest = 2 * (1 - 1 / page.d) * (page.d + 2) * page.d / cells  # variance
    assert close(page.residual_z**2, (page.observed - page.given_factors) ** 2 / of_rest)
    residual, error = variance_and_error(V - given_factors)
    assert agrees(residual, page.residual_sd**2, error)
    assert not agrees(residual, page.sd**2, error)


def test_experiment_verdict(snippet, module):
    page = snippet("variance/experiment")
    assert agrees(page.observed, page.expected, page.sd, errors=1)
    assert not agrees(page.observed, page.expected, page.iid_sd, errors=2), "a false alarm"
    assert agrees(page.observed, page.given_factors, page.residual_sd, errors=1), "noise"
    assert not agrees(page.observed, page.d * page.a_variance, page.residual_sd, errors=1)
    # How much wider the shared rows make it: rows and columns of one cell, in a small case.
    Q, K = np.random.default_rng(22).standard_normal((2, 100_000, 4, 4))
    shared, error = variance_and_error(np.var(Q @ K, axis=(1, 2)))
    law = module("variance/sample_variance")
    assert agrees(shared, law.variance(4, 4, 4), error)
    assert not agrees(shared, law.variance_if_independent(4, 4, 4), error)
    assert close(page.ratio**2, law.variance(1111, 111, 1111) / page.iid_sd**2)
    # Exact variances of the two factors' sample variances, and of the rest, add up.
    factor = 2 / (page.n * page.d)
    assert close(page.explained, page.d**2 * ((1 + factor) ** 2 - 1) / page.sd**2, 1e-3)
    assert not close(page.explained, page.d**2 * factor / page.sd**2, 1e-3), "one factor"
    assert page.observed / page.d == 0.9960392891676604  # the last line that the source printed


@pytest.mark.parametrize("d", [1, 2, 5])
def test_residual_given_the_factors(d):
    # Given |Q|² and |K|², Q and K are uniform on spheres: E Σ S² = |Q|²|K|²/d.
    n, m = 3, 4
    rng = np.random.default_rng(15)
    Q, K = rng.standard_normal((60_000, n, d)), rng.standard_normal((60_000, d, m))
    given = np.sum(Q**2, axis=(1, 2)) * np.sum(K**2, axis=(1, 2)) / d
    residual, error = variance_and_error(np.sum((Q @ K) ** 2, axis=(1, 2)) - given)
    assert agrees(residual, 2 * n * m * (d - 1) * (d + 2), error + 1e-9)
    assert not agrees(residual, 2 * n * m * d * (d + 1), error)
