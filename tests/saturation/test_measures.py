"""The three measures, by another quadrature."""

import pytest

from tests.saturation.draws import close
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
