"""What np.var of a product of two random matrices is, on average and around it.

Q has shape (n, d) and K shape (d, m); all entries are independent with mean 0
and variance 1. S = QK has N = nm entries and V = np.var(S) is their variance
about their own mean.
"""


def expected(n, d, m):
    """Return E V = d (1 − 1/N), whatever the distribution of the entries."""
    return d * (1 - 1 / (n * m))


def variance(n, d, m):
    """Return Var V for Gaussian entries.

    Turn the rows and the columns so that the all-ones directions become the
    first axes: S keeps its law, and its mean becomes the entry S₁₁. So V =
    (1/N) Σ S_ij² over all entries but S₁₁. Each square has variance 2d² + 6d;
    two squares covary by 2d if they share a row or a column, which (N − 2)(n +
    m − 2) ordered pairs do, and by 0 otherwise.
    """
    size = n * m
    return 2 * d * ((size - 1) * (d + 3) + (size - 2) * (n + m - 2)) / size**2


def variance_if_independent(n, d, m):
    """Return what Var V would be if the N entries were independent, each
    with its true distribution.

    The textbook variance of a sample variance, with fourth moment E s⁴ = 3d² +
    6d.
    """
    size = n * m
    return (
        (size - 1)
        * ((size - 1) * (3 * d**2 + 6 * d) - (size - 3) * d**2)
        / size**3
    )


def expected_if_standardised(n, d, m):
    """Return E V when Q and K are standardised: np.mean 0 and np.var 1 in each,
    exactly.

    Turn the inner axis too, which leaves S as it is: then Q₁₁ = K₁₁ = 0, and
    the other entries share the sums of squares nd and dm equally. Count the
    products Q_il K_lj, free of Q₁₁ and K₁₁, in all entries of S but S₁₁.
    """
    products = (d - 1) * (n + m - 2) + d * (n - 1) * (m - 1)
    return products * (n * d / (n * d - 1)) * (d * m / (d * m - 1)) / (n * m)
