"""How large the error can be: the bounds tried on random matrices, and reached."""

import math

import numpy as np
import pytest

from tests.theorem.draws import scores, turns
from tests.tolerance import agrees, close, mean_and_error


def random_contraction(rng, d, skew):
    C = rng.standard_normal((d, d))
    C = C - C.T + rng.exponential(skew) * C
    return C / max(np.linalg.norm(C, 2), 1e-9) * rng.choice([1, rng.uniform()])


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_bounds_on_the_error(module, d):
    moments, rng, one = module("theorem/moments"), np.random.default_rng(3), np.eye(d)
    worst_excess, worst_ratio = 0, 1
    for _ in range(2000):
        C = random_contraction(rng, d, 0.1)
        assert np.linalg.eigvalsh(np.block([[one, C], [C.T, one]]))[0] > -1e-9
        true, wrong = moments.second_moment(one, one, C), moments.published(one, one, C)
        rho = np.trace(C) / d
        share = 2 * (1 - rho**2) / (rho**2 * (d + 2))
        assert -1e-12 <= (wrong - true) / true <= share * (1 + 1e-9)
        worst_excess = max(worst_excess, wrong - true)
        worst_ratio = max(worst_ratio, wrong / true)
    assert 4 * (d // 2) - 2 < worst_excess <= 4 * (d // 2) + 1e-9
    reached = np.zeros((d, d))
    reached[: d // 2 * 2, : d // 2 * 2] = turns(d // 2 * 2)
    true, wrong = moments.second_moment(one, one, reached), moments.published(one, one, reached)
    assert close(wrong - true, 4 * (d // 2))
    assert close(true, d % 2)  # so that the ratio has no bound for even d
    assert d % 2 == 0 or worst_ratio <= 2 * d - 1 + 1e-9


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
