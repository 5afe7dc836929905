"""What happens when an assumption fails: each case by drawing, or with all its cases counted."""

import numpy as np
import pytest

from tests.tolerance import agrees, mean_and_error, variance_and_error
from tests.variance.draws import signs


def test_assumptions(snippet):
    page = snippet("variance/assumptions")
    for case in page.cases:
        for d in page.dims:
            estimate, error = page.simulated[case][d], page.standard_error[case][d]
            assert agrees(estimate, page.exact[case][d], error + 1e-12)
            if case not in ("independent", "random signs"):
                assert not agrees(estimate, d, error + 1e-12), "'always exactly d'"
    for d in page.dims:
        assert [page.exact[case][d] for case in page.cases] == [d**2, 2 * d, d, d, 0]


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
    k *= np.sqrt(d / np.mean(np.sum(k**2, axis=1)))  # E|k|² = d
    q = uniform_on_sphere(rng, samples, d)
    q = np.sign(q) if query == "signs" else q
    variance, error = variance_and_error(np.sum(q * k, axis=1))
    assert agrees(variance, d, error)
    equal = q[:, :1] * np.ones(d)  # coordinates that are all the same are correlated
    variance, error = variance_and_error(np.sum(equal * k, axis=1))
    assert not agrees(variance, d, error)


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
    assert not agrees(variance, 4 + np.sum((m + n) ** 2), error), "the square of the sum"
