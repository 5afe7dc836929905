"""The three measures: by another quadrature, and why the norm is Frobenius'."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.saturation.draws import close, draw, is_mean
from tests.saturation.quadrature import jacobian_mean, power_sums


@pytest.mark.parametrize("n", [3, 512, 65536])
@pytest.mark.parametrize("sigma", [1, 8])
def test_three_measures_by_another_quadrature(snippet, n, sigma):
    page = snippet("saturation/measures")
    same, square = power_sums(n, sigma)[0], jacobian_mean(n, sigma)
    for value, other in [
        (page.norm[sigma][n] ** 2, square),
        (page.relative[sigma][n] ** 2, square / same),
        (1 - page.own[sigma][n], same),
    ]:
        assert close(value, other, 3e-5)
    assert not close(page.norm[sigma][n] ** 2, jacobian_mean(n, 1.001 * sigma), 3e-5)
    assert not close(page.relative[sigma][n] ** 2, square, 3e-5), "not in proportion"


@pytest.mark.parametrize("sigma", [1, 8])
def test_why_frobenius(sigma):
    n, d = 6, 5
    p = draw(39, n, sigma, 1)[1][0]
    J = np.diag(p) - np.outer(p, p)
    rng = np.random.default_rng(40)
    u, V = rng.standard_normal(d), rng.standard_normal((40_000, n, d))

    # What comes back to the scores is the derivative of u·o, with o = V'p.
    def loss(z):
        return u @ (V[0].T @ softmax(z))

    z, h = np.log(p), 1e-6
    slopes = [(loss(z + h * e) - loss(z - h * e)) / (2 * h) for e in np.eye(n)]
    assert np.allclose(J @ V[0] @ u, slopes, rtol=0, atol=1e-8)

    back = np.sum((V @ u @ J) ** 2, axis=1)
    assert is_mean(u @ u * np.sum(J**2), back)
    assert not is_mean(u @ u * np.linalg.norm(J, 2) ** 2, back), "the spectral norm"
    assert not is_mean(u @ u * np.trace(J) ** 2, back), "the trace"

    # The output, for a random small change of all scores, and its own size.
    change = rng.standard_normal((len(V), n)) @ J
    moved = np.sum(np.einsum("rnd,rn->rd", V, change) ** 2, axis=1)
    size = np.sum(np.einsum("rnd,n->rd", V, p) ** 2, axis=1)
    assert is_mean(d * np.sum(J**2), moved)
    assert is_mean(d * np.sum(p**2), size)
    assert not is_mean(d * np.sum(p), size)
