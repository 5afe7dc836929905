"""Theorem 1: every identity of its two proofs for a general Σ, and the formula by simulation."""

import itertools
import math

import numpy as np
import pytest
import sympy
from scipy import stats
from sympy.polys.rings import ring

from tests.theorem.draws import blocks, scores
from tests.tolerance import agrees, close, mean_and_error, variance_and_error


@pytest.fixture(scope="module")
def moments(module):
    return module("theorem/moments")


@pytest.fixture(scope="module", params=[1, 2, 3])
def general(request):
    """Give a general Σ = LLᵀ in d dimensions, as polynomials in the entries of L, and 2A."""
    d = request.param
    below = np.tril_indices(2 * d)  # a triangle, as every Σ allows
    _, *letters = ring([f"l{i}_{j}" for i, j in zip(*below, strict=True)], sympy.QQ)
    L = np.zeros((2 * d, 2 * d), dtype=object)
    L[below] = letters
    swap = np.kron([[0, 1], [1, 0]], np.eye(d, dtype=int)).astype(object)
    return L, L @ L.T, swap


def symmetric(letters, n):
    """Give a symmetric matrix of letters."""
    matrix, below = np.zeros((n, n), dtype=object), np.tril_indices(n)
    matrix[below] = letters
    matrix.T[below] = letters
    return matrix


def mean_of_four(*indices):
    """Give E[z_a z_b z_c z_e] from the moments of single coordinates, E z² = 1 and E z⁴ = 3."""
    counts = [indices.count(i) for i in indices]
    return 0 if any(c % 2 for c in counts) else 3 if 4 in counts else 1


def squared_form(M):
    """Give E[(zᵀMz)²]."""
    every = itertools.product(range(len(M)), repeat=4)
    return sum(
        M[a, b] * M[c, e] * mean for a, b, c, e in every if (mean := mean_of_four(a, b, c, e))
    )


# The theorem, and the identities of the proof by Stein


def test_theorem_for_a_general_covariance(general, moments):
    L, cov, swap = general
    second, C = squared_form(L.T @ swap @ L), blocks(cov)[2]  # four times, for 2A
    assert second == 4 * moments.second_moment(*blocks(cov))
    excess = 4 * moments.published(*blocks(cov)) - second
    assert excess == 2 * np.sum((C - C.T) ** 2)
    assert (excess == 0) == (len(C) == 1), "the published theorem"


