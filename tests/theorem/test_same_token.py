"""A token and itself at initialisation: by the χ² distribution, and with weights drawn."""

import math

import numpy as np
from scipy import stats

from tests.tolerance import agrees, close, mean_and_error


def test_same_token(snippet):
    page = snippet("theorem/same_token")
    d = page.d
    for D in page.widths:
        # Given x, q and k are N(0, |x|²/D I) and independent: d E(|x|²/D)².
        assert close(page.exact[D], d * stats.chi2(D).moment(2) / D**2)
        assert close(page.expected_published[D] - page.exact[D], d * (d - 1) / D)
        assert agrees(page.simulated[D], page.exact[D], page.standard_error[D])
        ours, error = page.given_weights[D], page.weights_error[D]
        theirs, their_error = page.given_weights_published[D], page.published_error[D]
        assert agrees(ours, page.exact[D], error)
        assert agrees(theirs, page.expected_published[D], their_error)
        assert not agrees(theirs, page.exact[D], their_error)
        assert not agrees(ours, page.expected_published[D], error)


def test_same_token_of_fixed_length():
    rng, d, D = np.random.default_rng(7), 8, 16
    x = rng.standard_normal(D)
    x *= math.sqrt(D) / np.linalg.norm(x)
    W_q, W_k = rng.standard_normal((2, 40_000, d, D)) / math.sqrt(D)
    second, error = mean_and_error(np.sum((W_q @ x) * (W_k @ x), axis=1) ** 2)
    assert agrees(second, d, error)
    assert not agrees(second, d + 2 * d / D, error)
