"""How large the error can be: by matrices that reach the bound, and by their scores."""

import math

import numpy as np

from tests.theorem.draws import scores, turns
from tests.tolerance import agrees, close, mean_and_error


def test_largest_gap(snippet, module):
    page, moments = snippet("theorem/largest_gap"), module("theorem/moments")
    for rho in page.alignments:
        for d, reached in page.reached[rho].items():
            assert close(reached, page.ratio[rho][d])
            assert close(page.ratio[rho][d] ** 2 - 1, page.bound[rho][d])
            assert not close(reached**2 - 1, 2 * (1 - rho**2) / (rho**2 * (d + 1)))
    # The worst C is a cross-covariance, with the stated trace, and its scores know.
    d, rho, one = 8, 0.3, np.eye(8)
    C = rho * one + math.sqrt(1 - rho**2) * turns(d)
    L = np.block([[one, np.zeros((d, d))], [C.T, np.zeros((d, d))]])
    assert close(np.trace(C), rho * d)
    second, error = mean_and_error(scores(4, L) ** 2)
    published = moments.published(one, one, C)
    assert agrees(second, published / page.ratio[rho][d] ** 2, error)
    assert not agrees(second, published, error)


def test_with_other_covariances_it_need_not_fall(snippet):
    # q = (z + u_i)/√2, k = (z b_i + u_i)/√2: S = (bz² + (z + zb)·u + |u|²)/2, with Σb = 0.
    page = snippet("theorem/largest_gap")
    assert [*page.elsewhere] == [2, 64, 1024]
    for d, ratio in page.elsewhere.items():
        rng = np.random.default_rng(d)
        z, u = rng.standard_normal((20_000, 1)), rng.standard_normal((20_000, d))
        b = (-1.0) ** np.arange(d)
        mean, error = mean_and_error((np.sum((z + u) * (z * b + u), axis=1) / 2) ** 2)
        excess = d**2 / 4  # half of Σ (b_j − b_i)²/4, beside a mean square of d + d²/4
        assert close(ratio, 1 + d / (d + 4))
        assert agrees(mean, excess / (ratio - 1), 2 * error)
        assert not agrees(mean, excess / page.bound[0.3][64], error)
        alike = 2 * (1 - 0.5**2) / (0.5**2 * (d + 2))  # the bound for I, at tr C = d/2
        assert (ratio - 1 <= alike) == (d == 2), "the condition Σ_q = Σ_k = I dropped"
