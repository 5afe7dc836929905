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
