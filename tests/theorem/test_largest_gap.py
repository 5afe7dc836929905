"""How large the error can be: the bounds tried on random matrices, and reached."""

import math

import numpy as np
import pytest
import sympy

from tests.theorem.draws import blocks, scores, turns
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


def test_other_covariances(module):
    moments = module("theorem/moments")
    for d in (2, 4, 8):
        q, k = np.ones(d), np.tile([1, -1], d // 2)  # times one and the same z
        three = np.outer(q, q), np.outer(k, k), np.outer(q, k)
        assert moments.second_moment(*three) == 0
        assert moments.published(*three) == d**2
    rng = np.random.default_rng(5)
    for _ in range(500):
        d = int(rng.integers(1, 7))
        root = rng.standard_normal((2 * d, int(rng.integers(1, 2 * d + 1))))
        cov_q, cov_k, C = blocks(root @ root.T)
        top = np.linalg.eigvalsh(cov_q)[-1], np.linalg.eigvalsh(cov_k)[-1]
        assert np.sum(C**2) <= top[0] * np.trace(cov_k) * (1 + 1e-9)
        # The excess, and the two norms in its proof.
        odd, both = np.linalg.norm(C - C.T), np.linalg.norm(cov_q + cov_k)
        assert odd <= both * (1 + 1e-9)
        assert odd**2 / 2 <= np.trace(cov_q + cov_k) ** 2 / 4 * (1 + 1e-9)
        # Bounded eigenvalues leave order d to the trace.
        rest = moments.second_moment(cov_q, cov_k, C) - np.trace(C) ** 2
        assert rest <= 2 * max(top) ** 2 * d * (1 + 1e-9)
        root /= np.linalg.norm(root, axis=1, keepdims=True)
        three = blocks(root @ root.T)
        low, high = np.trace(three[2]) ** 2, 3 * d**2
        for formula in (moments.second_moment, moments.published):
            assert low - 1e-9 <= formula(*three) <= high + 1e-9
    one, ones = np.eye(4), np.ones((4, 4))  # two matrices that reach the bounds
    assert moments.second_moment(one, one, one) - np.trace(one) ** 2 == 2 * 4
    assert moments.published(ones, ones, ones) == 3 * 4**2


@pytest.mark.parametrize("d", [2, 4, 64])
def test_order_d_without_a_trace(module, d):
    z1, z2 = sympy.symbols("z1 z2")
    b = [1, -1] * (d // 2)
    S = sum((z1 + x * z2) * (x * z1 + z2) for x in b) / 2
    assert sympy.expand(S - d * z1 * z2) == 0  # E[(z₁z₂)²] = 1: of size d
    L = np.column_stack([np.ones(d), b]), np.column_stack([b, np.ones(d)])
    cov_q, cov_k, C = (p @ q.T / 2 for p, q in [(L[0], L[0]), (L[1], L[1]), L])
    assert close([np.diag(cov_q), np.diag(cov_k)], 1)
    assert close(C, C.T)
    assert close(np.trace(C), 0)
    assert close(module("theorem/moments").second_moment(cov_q, cov_k, C), d**2)
