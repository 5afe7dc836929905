"""The frozen phase by a Poisson process, and the freezing point by another quadrature."""

import math

import numpy as np

from tests.saturation.draws import close, is_mean, jacobian_squares
from tests.saturation.quadrature import largest_mean, power_sums


def test_freezing_limit_by_a_poisson_process(snippet, exact):
    page = snippet("saturation/freezing")
    rng = np.random.default_rng(12)
    for alpha in (0.4, 0.5):
        # Points of density α w^{−α−1}: the inverse of a unit Poisson process, to the power 1/α.
        times = np.cumsum(rng.exponential(size=(4000, 1000)), axis=1)
        w = (times / times[:, :1]) ** (-1 / alpha)
        p = w / w.sum(axis=1, keepdims=True)
        assert is_mean(1 - alpha, np.sum(p**2, axis=1))
        assert not is_mean(1 - alpha**2, np.sum(p**2, axis=1))
        assert is_mean(alpha * (1 - alpha) / 3, jacobian_squares(p))
        assert not is_mean(alpha * (1 - alpha) / 2, jacobian_squares(p))
    assert close(page.limit[np.searchsorted(page.ratio, 2)], 0.5, 0.02)
    # The distance from the limit falls like 1/ln n, up to a slowly varying factor.
    n = 10**100
    sigma = 2 * math.sqrt(2 * math.log(n))
    for found, limit, wrong in [
        (exact.trace(n, sigma), 1 / 2, 3 / 4),
        (exact.jacobian_square(n, sigma), 1 / 12, 1 / 8),
    ]:
        assert abs(found - limit) < 1 / math.log(n) < abs(found - wrong)


def test_the_freezing_point_by_another_quadrature(snippet):
    page = snippet("saturation/freezing")
    for n, values in page.at_point.items():
        point = math.sqrt(2 * math.log(n))
        for scale in (1, 1.001):
            keys, largest = 1 / power_sums(n, scale * point)[0], largest_mean(n, scale * point)
            assert close(values["keys"], keys, 3e-5) == (scale == 1)
            assert close(values["max"], largest, 3e-5) == (scale == 1)
    assert close(page.inverse_e, math.exp(-1))
    for n, share in page.rate.items():
        assert close(1 / share, n * power_sums(n, 1)[0], 1e-6)
        if n >= 512:  # the first correction is of order 1/n, with a constant below 4
            assert abs(share / page.inverse_e - 1) < 10 / n < abs(share / math.exp(-0.5) - 1)


def test_where_the_simple_count_ends(snippet):
    page, ln_n = snippet("saturation/freezing"), math.log(10**100)
    for x, simple in page.simple.items():
        true = 1 / power_sums(10**100, x * math.sqrt(2 * ln_n))[0]
        assert close(page.true[x], true, 1e-6)
        assert close(math.log(simple), ln_n * (1 - 2 * x**2))
        assert close(page.excess[x], true / math.exp(ln_n * (1 - 2 * x**2)), 1e-6)
    assert page.excess[0.55] < 1.1 < 10 < page.excess[0.6]  # on both sides of 1/√3


def test_beyond_the_freezing_point_it_need_not_be_a_few_keys(snippet):
    """So many take part as 1/(1 - α) says: 2 at twice the point, 11 at 1.1 times it, by quadrature.

    "Above it a few keys take everything" fails: the number does not grow with n, and may be large.
    """
    page = snippet("saturation/freezing")
    for x in (1.1, 2):
        # The distance from the limit falls about like 1/ln n: a line through the last two.
        log_n = np.array([12, 25, 50]) * math.log(10)
        same = [power_sums(10**k, x * math.sqrt(2 * k * math.log(10)))[0] for k in (12, 25, 50)]
        slope = np.diff(same)[1] / np.diff(1 / log_n)[1]
        end = same[2] - slope / log_n[2]
        for wrong in (1 / 1.5, 1, 1.5):
            assert (abs(end - wrong / page.beyond[x]) < 0.02) == (wrong == 1)
        # From few keys on the count only rises, and never beyond the limit.
        assert np.all(np.diff(same) < 0)
        assert same[2] > 1 / page.beyond[x]
    assert page.beyond[1.1] > 10
