"""Theorem 1: for a general Σ in letters, and for other distributions.

Each step of its proofs is checked by Coq (tests/proofs), each formula as printed by test_formulas.
"""

import itertools

import numpy as np
import pytest
import sympy
from sympy.polys.rings import ring

from tests.theorem.draws import blocks
from tests.tolerance import agrees, close, mean_and_error


@pytest.fixture(scope="module")
def moments(module):
    return module("theorem/moments")


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


@pytest.mark.parametrize("d", [1, 2, 3])
def test_theorem_for_a_general_covariance(moments, d):
    below = np.tril_indices(2 * d)  # Σ = LLᵀ with a triangle of letters, as every Σ allows
    _, *letters = ring([f"l{i}_{j}" for i, j in zip(*below, strict=True)], sympy.QQ)
    L = np.zeros((2 * d, 2 * d), dtype=object)
    L[below] = letters
    swap = np.kron([[0, 1], [1, 0]], np.eye(d, dtype=int)).astype(object)
    second, cov = squared_form(L.T @ swap @ L), L @ L.T  # four times, for 2A
    C = blocks(cov)[2]
    assert second == 4 * moments.second_moment(*blocks(cov))
    excess = 4 * moments.published(*blocks(cov)) - second
    assert excess == 2 * np.sum((C - C.T) ** 2)
    assert (excess == 0) == (d == 1), "the published theorem"


def covariances():
    """Yield random covariance matrices of q and k, singular ones among them, of many sizes."""
    rng = np.random.default_rng(3)
    for _ in range(4000):
        d = int(rng.integers(1, 6))
        size = np.exp(rng.normal(scale=1.5, size=(2 * d, 1)))
        L = size * rng.standard_normal((2 * d, int(rng.integers(1, 2 * d + 1))))
        yield blocks(L @ L.T)


def around(d):
    """Give q and k by their coordinates along two Gaussians, at d angles of a half turn."""
    angle = np.pi * np.arange(d) / d
    return np.stack([np.cos(angle), np.sin(angle)], 1), np.stack([np.sin(angle), -np.cos(angle)], 1)


def test_the_excess_is_at_most_the_product_of_the_traces(moments):
    quotients, sums = [], []
    for cov_q, cov_k, C in covariances():
        excess = moments.published(cov_q, cov_k, C) - moments.second_moment(cov_q, cov_k, C)
        assert close(excess, np.sum((C - C.T) ** 2) / 2, 1e-7) or excess < 1e-9 * np.sum(C**2)
        bound = np.trace(cov_q) * np.trace(cov_k)
        quotients.append(excess / bound)
        sums.append(bound / (np.trace(cov_q) + np.trace(cov_k)) ** 2)
        # As with longer queries and shorter keys.
        scaled = moments.published(9 * cov_q, cov_k / 9, C) - moments.second_moment(
            9 * cov_q, cov_k / 9, C
        )
        assert close(scaled, excess, 1e-6) or excess < 1e-9 * np.sum(C**2)
    assert 0.99 < max(quotients) <= 1 + 1e-9, "half of it, or tr(Σ_q Σ_k), would not do"
    assert max(sums) <= 1 / 4 + 1e-12, "it implies the bound ¼(tr Σ_q + tr Σ_k)²"


def test_the_wrong_bounds_fail(moments):
    one = np.eye(2), np.eye(2), np.array([[0, -1], [1, 0]])
    excess = moments.published(*one) - moments.second_moment(*one)
    assert excess == np.trace(one[0]) * np.trace(one[1]) == 4
    assert not excess <= np.trace(one[0] @ one[1])
    assert not excess <= np.trace(one[0]) * np.trace(one[1]) / 2


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 64])
def test_for_every_d_from_2_on_it_is_reached_with_unit_variances(moments, d):
    Q, K = around(d)
    three = Q @ Q.T, K @ K.T, Q @ K.T
    assert close(np.diag(three[0]), 1)
    assert close(np.diag(three[1]), 1)
    assert (abs(moments.second_moment(*three)) < 1e-9) == (d > 1), "the score is 0"
    excess = moments.published(*three) - moments.second_moment(*three)
    assert close(excess, d**2) == (d > 1)
    z = np.random.default_rng(d).standard_normal((100, 2))
    scores = np.sum((z @ Q.T) * (z @ K.T), axis=1)
    assert (np.max(np.abs(scores)) < 1e-9) == (d > 1)


def test_two_gaussian_vectors_need_not_be_jointly_gaussian(moments):
    # k = εq with a random sign ε: C = 0, and the score is ±|q|².
    d, one = 6, np.eye(6)
    rng = np.random.default_rng(6)
    q, sign = rng.standard_normal((50_000, d)), rng.choice([-1, 1], (50_000, 1))
    mean, error = mean_and_error(np.sum(q * sign * q, axis=1) ** 2)
    assert agrees(mean, d**2 + 2 * d, error)
    assert not agrees(mean, moments.second_moment(one, one, 0 * one), error)


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
