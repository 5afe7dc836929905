"""A bound on the logits as a bound on the weights, by softmax itself."""

import math

import numpy as np
import pytest
from scipy import special

from tests.scales.draws import N
from tests.tolerance import close


def best_of(n, best, others):
    z = np.full(n, float(others))
    z[0] = best
    return special.softmax(z)[0]


def test_bound(snippet):
    page = snippet("scales/bound")
    for n in page.keys:
        assert close(best_of(n, 1, -1), page.cosine_ceiling[n])
        assert not close(best_of(n, 1, 0), page.cosine_ceiling[n], 1e-6)
        assert close(best_of(n, page.needed[n], 0), 0.5)
        for place in (0, 20, 160):
            b = page.bound[place]
            assert close(best_of(n, b, -b), page.ceiling[n][place])
            assert close(best_of(n, b, 0), page.against_zero[n][place])
    z = np.zeros(N)
    z[0] = 50
    assert close(special.softmax(z)[1:].sum() / page.cap_lack, 1)
    assert best_of(page.too_many, 1, -1) < 0.5 < best_of(page.too_many - 1, 1, -1)


@pytest.mark.parametrize("d", [64, 128])
def test_qk_norm_bounds_the_logits(snippet, d):
    page, rng = snippet("scales/bound"), np.random.default_rng(31)

    def logits(q, k, centre):
        """Normalise as RMSNorm or LayerNorm does, and divide by √d."""
        q, k = (v - centre * v.mean(axis=-1, keepdims=True) for v in (q, k))
        q, k = (v / np.sqrt(np.mean(v**2, axis=-1, keepdims=True)) for v in (q, k))
        return np.sum(q * k, axis=-1) / math.sqrt(d)

    q = rng.standard_normal((2000, d))
    for centre in (0, 1):
        assert close(logits(q, 3 * q, centre), page.qk_bound[d]), "the best key reaches it"
        assert np.all(logits(q, rng.standard_normal((2000, d)), centre) < page.qk_bound[d])
    assert close(best_of(N, page.qk_bound[d], 0), page.qk_best[d])
    assert not close(best_of(N, d, 0), page.qk_best[d], 1e-6), "without the root"


def test_qk_norm_among_noise(snippet):
    page, rng = snippet("scales/bound"), np.random.default_rng(33)
    for match, n, said in (
        (1, 512, page.qk_of_noise[512]),
        (1 / 2, 512, page.qk_half_match),
        (1, page.qk_many, page.qk_of_noise[page.qk_many]),
    ):
        z = rng.standard_normal((400 if n == 512 else 8, n))
        z[:, 0] = 8 * match
        weight = special.softmax(z, axis=1)[:, 0].mean()
        assert abs(weight / said - 1) < 0.03
        assert abs(best_of(n, 8 * match, 0) / said - 1) > 0.08, "the others are not at 0"