def test_every_step_of_lemma_2(general):
    L, cov, swap = general
    M, form, n = L.T @ swap @ L, swap @ cov, len(L)
    assert np.array_equal(M, M.T)
    assert np.trace(M) == np.trace(form)
    assert np.trace(M @ M) == np.trace(form @ form)
    assert squared_form(M) == np.trace(form) ** 2 + 2 * np.trace(form @ form)
    assert squared_form(M) != np.trace(form) ** 2 + np.trace(form @ form), "no 2"

    # E[zzᵀ zᵀMz] = (tr M) I + 2M, for a general symmetric M.
    _, *letters = ring([f"m{i}" for i in range(n * (n + 1) // 2)], sympy.QQ)
    M = symmetric(letters, n)
    for a, b in itertools.product(range(n), repeat=2):
        mean = sum(M[c, e] * mean_of_four(a, b, c, e) for c, e in np.ndindex(n, n))
        assert mean == int(a == b) * np.trace(M) + 2 * M[a, b]
        assert mean != int(a == b) * np.trace(M) + M[a, b], "the second derivative is 2M"


def test_the_block_product(general):
    _, cov, swap = general
    (cov_q, cov_k, C), form = blocks(cov), swap @ cov
    assert np.array_equal(form, np.block([[C.T, cov_k], [cov_q, C]]))
    upper = [C.T @ C.T + cov_k @ cov_q, C.T @ cov_k + cov_k @ C]
    lower = [cov_q @ C.T + C @ cov_q, cov_q @ cov_k + C @ C]
    assert np.array_equal(form @ form, np.block([upper, lower]))
    assert np.trace(form) == 2 * np.trace(C)
    twice, base = np.trace(form @ form), np.trace(cov_q @ cov_k)
    assert twice == 2 * (base + np.trace(C @ C))
    assert (twice == 2 * (base + np.trace(C @ C.T))) == (len(C) == 1), "the published line"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_lemma_1_on_polynomials(n):
    ground, *_ = ring("c0 c1 c2", sympy.QQ)
    _, c0, c1, c2, *z = ring(["c0", "c1", "c2", *(f"z{i}" for i in range(n))], sympy.QQ)

    def mean(polynomial):
        """Average over z, by E z^{2m} = (2m − 1)!! only."""
        result = ground.zero
        for powers, coefficient in polynomial.terms():
            if not any(p % 2 for p in powers[3:]):
                moment = math.prod(math.prod(range(1, p, 2)) for p in powers[3:])
                result += ground({powers[:3]: coefficient * moment})
        return result

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


Z = np.linspace(-20, 20, 400_001)
BELL = stats.norm.pdf(Z)


@pytest.mark.parametrize("h", [(np.abs, np.sign), (np.sin, np.cos), (np.exp, np.exp)])
def test_lemma_1_beyond_polynomials(h):
    function, derivative = h
    left = np.trapezoid(Z * function(Z) * BELL, Z)
    assert close(left, np.trapezoid(derivative(Z) * BELL, Z), 1e-7)
    assert function is np.exp or not close(left, np.trapezoid(function(Z) * BELL, Z), 1e-3)


def test_bounds_in_the_proof_of_lemma_1():
    # E|z (h − h(0))| ≤ E|h'|, and E|h(z) − h(z')| ≤ √(π/2) E|h'|: for h = z the first is equality.
    for h, slope in [(Z, 1 + 0 * Z), (Z**3, 3 * Z**2), (np.sin(3 * Z), 3 * np.cos(3 * Z))]:
        left = np.trapezoid(np.abs(Z * (h - h[len(Z) // 2])) * BELL, Z)
        assert left <= np.trapezoid(np.abs(slope) * BELL, Z) * (1 + 1e-9)
    distance = 2 / math.sqrt(math.pi)  # E|z − z'|
    assert math.sqrt(2 / math.pi) < distance <= math.sqrt(math.pi / 2)


def test_the_second_condition_of_lemma_1_is_needed():
    # h' = sin(e^{t²}) is bounded by 1; the mean of |h''| over |z| < T grows without end.
    def size(T):  # substitute y = e^{t²}: ∫ |cos y| φ(t) dy, with t = √(ln y)
        y = np.linspace(1, math.exp(T**2), 2_000_001)
        return 2 * np.trapezoid(np.abs(np.cos(y)) * stats.norm.pdf(np.sqrt(np.log(y))), y)

    growth = [size(T) for T in (1.5, 2.0, 2.5, 3.0)]
    assert all(b > 2 * a for a, b in itertools.pairwise(growth))


# The proof by Isserlis


@pytest.mark.parametrize("d", [1, 2, 3])
def test_theorem_by_isserlis(moments, d):
    t = np.array(sympy.symbols(f"t:{2 * d}"))
    cov = symmetric(sympy.symbols(f"s:{d * (2 * d + 1)}"), 2 * d)
    # E[w_a w_b w_c w_e] is a derivative of e^Q at 0, of which only ½Q² has degree four.
    quartic = sympy.expand((t @ cov @ t / 2) ** 2) / 2
    second = sum(sympy.diff(quartic, t[i], t[d + i], t[j], t[d + j]) for i, j in np.ndindex(d, d))
    assert sympy.expand(second - moments.second_moment(*blocks(cov))) == 0
    excess, C = moments.published(*blocks(cov)) - second, blocks(cov)[2]
    assert sympy.expand(excess - np.sum((C - C.T) ** 2) / 2) == 0
    assert (sympy.expand(excess) == 0) == (d == 1)


# By simulation, and for other distributions


@pytest.mark.parametrize(("d", "noise"), [(2, 4), (4, 8), (8, 16), (4, 5)])
def test_theorem_by_simulation(moments, d, noise):
    # With five numbers for eight coordinates Σ is singular.
    L = np.random.default_rng(d).standard_normal((2 * d, noise)) / np.sqrt(2 * d)
    cov_q, cov_k, C = three = blocks(L @ L.T)
    S = scores(10 + d, L, 400_000)
    second, error = mean_and_error(S**2)
    assert agrees(second, moments.second_moment(*three), error)
    assert not agrees(second, moments.published(*three), error)
    mean, error = mean_and_error(S)
    assert agrees(mean, np.trace(C), error)
    variance, error = variance_and_error(S)
    exact = np.trace(cov_q @ cov_k) + np.trace(C @ C)
    assert agrees(variance, exact, error)
    assert not agrees(variance, exact + np.trace(C) ** 2, error), "no variance"


def fourth_cumulant(a, b, c, e, p):
    """Give the fourth joint cumulant of centred variables with probabilities p."""
    return (
        p @ (a * b * c * e)
        - (p @ (a * b)) * (p @ (c * e))
        - (p @ (a * c)) * (p @ (b * e))
        - (p @ (a * e)) * (p @ (b * c))
    )


def test_any_distribution(moments):
    rng, d = np.random.default_rng(11), 2
    for _ in range(20):
        # Nine points with probabilities; centred.
        points, p = rng.standard_normal((9, 2 * d)), rng.dirichlet(np.ones(9))
        points -= p @ points
        three = blocks((points.T * p) @ points)
        q, k = points[:, :d].T, points[:, d:].T
        kappa = sum(fourth_cumulant(q[i], k[i], q[j], k[j], p) for i, j in np.ndindex(d, d))
        second = p @ np.sum(q * k, axis=0) ** 2
        assert close(second, moments.second_moment(*three) + kappa)
        assert not close(second, moments.second_moment(*three)), "without the cumulants"
        assert not close(second, moments.published(*three) + kappa)
