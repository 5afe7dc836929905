"""The terms of the square, averaged over all sign vectors."""

import numpy as np
import pytest

from tests.variance.draws import signs


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


def test_square_counts(snippet):
    page = snippet("variance/square")
    for d in page.total:
        assert (page.total[d], page.diagonal[d], page.variance[d]) == (d**2, d, d)
        assert page.off_diagonal[d] == d * (d - 1)
