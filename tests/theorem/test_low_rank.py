"""Low rank: by the matrices, and by the draws of random subspaces."""

import math

import numpy as np

from tests.tolerance import agrees, close


def test_low_rank(snippet, module):
    page, moments = snippet("theorem/low_rank"), module("theorem/moments")
    one = np.eye(page.d)
    for r in (1, 32):
        P = np.diag(np.arange(page.d) < r) * page.rho
        assert close(page.aligned[r], math.sqrt(moments.second_moment(one, one, P)))
        assert close(page.opposed[r], math.sqrt(moments.second_moment(one, one, -P)))
        assert not close(page.aligned[r], page.unaligned[r], 1e-5)
    for r, size in page.measured.items():
        excess, error = page.excess[r], page.excess_error[r]
        assert close(size**2, page.d + excess)
        # Sixty squares of Gaussians are skew: Student's t is no guide to more than five errors.
        assert agrees(page.unaligned[r] ** 2 - page.d, excess, error, 5)
        assert not agrees(page.aligned[r] ** 2 - page.d, excess, error, 5), "the same subspace"
