"""A bound on the logits as a bound on the weights, by softmax itself."""

import numpy as np
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


def test_no_other_logits_within_the_bound_do_better(snippet):
    z = np.random.default_rng(4).uniform(-1, 1, (2000, N))
    z[:, 0] = 1
    largest = special.softmax(z, axis=1).max()
    assert largest < snippet("scales/bound").cosine_ceiling[N]
    assert special.softmax(2 * z, axis=1).max() > largest
