"""The draws of the largest keys: their distribution, and what is computed from them."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from tests.saturation.draws import close, draw, jacobian_squares
from tests.tolerance import is_median


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
@pytest.mark.parametrize("evenly", [False, True])
def test_the_largest_keys_have_their_distribution(keys, n, evenly):
    rng = np.random.default_rng(1)
    top = keys.draw_evenly(n, power=11) if evenly else keys.draw(rng, n, 4000, keep=50)
    assert np.all(np.diff(top, axis=1) <= 0)
    for place in (0, 1):
        # The place-th largest of n uniform numbers has a beta distribution.
        u = stats.norm.cdf(top[:, place])
        assert stats.kstest(u, stats.beta(n - place, place + 1).cdf).pvalue > 1e-4
        assert stats.kstest(u, stats.beta(n, place + 2).cdf).pvalue < 1e-4


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
