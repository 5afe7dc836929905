"""The terms of the square: counted by expanding it, averaged over all sign vectors."""

import numpy as np
import pytest
import sympy

from tests.variance.draws import signs


def test_square_counts_by_expanding_it(snippet):
    page = snippet("variance/square")
    for d in page.total:
        assert (page.total[d], page.diagonal[d], page.variance[d]) == (d**2, d, d)
        assert page.off_diagonal[d] == d * (d - 1)
    for d in (3, 4):
        terms = sympy.symbols(f"t:{d}")
        square = sympy.Poly(sympy.expand(sum(terms) ** 2), *terms)
        assert sum(square.coeffs()) == page.total[d]
        assert sum(c for powers, c in square.terms() if 2 in powers) == page.diagonal[d]


@pytest.mark.parametrize("d", [3, 4])
def test_square_by_all_sign_vectors(snippet, d):
    # Signs have mean 0 and variance 1; average the d² terms over every pair of sign vectors.
    page = snippet("variance/square")
    q, k = signs(d)[:, np.newaxis], signs(d)

    def means(shift):
        terms = (q + shift) * (k + shift)
        return np.einsum("abi,abj->ij", terms, terms) / 4**d

    assert np.array_equal(means(0), page.terms[d])
    assert not np.array_equal(means(0.5), page.terms[d]), "a mean other than 0"
    copy = np.einsum("ai,aj->ij", signs(d) ** 2, signs(d) ** 2) / 2**d
    assert not np.array_equal(copy, page.terms[d]), "k = q"
