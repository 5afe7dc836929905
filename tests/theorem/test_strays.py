"""How far a score strays: the bound tried on drawn scores, its proof on exact means."""

import math

import numpy as np

from tests.theorem.draws import all_coordinates
from tests.tolerance import agrees, close


def eigenvalues(rng):
    """Give the eigenvalues of AΣ for a random Σ: from few dimensions, or near those of k = q."""
    d = int(rng.integers(1, 7))
    L = rng.standard_normal((2 * d, int(rng.integers(1, 2 * d + 1))))
    A = np.kron([[0, 0.5], [0.5, 0]], np.eye(d))
    return np.linalg.eigvalsh(L.T @ A @ L)


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


def test_the_bound_for_any_covariance():
    # Chernoff's bound with the exact generating function, at the t of the proof.
    rng = np.random.default_rng(22)

    def holds(factor):
        for _ in range(300):
            values = eigenvalues(rng)
            level, top = rng.exponential(4), abs(values).max()
            sd = math.sqrt(2 * np.sum(values**2))
            a = factor * (math.sqrt(2 * level) * sd + 2 * level * top)
            t = math.sqrt(2 * level) / (sd + 2 * top * math.sqrt(2 * level))
            log_mean = -0.5 * np.sum(np.log(1 - 2 * t * values) + 2 * t * values)
            if -t * a + log_mean > -level + 1e-9:
                return False
        return True

    assert holds(1)
    assert not holds(0.8)


def test_bounded_eigenvalues_make_a_law_of_large_numbers():
    rng = np.random.default_rng(23)
    for _ in range(100):
        d = int(rng.integers(1, 7))
        L = rng.standard_normal((2 * d, 2 * d))
        values = np.linalg.eigvalsh(L.T @ np.kron([[0, 0.5], [0.5, 0]], np.eye(d)) @ L)
        top = abs(values).max()
        assert top <= np.linalg.norm(L @ L.T, 2) / 2 * (1 + 1e-9)
        assert 2 * np.sum(values**2) <= 4 * d * top**2 * (1 + 1e-9)
    # d z₁z₂, where all q_i are z₁ and all k_i are z₂.
    ones = np.kron(np.eye(2), np.ones((8, 8)))
    assert close(np.linalg.norm(np.kron([[0, 0.5], [0.5, 0]], np.eye(8)) @ ones, 2), 8 / 2)
