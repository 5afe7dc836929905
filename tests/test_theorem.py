"""The claims of docs/theorem.md: each by a second route, each with a wrong variant that fails."""

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy import integrate, special, stats
from sympy.polys.rings import ring

from tests.tolerance import agrees, close, mean_and_error, variance_and_error

# Two ways to be right


def values(results):
    return np.array([*results.values()])


# Covariances to try, and scores from them


def blocks(cov):
    d = len(cov) // 2
    return cov[:d, :d], cov[d:, d:], cov[:d, d:]


def random_root(seed, d, noise=None):
    """Give a matrix L with LLᵀ = Σ; without full rank, if less noise is asked for."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((2 * d, noise or 2 * d)) / np.sqrt(2 * d)


def scores(seed, L, samples=100_000, means=0.0):
    w = np.random.default_rng(seed).standard_normal((samples, L.shape[1])) @ L.T + means
    d = len(L) // 2
    return np.sum(w[:, :d] * w[:, d:], axis=1)


def symmetric_root(seed, d):
    """Give a root of a random Σ whose C is symmetric."""
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((d, d)) / 4
    cov = np.block([[np.eye(d) * 2, C + C.T], [C + C.T, np.eye(d) * 3]])
    return np.linalg.cholesky(cov)


def turns(d):
    """Give quarter turns in d/2 planes."""
    return np.kron(np.eye(d // 2), [[0, -1], [1, 0]])


# Polynomials in independent standard Gaussians


def gaussian_mean(polynomial, count, ground):
    """Average over the last `count` generators of a ring, each standard Gaussian.

    Uses E z^{2m} = (2m − 1)!! only, no theorem of the page.
    """
    result = ground.zero
    for powers, coefficient in polynomial.terms():
        kept, z = powers[:-count], powers[-count:]
        if not any(p % 2 for p in z):
            moment = math.prod(math.prod(range(1, p, 2)) for p in z)
            result += ground({kept: coefficient * moment})
    return result


def trace(matrix):
    return sum(row[i] for i, row in enumerate(matrix))


def product(a, b):
    return [
        [sum(x * y for x, y in zip(row, col, strict=True)) for col in zip(*b, strict=True)]
        for row in a
    ]


def transpose(a):
    return [list(row) for row in zip(*a, strict=True)]


@pytest.fixture(scope="module", params=[1, 2, 3])
def general(request):
    """Give a general Σ = LLᵀ in d dimensions, as polynomials in the entries of L.

    L is lower triangular, as every Σ allows.
    """
    d = request.param
    names = [f"l{i}_{j}" for i in range(2 * d) for j in range(i + 1)]
    ground, *letters = ring(names, sympy.QQ)
    letters = iter(letters)
    L = [[next(letters) if j <= i else ground.zero for j in range(2 * d)] for i in range(2 * d)]
    cov = product(L, transpose(L))
    half = sympy.QQ(1, 2)
    A = [[ground(half if abs(i - j) == d else 0) for j in range(2 * d)] for i in range(2 * d)]
    return d, ground, L, cov, A


def parts(d, cov):
    """Give Σ_q, Σ_k and C of a Σ made of lists."""
    return (
        [row[:d] for row in cov[:d]],
        [row[d:] for row in cov[d:]],
        [row[d:] for row in cov[:d]],
    )


def theorem(d, cov):
    cov_q, cov_k, C = parts(d, cov)
    return trace(product(cov_q, cov_k)) + trace(product(C, C)) + trace(C) ** 2


def published_theorem(d, cov):
    cov_q, cov_k, C = parts(d, cov)
    return trace(product(cov_q, cov_k)) + trace(product(C, transpose(C))) + trace(C) ** 2


def squared_form(M, zero=0):
    """Give E[(zᵀMz)²] from the moments of single coordinates, E z² = 1 and E z⁴ = 3."""
    n, total = len(M), zero
    for a, b, c, e in itertools.product(range(n), repeat=4):
        counts = [(a, b, c, e).count(i) for i in range(n)]
        if not any(p % 2 for p in counts):
            total += M[a][b] * M[c][e] * math.prod(3 if p == 4 else 1 for p in counts)
    return total


# The theorem, symbolically, for a general Σ


def test_theorem_for_a_general_covariance(general):
    d, ground, L, cov, A = general
    M = product(product(transpose(L), A), L)
    second = squared_form(M, ground.zero)
    assert second == theorem(d, cov)
    excess = published_theorem(d, cov) - second
    C = parts(d, cov)[2]
    skew = sum((C[i][j] - C[j][i]) ** 2 for i in range(d) for j in range(d))
    assert excess == skew / 2
    assert (excess == 0) == (d == 1), "the published theorem"


@pytest.mark.parametrize("d", [1, 2])
def test_theorem_by_expanding_the_square(d):
    # The same again without a matrix: S² as a polynomial in z and the entries of L.
    names = [f"l{i}_{j}" for i in range(2 * d) for j in range(i + 1)]
    ground, *_ = ring(names, sympy.QQ)
    _, *gens = ring([*names, *(f"z{i}" for i in range(2 * d))], sympy.QQ)
    letters, z = iter(gens), gens[len(names) :]
    w = [sum(next(letters) * z[j] for j in range(i + 1)) for i in range(2 * d)]
    S = sum(w[i] * w[d + i] for i in range(d))
    letters = iter(ground.gens)
    L = [[next(letters) if j <= i else ground.zero for j in range(2 * d)] for i in range(2 * d)]
    cov = product(L, transpose(L))
    assert gaussian_mean(S, 2 * d, ground) == trace(parts(d, cov)[2])
    assert gaussian_mean(S**2, 2 * d, ground) == theorem(d, cov)
    assert (gaussian_mean(S**2, 2 * d, ground) == published_theorem(d, cov)) == (d == 1)


@pytest.mark.parametrize("symmetric", [False, True])
def test_both_formulas_agree_for_symmetric_cross_covariance_only(symmetric):
    # Whole numbers, so that every step is exact.
    d, rng = 3, np.random.default_rng(0)
    for _ in range(3):
        X, Y, noise = rng.integers(-3, 4, (3, d, d)).tolist()
        X = product(X, transpose(X)) if symmetric else X
        # q = Xu + Yv, k = u + noise n: C = X.
        q, k = [*transpose(X), *transpose(Y)], [*np.eye(d, dtype=int).tolist()]
        L = [*transpose([*q, *[[0] * d] * d]), *transpose([*k, *[[0] * d] * d, *transpose(noise)])]
        cov = product(L, transpose(L))
        C = parts(d, cov)[2]
        assert C == X
        twice = [[int(abs(i - j) == d) for j in range(2 * d)] for i in range(2 * d)]
        second, rest = divmod(squared_form(product(product(transpose(L), twice), L)), 4)
        assert rest == 0
        assert second == theorem(d, cov)
        assert (transpose(C) == C) is symmetric
        assert (second == published_theorem(d, cov)) is symmetric


# The identities of the proof by Stein


@pytest.mark.parametrize("n", [1, 2, 3])
def test_lemma_1_on_polynomials(n):
    ground, *_ = ring("c0 c1 c2", sympy.QQ)
    _, c0, c1, c2, *z = ring(["c0", "c1", "c2", *(f"z{i}" for i in range(n))], sympy.QQ)

    def mean(polynomial):
        return gaussian_mean(polynomial, n, ground)

    h = c0 * z[0] ** 3 * z[-1] + c1 * sum(z) ** 2 + c2 * (z[0] + 2 * z[-1]) ** 5 + z[0] ** 4
    for i in range(n):
        assert mean(z[i] * h) == mean(h.diff(z[i]))
        assert mean(z[i] * h) != mean(h), "without the derivative"
        for j in range(n):
            delta = int(i == j)
            assert mean(z[i] * z[j] * h) == delta * mean(h) + mean(h.diff(z[i]).diff(z[j]))
            # The step between: Stein for z_j h.
            assert mean((z[j] * h).diff(z[i])) == delta * mean(h) + mean(z[j] * h.diff(z[i]))
        assert mean(z[i] ** 2 * h) != mean(h.diff(z[i]).diff(z[i])), "without I E h"


@pytest.mark.parametrize("h", [(np.abs, np.sign), (np.sin, np.cos), (np.exp, np.exp)])
def test_lemma_1_beyond_polynomials(h):
    function, derivative = h
    z = np.linspace(-20, 20, 400_001)
    bell = stats.norm.pdf(z)
    left = np.trapezoid(z * function(z) * bell, z)
    assert close(left, np.trapezoid(derivative(z) * bell, z), 1e-7)
    assert function is np.exp or not close(left, np.trapezoid(function(z) * bell, z), 1e-3)


def test_bounds_in_the_proof_of_lemma_1():
    # E|z (h − h(0))| ≤ E|h'|, and E|h(z) − h(z')| ≤ √(π/2) E|h'|: sharp for h = z, up to constants.
    z = np.linspace(-20, 20, 400_001)
    bell = stats.norm.pdf(z)
    for h, slope in [(z, 1 + 0 * z), (z**3, 3 * z**2), (np.sin(3 * z), 3 * np.cos(3 * z))]:
        left = np.trapezoid(np.abs(z * (h - h[len(z) // 2])) * bell, z)
        right = np.trapezoid(np.abs(slope) * bell, z)
        assert left <= right * (1 + 1e-9)
    assert close(np.trapezoid(z**2 * bell, z), 1, 1e-7)  # h = z: equality
    distance = 2 / math.sqrt(math.pi)  # E|z − z'|
    assert distance <= math.sqrt(math.pi / 2)
    assert distance > math.sqrt(2 / math.pi), "a smaller constant would be wrong"


def test_the_second_condition_of_lemma_1_is_needed():
    # h' = sin(e^{t²}) is bounded; the mean of |h''| over |z| < T grows without end.
    def size(T):  # substitute y = e^{t²}: ∫ |cos y| φ(t) dy, with t = √(ln y)
        y = np.linspace(1, math.exp(T**2), 2_000_001)
        return 2 * np.trapezoid(np.abs(np.cos(y)) * stats.norm.pdf(np.sqrt(np.log(y))), y)

    growth = [size(T) for T in (1.5, 2.0, 2.5, 3.0)]
    assert all(b > 2 * a for a, b in itertools.pairwise(growth))

    def bounded(T):
        t = np.linspace(-T, T, 100_001)
        return np.trapezoid(np.abs(np.sin(np.exp(t**2))) * stats.norm.pdf(t), t)

    assert bounded(3.0) < 1


def test_every_step_of_lemma_2(general):
    d, ground, L, cov, A = general
    n = 2 * d
    M = product(product(transpose(L), A), L)
    form = product(A, cov)
    assert transpose(M) == M
    assert trace(M) == trace(form)
    assert trace(product(M, M)) == trace(product(form, form))
    assert squared_form(M, ground.zero) == trace(form) ** 2 + 2 * trace(product(form, form))
    assert squared_form(M, ground.zero) != trace(form) ** 2 + trace(product(form, form)), "no 2"

    # E[zzᵀ zᵀMz] = (tr M) I + 2M and h = zᵀMz, for a general symmetric M.
    names = [f"m{i}_{j}" for i in range(n) for j in range(i + 1)]
    small, *letters = ring(names, sympy.QQ)
    index = {(i, j): i * (i + 1) // 2 + j for i in range(n) for j in range(i + 1)}
    sym = [[letters[index[max(i, j), min(i, j)]] for j in range(n)] for i in range(n)]
    fourth = {}
    for a, b in itertools.product(range(n), repeat=2):
        total = small.zero
        for c, e in itertools.product(range(n), repeat=2):
            counts = [(a, b, c, e).count(i) for i in range(n)]
            if not any(p % 2 for p in counts):
                total += sym[c][e] * (3 if 4 in counts else 1)
        fourth[a, b] = total
        assert total == int(a == b) * trace(sym) + 2 * sym[a][b]
        assert total != int(a == b) * trace(sym) + sym[a][b], "the second derivative is 2M"
    closed = sum(sym[b][a] * fourth[a, b] for a, b in fourth)  # tr(M E[zzᵀh])
    assert closed == trace(sym) ** 2 + 2 * trace(product(sym, sym))
    assert closed == squared_form(sym, small.zero)


def test_the_block_product(general):
    d, _, _, cov, A = general
    cov_q, cov_k, C = parts(d, cov)
    Ct = transpose(C)
    form = product(A, cov)
    half, quarter = sympy.QQ(1, 2), sympy.QQ(1, 4)

    def stack(a, b, c, e, factor):
        upper = [[factor * x for x in (*p, *q)] for p, q in zip(a, b, strict=True)]
        return upper + [[factor * x for x in (*p, *q)] for p, q in zip(c, e, strict=True)]

    def add(a, b):
        return [[x + y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]

    assert form == stack(Ct, cov_k, cov_q, C, half)
    assert trace(form) == trace(C)
    assert product(form, form) == stack(
        add(product(Ct, Ct), product(cov_k, cov_q)),
        add(product(Ct, cov_k), product(cov_k, C)),
        add(product(cov_q, Ct), product(C, cov_q)),
        add(product(cov_q, cov_k), product(C, C)),
        quarter,
    )
    twice = 2 * trace(product(form, form))
    base = trace(product(cov_q, cov_k))
    assert twice == base + trace(product(C, C))
    assert (twice == base + trace(product(C, Ct))) == (d == 1), "the published line"
    assert trace(product(Ct, Ct)) == trace(product(C, C))
    assert trace(product(cov_k, cov_q)) == base


def test_q_k_is_the_quadratic_form():
    rng = np.random.default_rng(1)
    for d in (1, 2, 5):
        A = np.kron([[0, 0.5], [0.5, 0]], np.eye(d))
        w = rng.standard_normal(2 * d)
        assert close(w @ A @ w, w[:d] @ w[d:])
        assert not close(w @ (2 * A) @ w, w[:d] @ w[d:]), "without the half"


# The proof by Isserlis


def moment_by_generating_function(cov, indices):
    """Give E[w_a w_b w_c w_e] as a derivative of e^{tΣt/2}, cov made of symbols."""
    t = sympy.symbols(f"t:{len(cov)}")
    # Only ½Q² has degree four. Differentiate it.
    Q = sum(cov[i][j] * t[i] * t[j] for i in range(len(cov)) for j in range(len(cov))) / 2
    return sympy.expand(sympy.diff(sympy.expand(Q**2) / 2, *(t[i] for i in indices)))


def symbols_for_covariance(n):
    s = {(i, j): sympy.Symbol(f"s{i}{j}") for i in range(n) for j in range(i + 1)}
    return [[s[max(i, j), min(i, j)] for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("indices", [(0, 1, 2, 3), (0, 0, 1, 2), (0, 0, 1, 1), (0, 1, 1, 1)])
def test_isserlis_by_the_generating_function(indices):
    s = symbols_for_covariance(4)
    a, b, c, e = indices
    pairings = s[a][b] * s[c][e] + s[a][c] * s[b][e] + s[a][e] * s[b][c]
    moment = moment_by_generating_function(s, indices)
    assert moment == sympy.expand(pairings)
    assert moment != sympy.expand(pairings - s[a][e] * s[b][c]), "two pairings only"


def test_isserlis_by_expanding(general):
    # The same theorem from w = Lz, for every four coordinates q_i, k_i, q_j, k_j.
    d, ground, L, cov, _ = general
    for i, j in itertools.product(range(d), repeat=2):
        rows = [L[i], L[d + i], L[j], L[d + j]]
        moment = ground.zero
        for four in itertools.product(range(2 * d), repeat=4):
            counts = [four.count(x) for x in range(2 * d)]
            if not any(p % 2 for p in counts):
                factors = [row[x] for row, x in zip(rows, four, strict=True)]
                if all(factors):
                    moment += math.prod(factors) * (3 if 4 in counts else 1)
        a, b, c, e = i, d + i, j, d + j
        third = cov[a][e] * cov[b][c]  # C_ij C_ji
        rest = cov[a][b] * cov[c][e] + cov[a][c] * cov[b][e]
        assert moment == rest + third
        if i != j:
            assert moment != rest + cov[a][e] ** 2, "C_ij²"


@pytest.mark.parametrize("d", [1, 2, 3])
def test_theorem_by_isserlis(d):
    s = symbols_for_covariance(2 * d)
    second = sum(
        moment_by_generating_function(s, (i, d + i, j, d + j)) for i in range(d) for j in range(d)
    )
    assert sympy.expand(second - theorem(d, s)) == 0
    gap = sympy.expand(published_theorem(d, s) - second)
    skew = sum((s[i][d + j] - s[j][d + i]) ** 2 for i in range(d) for j in range(d))
    assert sympy.expand(gap - skew / 2) == 0
    assert (gap == 0) == (d == 1)


# The theorem, by simulation


@pytest.mark.parametrize(("d", "noise"), [(2, None), (4, None), (8, None), (4, 5)])
def test_theorem_by_simulation(module, d, noise):
    moments = module("theorem/moments")
    L = random_root(d, d, noise)
    three = blocks(L @ L.T)
    S = scores(10 + d, L, 400_000)
    second, error = mean_and_error(S**2)
    assert agrees(second, moments.second_moment(*three), error)
    assert not agrees(second, moments.published(*three), error)
    mean, error = mean_and_error(S)
    variance, variance_error = variance_and_error(S)
    assert agrees(mean, np.trace(three[2]), error)
    exact = np.trace(three[0] @ three[1]) + np.trace(three[2] @ three[2])
    assert agrees(variance, exact, variance_error)
    assert not agrees(variance, exact + np.trace(three[2]) ** 2, variance_error), "no variance"


@pytest.mark.parametrize("d", [2, 5])
def test_published_theorem_passes_for_symmetric_cross_covariance(module, d):
    moments = module("theorem/moments")
    L = symmetric_root(d, d)
    three = blocks(L @ L.T)
    second, error = mean_and_error(scores(20 + d, L) ** 2)
    assert agrees(second, moments.published(*three), error)
    assert close(moments.published(*three), moments.second_moment(*three))
    assert not agrees(second, np.trace(three[0] @ three[1]), error), "the baseline alone"


def test_quarter_turn(snippet):
    page = snippet("theorem/quarter_turn")
    z1, z2 = sympy.symbols("z1 z2")
    assert sympy.expand(z1 * z2 + z2 * (-z1)) == 0
    assert close(page.quarter @ [1, 10], [10, -1])
    for degrees in page.exact:
        # q·k = |q|² cos, and E|q|⁴ = 8 in the plane.
        cosine = math.cos(math.radians(degrees))
        assert close(page.exact[degrees], 8 * cosine**2)
        assert close(page.printed[degrees], 4 + 4 * cosine**2)
    assert close(page.exact[90], 0)
    assert close(page.printed[90], 4)
    for degrees, second in page.simulated.items():
        error = page.standard_error[degrees] + 1e-12
        assert agrees(second, page.exact[degrees], error)
        if 30 < degrees < 150:
            assert not agrees(second, page.printed[degrees], error)
        if degrees in (0, 180):  # C = ±I is symmetric
            assert agrees(second, page.printed[degrees], error)


# What it says


def test_regimes(snippet, module):
    page, moments = snippet("theorem/regimes"), module("theorem/moments")
    for rho in page.correlations:
        for d in (1, 64):
            one = np.eye(d)
            assert close(page.rms[rho][d] ** 2, moments.second_moment(one, one, rho * one))
            assert close(page.rms[rho][d] ** 2, moments.published(one, one, rho * one))  # symmetric
            assert not close(page.rms[rho][d] ** 2, d + 1)
            C = rho * one
            assert close(page.aligned[rho][d], np.trace(C) ** 2)
            assert close(page.other[rho][d], np.trace(one) + np.trace(C @ C))
        for d, simulated in page.simulated[rho].items():
            error = page.standard_error[rho][d]
            assert agrees(simulated, page.rms[rho][d], error)
            if rho in (0.1, 1) and d >= 1024:
                assert not agrees(simulated, math.sqrt(d), error), "√d whatever ρ"
            if d >= 4 and rho < 1:
                assert not agrees(simulated, d, error), "d whatever ρ"
    for d in page.dims:
        assert close(page.rms[1][d], math.sqrt(d**2 + 2 * d))
        assert 0 < d + 1 - page.rms[1][d] < 1 / (2 * d)
        assert not page.rms[1][d] < d


def test_regimes_against_coordinates(snippet):
    # The figure draws χ² numbers; here are the vectors themselves.
    page = snippet("theorem/regimes")
    q, other = np.random.default_rng(2).standard_normal((2, 20_000, 64))
    for rho in page.correlations:
        k = rho * q + math.sqrt(1 - rho**2) * other
        second, error = mean_and_error(np.sum(q * k, axis=1) ** 2)
        assert agrees(second, page.rms[rho][64] ** 2, error)
        assert not agrees(second, page.rms[rho][128] ** 2, error)


def test_slope_and_crossover(snippet):
    page = snippet("theorem/regimes")
    d, rho = sympy.symbols("d rho", positive=True)
    size = sympy.log(d + rho**2 * d + rho**2 * d**2) / 2
    x = rho**2 * d / (1 + rho**2)
    claimed = (1 + x / (1 + x)) / 2
    assert sympy.simplify(d * sympy.diff(size, d) - claimed) == 0
    assert sympy.simplify(d * sympy.diff(size, d) - (1 + x) / 2) != 0
    cross = sympy.solve(sympy.Eq(rho**2 * d**2, d * (1 + rho**2)), d)
    assert sympy.simplify(cross[0] - (1 + 1 / rho**2)) == 0
    assert sympy.simplify(claimed.subs(d, cross[0])) == sympy.Rational(3, 4)
    for r in page.correlations:
        for n in page.dims:
            assert close(page.slope[r][n], float(claimed.subs({rho: r, d: n})))
            assert 0.5 <= page.slope[r][n] <= 1
    for r, n in page.crossover.items():
        assert close(n, float(cross[0].subs(rho, r)))
        assert not close(n, 1 / r**2)
        # "Any ρ makes d² dominate": not before d*.
        for m in page.dims:
            assert (page.aligned[r][m] > page.other[r][m]) == (m > n)


# How large the error can be


def random_contraction(rng, d, skew):
    C = rng.standard_normal((d, d))
    C = C - C.T + rng.exponential(skew) * C
    return C / max(np.linalg.norm(C, 2), 1e-9) * rng.choice([1, rng.uniform()])


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_bounds_on_the_error(module, d):
    moments, rng, one = module("theorem/moments"), np.random.default_rng(3), np.eye(d)
    worst_excess, worst_ratio = 0, 1
    for _ in range(2000):
        C = random_contraction(rng, d, 0.1)
        assert np.linalg.eigvalsh(np.block([[one, C], [C.T, one]]))[0] > -1e-9
        true, wrong = moments.second_moment(one, one, C), moments.published(one, one, C)
        assert close(wrong - true, np.sum((C - C.T) ** 2) / 2)
        assert wrong >= true - 1e-12
        rho = np.trace(C) / d
        share = 2 * (1 - rho**2) / (rho**2 * (d + 2))
        assert (wrong - true) / true <= share * (1 + 1e-9)
        worst_excess = max(worst_excess, wrong - true)
        worst_ratio = max(worst_ratio, wrong / true)
    assert worst_excess <= 4 * (d // 2) + 1e-9
    if d % 2:
        assert worst_ratio <= 2 * d - 1 + 1e-9
    reached = np.zeros((d, d))
    reached[: d // 2 * 2, : d // 2 * 2] = turns(d // 2 * 2)
    true, wrong = moments.second_moment(one, one, reached), moments.published(one, one, reached)
    assert close(wrong - true, 4 * (d // 2))
    if d % 2:
        assert close(wrong / true, 2 * d - 1)
    else:
        assert close(true, 0)
    assert worst_excess > 4 * (d // 2) - 2, "the bound cannot be lower by much"


def test_largest_gap(snippet, module):
    page, moments = snippet("theorem/largest_gap"), module("theorem/moments")
    for rho in page.alignments:
        for d, reached in page.reached[rho].items():
            assert close(reached, page.ratio[rho][d])
            assert close(page.ratio[rho][d] ** 2 - 1, page.bound[rho][d])
            assert not close(reached**2 - 1, 2 * (1 - rho**2) / (rho**2 * (d + 1)))
    # The worst C is a cross-covariance, with the stated trace, and its scores know.
    d, rho = 8, 0.3
    C = rho * np.eye(d) + math.sqrt(1 - rho**2) * turns(d)
    L = np.block([[np.eye(d), np.zeros((d, d))], [C.T, np.zeros((d, d))]])
    assert close(np.trace(C), rho * d)
    second, error = mean_and_error(scores(4, L) ** 2)
    one = np.eye(d)
    assert agrees(second, moments.second_moment(one, one, C), error)
    assert not agrees(second, moments.published(one, one, C), error)
    assert close(
        moments.published(one, one, C) / moments.second_moment(one, one, C), page.ratio[rho][d] ** 2
    )


def test_other_covariances(module):
    moments = module("theorem/moments")
    for d in (2, 4, 8):
        q, k = np.ones(d), np.tile([1, -1], d // 2)  # times one and the same z
        three = np.outer(q, q), np.outer(k, k), np.outer(q, k)
        assert moments.second_moment(*three) == 0
        assert moments.published(*three) == d**2
    rng = np.random.default_rng(5)
    for _ in range(500):
        d = int(rng.integers(1, 7))
        root = rng.standard_normal((2 * d, int(rng.integers(1, 2 * d + 1))))
        cov_q, cov_k, C = blocks(root @ root.T)
        assert np.sum(C**2) <= np.linalg.eigvalsh(cov_q)[-1] * np.trace(cov_k) * (1 + 1e-9)
        root /= np.linalg.norm(root, axis=1, keepdims=True)
        three = blocks(root @ root.T)
        low, high = np.trace(three[2]) ** 2, 3 * d**2
        for formula in (moments.second_moment, moments.published):
            assert low - 1e-9 <= formula(*three) <= high + 1e-9
    ones = np.ones((4, 4))
    assert moments.published(ones, ones, ones) == 3 * 4**2  # reached: all coordinates equal
    assert not moments.published(ones, ones, ones) <= 2 * 4**2


@pytest.mark.parametrize("d", [2, 4, 64])
def test_order_d_without_a_trace(module, d):
    moments = module("theorem/moments")
    z1, z2 = sympy.symbols("z1 z2")
    b = [1, -1] * (d // 2)
    S = sum((z1 + x * z2) * (x * z1 + z2) for x in b) / 2
    assert sympy.expand(S - d * z1 * z2) == 0  # E[(z₁z₂)²] = 1: of size d
    L = np.column_stack([np.ones(d), b]), np.column_stack([b, np.ones(d)])
    cov_q, cov_k, C = (p @ q.T / 2 for p, q in [(L[0], L[0]), (L[1], L[1]), L])
    assert close(np.diag(cov_q), 1)
    assert close(np.diag(cov_k), 1)
    assert close(C, C.T)
    assert close(np.trace(C), 0)
    assert close(moments.second_moment(cov_q, cov_k, C), d**2)
    # What the page asks for instead: with bounded eigenvalues the rest is at most of order d.
    bound = np.linalg.eigvalsh(cov_q)[-1] * np.trace(cov_k)
    assert close(bound, d / 2 * d), "it grows like d² here, as the eigenvalue does like d"
    assert 2 * bound >= moments.second_moment(cov_q, cov_k, C) - 1e-9


@pytest.mark.parametrize("d", [2, 5, 16])
def test_bounded_eigenvalues_leave_order_d_to_the_trace(module, d):
    moments, rng = module("theorem/moments"), np.random.default_rng(22)
    largest = 0
    for _ in range(300):
        root = rng.standard_normal((2 * d, int(rng.integers(1, 2 * d + 1))))
        cov_q, cov_k, C = blocks(root @ root.T)
        rest = moments.second_moment(cov_q, cov_k, C) - np.trace(C) ** 2
        top = max(np.linalg.eigvalsh(cov_q)[-1], np.linalg.eigvalsh(cov_k)[-1])
        largest = max(largest, rest / (top**2 * d))
    assert largest <= 2  # tr(Σ_q Σ_k) and ‖C‖² are each at most top² d
    one = np.eye(d)  # k = q reaches it, so a smaller power of d would fail
    assert close(moments.second_moment(one, one, one) - np.trace(one) ** 2, 2 * d)


def test_means_of_both_signs_can_cancel():
    C = np.diag([0.3, -0.3] * 4)  # every term has a mean other than 0
    assert np.all(np.diag(C) != 0)
    assert close(np.trace(C), 0)
    assert not close(np.trace(np.abs(C)), 0)


def test_same_token(snippet):
    page = snippet("theorem/same_token")
    d = page.d
    for D in page.widths:
        assert close(page.exact[D], d + 2 * d / D)
        assert close(page.expected_published[D], d + d**2 / D + d / D)
        assert agrees(page.simulated[D], page.exact[D], page.standard_error[D])
        if D <= 128:
            assert not agrees(page.simulated[D], page.expected_published[D], page.standard_error[D])


def test_same_token_given_the_token_and_given_the_weights(snippet, module):
    page, moments = snippet("theorem/same_token"), module("theorem/moments")
    rng, d, D = np.random.default_rng(6), 8, 16
    # Given x, q and k are N(0, |x|²/D I) and independent: d E(|x|²/D)², by the χ² law.
    fourth = stats.chi2(D).moment(2) / D**2
    assert close(d * fourth, d + 2 * d / D)
    assert close(page.exact[32], page.d * stats.chi2(32).moment(2) / 32**2)
    traces = []
    for _ in range(4000):
        W_q, W_k = rng.standard_normal((2, d, D)) / math.sqrt(D)
        C, M = W_q @ W_k.T, W_q.T @ W_k
        three = W_q @ W_q.T, W_k @ W_k.T, C
        # Theorem 1 through the D × D matrix M of the form xᵀMx.
        other = np.sum(M**2) + np.trace(M @ M) + np.trace(M) ** 2
        assert close(moments.second_moment(*three), other)
        traces.append([np.trace(C @ C), np.sum(C**2), np.trace(C) ** 2, np.sum(M**2)])
    mean, error = np.mean(traces, axis=0), np.std(traces, axis=0) / math.sqrt(len(traces))
    assert agrees(mean, [d / D, d**2 / D, d / D, d], error)
    assert not agrees(mean[0], mean[1], error[0]), "tr(C²) for ‖C‖²"
    for W in page.widths:
        ours, theirs = page.given_weights[W], page.given_weights_published[W]
        error, other = page.weights_error[W], page.published_error[W]
        assert agrees(ours, page.exact[W], error)
        assert agrees(theirs, page.expected_published[W], other)
        assert not agrees(theirs, page.exact[W], other)
        assert not agrees(ours, page.expected_published[W], error)


def test_same_token_of_fixed_length():
    rng, d, D = np.random.default_rng(7), 8, 16
    x = rng.standard_normal(D)
    x *= math.sqrt(D) / np.linalg.norm(x)
    W_q, W_k = rng.standard_normal((2, 40_000, d, D)) / math.sqrt(D)
    second, error = mean_and_error(np.sum((W_q @ x) * (W_k @ x), axis=1) ** 2)
    assert agrees(second, d, error)
    assert not agrees(second, d + 2 * d / D, error)


# With fewer assumptions


def test_means_symbolically():
    d = 2
    names = [f"l{i}_{j}" for i in range(2 * d) for j in range(i + 1)]
    names += [f"m{i}" for i in range(2 * d)]
    ground, *_ = ring(names, sympy.QQ)
    _, *gens = ring([*names, *(f"z{i}" for i in range(2 * d))], sympy.QQ)

    def parse(letters):
        letters = iter(letters)
        zero = 0
        L = [[next(letters) if j <= i else zero for j in range(2 * d)] for i in range(2 * d)]
        return L, [next(letters) for _ in range(2 * d)]

    L, mu = parse(gens)
    z = gens[-2 * d :]
    w = [sum(a * b for a, b in zip(row, z, strict=True)) + m for row, m in zip(L, mu, strict=True)]
    S = sum(w[i] * w[d + i] for i in range(d))
    mean, second = gaussian_mean(S, 2 * d, ground), gaussian_mean(S**2, 2 * d, ground)
    L, mu = parse(ground.gens)
    cov = product(L, transpose(L))
    cov_q, cov_k, C = parts(d, cov)
    q, k = [[m] for m in mu[:d]], [[m] for m in mu[d:]]

    def form(a, B, c):
        return product(product(transpose(a), B), c)[0][0]

    assert mean == trace(C) + form(q, [[1, 0], [0, 1]], k)
    rest = theorem(d, cov) - trace(C) ** 2 + form(q, cov_k, q) + form(k, cov_q, k)
    assert second - mean**2 == rest + 2 * form(q, transpose(C), k)
    assert second - mean**2 != rest + 2 * form(q, C, k), "C for Cᵀ"
    assert second - mean**2 != rest, "no cross term"


def test_means_by_simulation():
    d, L = 3, random_root(8, 3)
    means = np.random.default_rng(21).standard_normal(2 * d)
    q, k = means[:d], means[d:]
    cov_q, cov_k, C = blocks(L @ L.T)
    S = scores(10, L, 400_000, means)
    mean, error = mean_and_error(S)
    assert agrees(mean, q @ k + np.trace(C), error)
    rest = np.trace(cov_q @ cov_k) + np.trace(C @ C) + q @ cov_k @ q + k @ cov_q @ k
    variance, error = variance_and_error(S)
    assert agrees(variance, rest + 2 * q @ C.T @ k, error)
    assert not agrees(variance, rest + 2 * q @ C @ k, error)
    assert not agrees(variance, rest - np.trace(C @ C) + np.sum(C**2) + 2 * q @ C.T @ k, error)


def fourth_cumulant(a, b, c, e, p):
    """Give the fourth joint cumulant of centred variables with probabilities p."""
    return (
        p @ (a * b * c * e)
        - (p @ (a * b)) * (p @ (c * e))
        - (p @ (a * c)) * (p @ (b * e))
        - (p @ (a * e)) * (p @ (b * c))
    )


def test_any_law(module):
    moments, rng = module("theorem/moments"), np.random.default_rng(11)
    d = 2
    for _ in range(20):
        # Nine points with probabilities; centred.
        points, p = rng.standard_normal((9, 2 * d)), rng.dirichlet(np.ones(9))
        points -= p @ points
        three = blocks((points.T * p) @ points)
        q, k = points[:, :d].T, points[:, d:].T
        kappa = sum(fourth_cumulant(q[i], k[i], q[j], k[j], p) for i in range(d) for j in range(d))
        second = p @ np.sum(q * k, axis=0) ** 2
        assert close(second, moments.second_moment(*three) + kappa)
        assert not close(second, moments.second_moment(*three)), "without the cumulants"
        assert not close(second, moments.published(*three) + kappa)


def test_independent_of_any_law():
    rng, d = np.random.default_rng(12), 3
    for _ in range(20):
        q, k = rng.exponential(1, (2, 6, d)) * rng.choice([-1, 2], (2, 6, d))
        p, r = rng.dirichlet(np.ones(6), 2)
        second = p @ (q @ k.T) ** 2 @ r  # every query with every key
        R_q, R_k = (q.T * p) @ q, (k.T * r) @ k
        assert close(second, np.trace(R_q @ R_k))
        cov_q, cov_k = R_q - np.outer(p @ q, p @ q), R_k - np.outer(r @ k, r @ k)
        assert not close(second, np.trace(cov_q @ cov_k)), "covariances, means dropped"


@pytest.mark.parametrize(("q", "p"), [([-1, 1], [1, 1]), ([-2, 0, 2], [1, 6, 1])])
def test_copy_of_another_law(q, p):
    q, p = np.array(q), np.array(p) / sum(p)
    kappa, d = p @ q**4 - 3, 3
    second = 0
    for draw in itertools.product(range(len(q)), repeat=d):
        second += math.prod(p[i] for i in draw) * sum(q[i] ** 2 for i in draw) ** 2
    assert close(second, d**2 + 2 * d + kappa * d)
    assert not close(second, d**2 + 2 * d), "Gaussian"


# The whole law


@pytest.mark.parametrize(("d", "rho"), [(2, 0.0), (3, 0.2), (8, 0.6), (16, -0.3), (64, 0.1)])
def test_density_by_three_routes(module, d, rho):
    mixture, other = module("theorem/mixture"), module("variance/dot_product")
    sd = math.sqrt(d * (1 + rho**2))
    s = rho * d + sd * np.array([-2.5, -1, 0.3, 1, 4])
    pdf = mixture.density(s, d, rho)
    assert close(pdf / other.density(s, d, rho), 1, 1e-8)
    assert not close(pdf / other.density(s, d, rho + 0.1), 1, 1e-3)
    # The formula of the page, with scipy's scaled Bessel function in logarithms.
    order, c = (d - 1) / 2, 1 - rho**2
    bessel = np.log(special.kve(order, np.abs(s) / c)) - np.abs(s) / c
    log_pdf = order * np.log(np.abs(s) / 2) + rho * s / c + bessel
    log_pdf -= special.gammaln(d / 2) + np.log(np.pi * c) / 2
    assert close(pdf / np.exp(log_pdf), 1, 1e-8)
    assert not close(pdf / np.exp(log_pdf - rho * s / c + 0.01), 1, 1e-3)


@pytest.mark.parametrize(("d", "rho"), [(1, 0.4), (4, 0.0), (8, -0.6), (256, 0.3)])
def test_cdf(module, d, rho):
    mixture = module("theorem/mixture")
    s = rho * d + math.sqrt(d) * np.array([-2, -0.5, 0.7, 2])
    # From the two χ²: P(S ≤ s) = E F_X(((1 − ρ)Y + 2s)/(1 + ρ)).
    u = np.linspace(*np.log(stats.chi2(d).ppf([1e-16, 1 - 1e-15])), 200_001)
    y = np.exp(u)
    weight = stats.chi2.logpdf(y, d)
    inner = stats.chi2.cdf(((1 - rho) * y + 2 * s[:, np.newaxis]) / (1 + rho), d)
    route = np.trapezoid(inner * np.exp(weight) * y, u, axis=1)
    assert close(mixture.cdf(s, d, rho), route, 1e-6)
    assert not close(mixture.cdf(s, d, rho), stats.norm.cdf(s, rho * d, math.sqrt(d)), 1e-4)
    # P(S ≤ 0) is an incomplete beta function.
    zero = mixture.cdf(np.array([0.0]), d, rho)
    assert close(zero, special.betainc(d / 2, d / 2, (1 - rho) / 2))
    if rho:
        assert not close(zero, special.betainc(d / 2, d / 2, (1 + rho) / 2))


def test_weights_of_the_mixture(module):
    for d in (1, 2, 4, 64, 1024):
        v, weight = module("theorem/mixture").squared_lengths(d)
        assert close([weight.sum(), weight @ v, weight @ v**2], [1, d, d**2 + 2 * d], 1e-8)
        assert not close(weight @ v, d + 1)


def test_cumulants_symbolically():
    rho, t, d = sympy.symbols("rho t d")
    # ln E e^{tS} of the two χ², and of one pair: E e^{t q k} is a Gaussian integral.
    pair = sympy.Matrix([[1, rho], [rho, 1]]).inv() - t * sympy.Matrix([[0, 1], [1, 0]])
    generating = 1 / (pair.det() * (1 - rho**2))  # squared
    claimed = 1 - 2 * rho * t - (1 - rho**2) * t**2
    assert sympy.simplify(generating * claimed - 1) == 0
    assert sympy.simplify(generating * (1 - rho * t) ** 2 - 1) != 0
    split = (1 - (1 + rho) * t) * (1 + (1 - rho) * t)
    assert sympy.expand(split - claimed) == 0
    series = sympy.series(-d / 2 * sympy.log(claimed), t, 0, 6).removeO()
    cumulant = {}
    for n in range(1, 6):
        cumulant[n] = sympy.expand(sympy.factorial(n) * series.coeff(t, n))
        formula = d / 2 * sympy.factorial(n - 1) * ((1 + rho) ** n + (rho - 1) ** n)
        assert sympy.expand(cumulant[n] - formula) == 0
        wrong = d / 2 * sympy.factorial(n - 1) * ((1 + rho) ** n - (rho - 1) ** n)
        assert sympy.expand(cumulant[n] - wrong) != 0
    assert sympy.expand(cumulant[1] - rho * d) == 0
    assert sympy.expand(cumulant[2] - d * (1 + rho**2)) == 0
    assert sympy.expand(cumulant[3] - d * (6 * rho + 2 * rho**3)) == 0
    assert sympy.expand(cumulant[4] - 6 * d * (1 + 6 * rho**2 + rho**4)) == 0
    excess = cumulant[4] / cumulant[2] ** 2
    assert sympy.simplify(excess.subs(rho, 0) - 6 / d) == 0
    assert sympy.simplify(excess.subs(rho, 1) - 12 / d) == 0


@pytest.mark.parametrize(("d", "rho"), [(4, 0.0), (8, 0.6), (16, -0.3)])
def test_moments_of_the_density(module, d, rho):
    sd = math.sqrt(d * (1 + rho**2))
    s = np.linspace(rho * d - 40 * sd, rho * d + 40 * sd, 16_001)
    pdf = module("theorem/mixture").density(s, d, rho)
    mean = np.trapezoid(s * pdf, s)
    central = {n: np.trapezoid((s - mean) ** n * pdf, s) for n in (0, 2, 3, 4)}
    assert close(central[0], 1, 1e-5)
    assert close(mean, rho * d, 1e-5)
    assert close(central[2], d * (1 + rho**2), 1e-5)
    assert close(central[3] / sd**3, (6 * rho + 2 * rho**3) / ((1 + rho**2) ** 1.5 * d**0.5), 1e-4)
    excess = 6 * (1 + 6 * rho**2 + rho**4) / ((1 + rho**2) ** 2 * d)
    assert close(central[4] / sd**4 - 3, excess, 1e-4)
    if rho:
        assert not close(central[4] / sd**4 - 3, 6 / d, 1e-2)


def two_numbers(rng, d, rho, samples):
    X, Y = rng.chisquare(d, (2, samples))
    return ((1 + rho) * X - (1 - rho) * Y) / 2


def all_coordinates(rng, d, rho, samples):
    q, k = rng.standard_normal((2, samples, d))
    k *= math.sqrt(1 - rho**2)
    k += rho * q
    return np.einsum("ij,ij->i", q, k)


@pytest.mark.parametrize(("d", "rho"), [(1, 0.5), (5, -0.4), (16, 0.9)])
def test_two_numbers_have_the_law_of_all_coordinates(d, rho):
    rng = np.random.default_rng(13)
    few, many = two_numbers(rng, d, rho, 20_000), all_coordinates(rng, d, rho, 20_000)
    assert stats.ks_2samp(few, many).pvalue > 1e-4
    assert stats.ks_2samp(two_numbers(rng, d, -rho, 20_000), many).pvalue < 1e-4


def test_law(snippet):
    page = snippet("theorem/law")
    assert page.normals == 2 * 64
    width = np.diff(page.edges)
    fine = np.linspace(-16, 40, 5601)
    for rho, histogram in page.histogram.items():
        share = page_share(fine, np.interp(fine, page.point, page.pdf[rho]), width)
        error = np.sqrt(share * (1 - share) / page.samples) + 2e-3 * share + 1e-5
        assert agrees(histogram * width, share, error)
        bell = stats.norm.pdf(fine, rho * page.d, math.sqrt(page.d * (1 + rho**2)))
        if rho:  # at ρ = 0 the bell is too close for 40,000 draws
            assert not agrees(histogram * width, page_share(fine, bell, width), error)


def page_share(fine, pdf, width):
    """Give the mass of a density in each bin."""
    whole = integrate.cumulative_trapezoid(pdf, fine, initial=0)
    return np.diff(whole[:: (len(fine) - 1) // len(width)])


def test_chance_of_a_negative_score(snippet):
    page, rng = snippet("theorem/law"), np.random.default_rng(15)
    for rho, chances in page.negative.items():
        for d, chance in chances.items():
            # At least the error of one count, for chances below it.
            error = math.sqrt(max(chance * (1 - chance), 1 / page.samples) / page.samples)
            assert agrees(page.negative_simulated[rho][d], chance, error)
        below = np.mean(all_coordinates(rng, 16, rho, 40_000) < 0)
        error = math.sqrt(chances[16] * (1 - chances[16]) / 40_000)
        assert agrees(below, chances[16], error)
        assert rho < 0.1 or not agrees(below, 0.5, error)

        # (1 + ρ)X < (1 − ρ)Y, for two χ²'s.
        def both(y, d, rho=rho):
            return stats.chi2.pdf(y, d) * stats.chi2.cdf((1 - rho) / (1 + rho) * y, d)

        for d in (16, 64):
            assert close(chances[d], integrate.quad(both, 0, 4 * d + 40, args=(d,))[0], 1e-6)
            assert not close(chances[d], integrate.quad(both, 0, 4 * d + 40, (d, -rho))[0], 1e-6)
    assert page.negative[0.1][64] > 0.2


def test_rate(snippet, module):
    page, mixture = snippet("theorem/rate"), module("theorem/mixture")
    x = np.linspace(0, 6, 60_001)
    assert close(page.fourth, np.max(np.abs(x**3 - 3 * x) * stats.norm.pdf(x)) / 4, 1e-7)
    skewness = (6 * 0.5 + 2 * 0.5**3) / (1 + 0.5**2) ** 1.5
    assert close(page.third, skewness / 6 / math.sqrt(2 * math.pi))
    for d in page.dims[2:]:
        assert close(page.distance[0][d] * d, page.fourth, 0.01)
        assert close(page.distance[0.5][d] * math.sqrt(d), page.third, 0.01)
        assert not close(page.distance[0.5][d] * d, page.fourth, 0.5), "1/d whatever ρ"
    # Another route to the distance: simulated scores, at d = 4.
    S = np.sort(two_numbers(np.random.default_rng(16), 4, 0.5, 400_000))
    z = (S - 2) / math.sqrt(4 * 1.25)
    simulated = np.max(np.abs(np.arange(1, len(S) + 1) / len(S) - stats.norm.cdf(z)))
    assert agrees(simulated, page.distance[0.5][4], 0.5 / math.sqrt(len(S)))
    assert not agrees(simulated, page.distance[0][4], 0.5 / math.sqrt(len(S)))
    assert close(mixture.cdf(np.array([0.0]), 64, 0.0), 0.5)


def test_spectrum(snippet, module):
    page, moments = snippet("theorem/spectrum"), module("theorem/moments")
    cov_q, cov_k, C = blocks(page.cov)
    assert np.sum(page.eigenvalues > 0) == np.sum(page.eigenvalues < 0) == page.d
    direct = np.sort(np.linalg.eigvals(page.A @ page.cov).real)
    assert close(direct, page.eigenvalues, 1e-7)
    assert close(page.mean, np.trace(C))
    assert close(page.variance, np.trace(cov_q @ cov_k) + np.trace(C @ C))
    assert close(page.variance + page.mean**2, page.exact)
    assert close(page.exact, moments.second_moment(cov_q, cov_k, C))
    assert not close(page.variance, page.printed_variance)
    assert close(page.printed, page.mean**2 + np.trace(cov_q @ cov_k) + np.sum(C**2))
    # Cumulants of a sum of λ times squares; by them the variance of S².
    two, three, four = (
        2 ** (k - 1) * math.factorial(k - 1) * np.sum(page.eigenvalues**k) for k in (2, 3, 4)
    )
    of_square = four + 4 * page.mean * three + 2 * two**2 + 4 * page.mean**2 * two
    assert abs(page.standard_error - math.sqrt(of_square / page.samples)) < 0.005
    assert not abs(page.standard_error - math.sqrt(2 * two**2 / page.samples)) < 0.005, "a Gaussian"
    assert agrees(page.second, page.exact, page.standard_error)
    assert not agrees(page.second, page.printed, page.standard_error)


def test_density_from_the_eigenvalues(snippet):
    page = snippet("theorem/spectrum")
    S = scores(17, page.L, 200_000)
    fine = np.linspace(-7, 7, 5601)
    whole = integrate.cumulative_trapezoid(np.interp(fine, page.point, page.pdf), fine, initial=0)
    whole += 1 - whole[-1] - np.mean(S > 7)
    points = np.linspace(-2, 5, 29)
    share = np.interp(points, fine, whole)
    error = 0.5 / math.sqrt(len(S)) + 5e-4
    observed = np.mean(S[:, np.newaxis] <= points, axis=0)
    assert agrees(observed, share, error)
    bell = stats.norm.cdf(points, page.mean, math.sqrt(page.printed_variance))
    assert not agrees(observed, bell, error)
    drawn = page.eigenvalues @ np.random.default_rng(18).standard_normal((8, 20_000)) ** 2
    assert stats.ks_2samp(drawn, S[:20_000]).pvalue > 1e-4
    flipped = -page.eigenvalues @ np.random.default_rng(18).standard_normal((8, 20_000)) ** 2
    assert stats.ks_2samp(flipped, S[:20_000]).pvalue < 1e-4


def test_the_quarter_turn_is_nilpotent():
    J = np.array([[0, -1], [1, 0]])
    form = np.block([[J.T, np.eye(2)], [np.eye(2), J]]) / 2
    assert not close(form, 0)
    assert close(form @ form, 0)
    aligned = np.kron([[1, 1], [1, 1]], np.eye(2)) / 2  # k = q
    assert not close(aligned @ aligned, 0)


# The corollaries


def test_rotary(snippet):
    page = snippet("theorem/rotary")
    for m, (mean, variance) in page.simulated.items():
        place = round(m * 10)
        assert close(page.distance[place], m)
        error = page.standard_error[m]
        assert agrees([mean, variance], [page.mean[place], page.variance[place]], error)
        if m >= 12:
            assert not agrees(variance, page.published, error[1])
            assert not agrees(mean, page.mean[0], error[0])


@pytest.mark.parametrize(("m", "rho"), [(0, 0.3), (1, 1.0), (7, 0.6), (3542, 1.0)])
def test_rotary_by_the_theorem(snippet, module, m, rho):
    page, moments = snippet("theorem/rotary"), module("theorem/moments")
    d, one = page.d, np.eye(page.d)
    R = np.zeros((d, d))
    for j, theta in enumerate(page.theta):
        c, s = math.cos(m * theta), math.sin(m * theta)
        R[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = [[c, -s], [s, c]]
    C = rho * R.T
    mean = 2 * rho * np.cos(m * page.theta).sum()
    variance = d + 2 * rho**2 * np.cos(2 * m * page.theta).sum()
    assert close(np.trace(C), mean)
    assert close(moments.second_moment(one, one, C), variance + mean**2)
    assert close(np.sum(C**2), rho**2 * d)  # for every m
    if m:
        assert not close(moments.published(one, one, C), variance + mean**2)
        ratio = moments.published(one, one, C) / (variance + mean**2)
        if rho in page.ratio:
            assert close(ratio, page.ratio[rho][m])
    else:
        assert close(moments.published(one, one, C), variance + mean**2)
    # C has the eigenvalues ρe^{imθ} and their conjugates.
    turns = np.exp(1j * np.outer(np.arange(4096), page.theta))
    for r, worst in page.worst.items():
        second = d + (2 * r * turns.real.sum(1)) ** 2
        ratio = (second + r**2 * d) / (second + 2 * r**2 * (turns**2).real.sum(1))
        assert close([ratio.max(), np.median(ratio)], [worst, page.median[r]])
        assert not close(ratio[:2048].max(), worst) or r < 1
    assert page.where[1.0] == 3542
    assert close(page.worst[1.0], page.ratio[1.0][3542])


def test_rotary_without_correlation_needs_white_covariance():
    turn = np.array([[0, -1], [1, 0]])
    one, skew = np.eye(2), np.diag([1.5, 0.5])
    assert close(np.trace(one @ turn @ skew @ turn.T), np.trace(one @ skew))
    assert not close(np.trace(skew @ turn @ skew @ turn.T), np.trace(skew @ skew))


def test_low_rank(snippet, module):
    page, moments = snippet("theorem/low_rank"), module("theorem/moments")
    assert close(page.overtakes, math.sqrt(page.d) / page.rho)
    for r in (1, 32):
        P = np.diag(np.arange(page.d) < r) * page.rho
        second = moments.second_moment(np.eye(page.d), np.eye(page.d), P)
        assert close(page.aligned[r], math.sqrt(second))
        assert not close(page.aligned[r], page.unaligned[r], 1e-5)
    for r, size in page.measured.items():
        excess, error = page.excess[r], page.excess_error[r]
        assert close(size**2, page.d + excess)
        # Sixty squares of Gaussians are skew: Student's t is no guide to more than five errors.
        assert agrees(page.unaligned[r] ** 2 - page.d, excess, error, 5)
        assert not agrees(page.aligned[r] ** 2 - page.d, excess, error, 5), "the same subspace"
        if r > 4:
            assert not agrees(page.rho**2 * (r + r**2) / page.d, excess, error, 5), "‖C‖² for tr C²"


def test_random_subspaces():
    rng, d, r = np.random.default_rng(19), 6, 3
    drawn = rng.standard_normal((2, 20_000, d, r))
    U, V = np.linalg.qr(drawn)[0] * rng.choice([-1, 1], (2, 20_000, 1, r))
    W = np.swapaxes(V, 1, 2) @ U
    for sample in (np.trace(W @ W, axis1=1, axis2=2), np.trace(W, axis1=1, axis2=2) ** 2):
        mean, error = mean_and_error(sample)
        assert agrees(mean, r / d, error)
        assert not agrees(mean, r**2 / d, error)
    frobenius, error = mean_and_error(np.sum(W**2, axis=(1, 2)))
    assert agrees(frobenius, r**2 / d, error)  # ‖W‖² is another matter, once more


def test_low_rank_needs_a_large_trace():
    rng = np.random.default_rng(20)
    for _ in range(100):
        r = int(rng.integers(1, 5))
        U, V = np.linalg.qr(rng.standard_normal((2, 6, r)))[0]
        C = U @ np.diag(rng.uniform(0, 1, r)) @ V.T
        assert abs(np.trace(C)) <= np.linalg.svd(C, compute_uv=False).sum() + 1e-12
        assert np.linalg.svd(C, compute_uv=False).sum() <= r
    P = np.diag([1, 1, 0, 0])
    assert np.trace(P) == 2 > np.linalg.norm(P, "fro")  # the Frobenius norm is no such bound


def test_three_terms_of_a_turn(snippet):
    shown = snippet("theorem/terms")
    rng = np.random.default_rng(41)
    for angle, terms in shown.terms.items():
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        q = rng.standard_normal((20_000, shown.d // 2, 2))
        k = q @ np.array([[c, s], [-s, c]])
        mean, error = mean_and_error(np.sum(q * k, axis=(1, 2)) ** 2)
        assert close(sum(terms), shown.total[angle])
        assert agrees(shown.total[angle], mean, error + 1e-12)
        assert agrees(shown.printed[angle], mean, error) == (angle == 0)
