"""Theorem 1: for a general Σ in letters, and for other distributions.

Each step of its proofs is checked by Coq (tests/proofs), each formula as printed by test_formulas.
"""

import itertools

import numpy as np
import pytest
import sympy
from sympy.polys.rings import ring

from tests.theorem.draws import blocks
from tests.tolerance import close


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
