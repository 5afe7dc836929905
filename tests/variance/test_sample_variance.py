"""The mean and the variance of np.var of a product: in letters, and drawn."""

import math

import pytest
import sympy

from tests.tolerance import agrees, close, variance_and_error
from tests.variance.draws import dots


def gaussian_mean(polynomial):
    """Give the mean of a polynomial in independent standard Gaussians, exactly."""
    return sum(
        c * math.prod(0 if p % 2 else math.prod(range(1, p, 2)) for p in powers)
        for powers, c in polynomial.terms()
    )


@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 1, 3), (1, 2, 2), (2, 3, 2), (3, 2, 2)])
def test_mean_and_variance_of_the_sample_variance_symbolically(module, shape):
    law = module("variance/sample_variance")
    n, d, m = shape
    x = sympy.symbols(f"x:{n * d + d * m}")
    Q, K = sympy.Matrix(n, d, x[: n * d]), sympy.Matrix(d, m, x[n * d :])
    entries = [sympy.Poly(s, *x) for s in Q * K]
    total = sum(entries[1:], entries[0])
    squares = sum((s**2 for s in entries[1:]), entries[0] ** 2)
    V = sympy.Rational(1, n * m) * squares - sympy.Rational(1, (n * m) ** 2) * total**2
    mean = gaussian_mean(V)
    variance = gaussian_mean(V**2) - mean**2
    assert close(law.expected(n, d, m), float(mean))
    assert close(law.variance(n, d, m), float(variance))
    assert not close(d, float(mean)), "the variance of one entry"
    assert not close(law.variance_if_independent(n, d, m), float(variance))


def test_variance_if_independent(module):
    law = module("variance/sample_variance")
    n, d, m = 2, 3, 4
    entries = dots(7, d, 40_000 * n * m).reshape(-1, n * m)
    variance, error = variance_and_error(entries.var(axis=1))
    assert agrees(variance, law.variance_if_independent(n, d, m), error)
    assert not agrees(variance, law.variance(n, d, m), error)
