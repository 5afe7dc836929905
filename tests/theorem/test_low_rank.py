"""Low rank: the two means over random subspaces, drawn in few and in many dimensions."""

import math

import numpy as np

from tests.tolerance import agrees, close, mean_and_error


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


def test_random_subspaces():
    rng, d, r = np.random.default_rng(19), 6, 3
    drawn = rng.standard_normal((2, 20_000, d, r))
    U, V = np.linalg.qr(drawn)[0] * rng.choice([-1, 1], (2, 20_000, 1, r))
    W = np.swapaxes(V, 1, 2) @ U
    for sample in (np.trace(W @ W, axis1=1, axis2=2), np.trace(W, axis1=1, axis2=2) ** 2):
        mean, error = mean_and_error(sample)
        assert agrees(mean, r / d, error)
        assert not agrees(mean, r**2 / d, error), "‖W‖²"


def test_low_rank_needs_a_large_trace():
    rng = np.random.default_rng(20)
    for _ in range(100):
        r = int(rng.integers(1, 5))
        U, V = np.linalg.qr(rng.standard_normal((2, 6, r)))[0]
        C = U @ np.diag(rng.uniform(0, 1, r)) @ V.T
        assert abs(np.trace(C)) <= np.linalg.svd(C, compute_uv=False).sum() + 1e-12
        assert np.linalg.svd(C, compute_uv=False).sum() <= r
    P = np.diag([1, 1, 0, 0])
    assert np.trace(P) == 2 > np.linalg.norm(P, "fro")  # the Frobenius norm is no such bound
