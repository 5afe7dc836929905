"""The key that is meant: drawn from a joint Gaussian, and its share by the query's length."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.tolerance import agrees, close, is_median, mean_and_error


@pytest.fixture
def page(snippet):
    return snippet("theorem/meant")


def pairs(rho, shape, seed=3):
    """Draw q and k, of which each pair of coordinates has the correlation ρ."""
    cov = [[1, rho], [rho, 1]]
    return np.moveaxis(np.random.default_rng(seed).multivariate_normal([0, 0], cov, shape), -1, 0)


def test_a_mean_beside_noise(page):
    for d, mean, noise in page.parts[:4]:
        q, k = pairs(page.rho, (6000, d))
        score = np.sum(q * k, axis=1)
        assert agrees(mean, *mean_and_error(score))
        variance, error = mean_and_error((score - mean) ** 2)
        assert agrees(noise**2 * (1 + page.rho**2), variance, error)
        assert not agrees(mean, *mean_and_error(np.sum(q * k[::-1], axis=1))), "another's key"
    assert close(page.equal * page.rho, np.sqrt(page.equal))


def test_our_row(page, module):
    row = module("common/our_row")
    for d in page.dims:
        other = row.keys[row.meant, :d]
        score = page.rho * row.query[:d] @ row.query[:d]
        score += np.sin(np.arccos(page.rho)) * row.query[:d] @ other
        scores = row.scores(d)
        scores[row.meant] = score
        assert close(page.walks[:, d - 1], scores)
        assert close(page.share[d], np.exp(score / d**0.5) / np.exp(scores / d**0.5).sum())
        assert not close(page.share[d], softmax(scores)[row.meant]), "undivided"
    assert close(page.ends, score)


def test_the_usual_share(page):
    """Given the query, the scores are Gaussian, with its length for their spread."""
    rng, n = np.random.default_rng(8), 40_000
    for d in page.dims:
        shares = []
        for rho in (page.rho, page.rho / 2):
            length = np.sqrt(rng.chisquare(d, n))
            score = rho * length**2 + np.sqrt(1 - rho**2) * length * rng.standard_normal(n)
            noise = length[:, np.newaxis] * rng.standard_normal((n, page.n_keys - 1))
            logits = np.column_stack([score, noise]) / np.sqrt(d)
            shares.append(softmax(logits, axis=1)[:, 0])
        right, wrong = shares
        assert is_median(page.usual[d], right, page.rows)
        assert not is_median(page.usual[d], wrong, page.rows), "half the correlation"
