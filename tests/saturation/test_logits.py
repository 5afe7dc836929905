"""The figure of growing scores, by drawing them."""

import numpy as np

from tests.saturation.draws import draw, is_mean, jacobian_squares


def test_logits(snippet):
    page = snippet("saturation/logits")
    for n in page.gradient:
        for sigma in (1, 8):
            at = np.argmin(abs(page.sigma - sigma))
            p = draw(7, n, page.sigma[at], 1_000_000 // n + 500)[1]
            assert is_mean(page.largest_weight[n][at], p.max(axis=1))
            assert is_mean(page.gradient[n][at] ** 2, jacobian_squares(p))
            other = np.argmin(abs(page.sigma - (9 - sigma)))
            assert not is_mean(page.largest_weight[n][other], p.max(axis=1))
