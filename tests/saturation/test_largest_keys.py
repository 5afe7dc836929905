"""The draws of the largest keys: their distribution, and what is computed from them."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from tests.saturation.draws import close, jacobian_squares


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
