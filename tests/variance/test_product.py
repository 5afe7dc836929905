"""The variance of a product, counted over four cases."""

import numpy as np

from tests.tolerance import agrees, close
from tests.variance.draws import signs


def test_product(snippet):
    page = snippet("variance/product")
    naive = page.var_x * page.var_y
    # X and Y take μ − 1 and μ + 1: variance 1, and only four products to count.
    two_point = [np.var([(m + x) * (m + y) for x, y in signs(2)]) for m in page.means]
    assert close(page.law, two_point)
    assert agrees(page.simulated, page.law, page.standard_error)
    for at in range(1, len(page.means)):
        assert not agrees(page.simulated[at], naive, page.standard_error[at])
