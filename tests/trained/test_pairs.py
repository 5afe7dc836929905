"""The terms of Theorem 1 over pairs, by simulation and by numpy's covariance."""

import numpy as np

from tests.tolerance import agrees, close
from tests.trained.lists import by_list, listed


def correlated(seed, n=250, d=3):
    """Draw Gaussian q and k with means, and with a C that is far from symmetric."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(7).standard_normal((2 * d, 2 * d))
    w = rng.standard_normal((n, 2 * d)) @ mixing.T + np.arange(2 * d) / 2
    return w[:, :d], w[:, d:]


def test_terms_are_those_of_gaussians(pairs):
    draws = [correlated(seed) for seed in range(200)]
    total = sum(pairs.sums(q, k, np.eye(len(q))) for q, k in draws)
    squares = np.concatenate([np.sum(q * k, axis=1) ** 2 for q, k in draws])
    measured, found = pairs.terms(total, 3)
    assert close(measured, squares.mean())
    error = squares.std() / np.sqrt(squares.size)
    other = found.pop("norm_of_C_squared") - found["tr_of_C_squared"]
    assert agrees(sum(found.values()), measured, error)
    assert not agrees(sum(found.values()) + other, measured, error), "‖C‖² for tr C²"
    assert not agrees(sum(found.values()) - found["C_and_means"], measured, error)


def test_terms_by_numpys_covariance(pairs):
    rng = np.random.default_rng(1)
    parts, total = [], 0
    for seed in range(4):
        q, k = correlated(seed, n=9)
        w = rng.uniform(size=(9, 9)) * (rng.uniform(size=(9, 9)) > 0.3)
        parts.append(listed(q, k, w))
        total = total + pairs.sums(q, k, w)
    found = pairs.shares(total, 3)
    for name, value in by_list(parts).items():
        assert close(found[name], value)
    assert close(found["printed"], by_list(parts, frobenius=True)["formula"])
    assert not close(found["formula"], by_list(parts, frobenius=True)["formula"], 1e-3)
    factors = pairs.factors(total, 3)
    assert close(np.prod([*factors.values()]), found["size"])
    assert not close(factors["pairing"], 1, 1e-3)
