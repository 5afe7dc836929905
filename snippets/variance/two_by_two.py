"""The exact law of V = np.var(QK) for two random 2×2 matrices.

Multiply Q from the left, K from the right and both in between by the turn [[1,
1], [1, −1]]/√2. The mean of S = QK moves into S₁₁, so that 4V = S₁₂² + S₂₁² +
S₂₂². Gaussian matrices keep their distribution; in standardised ones the sum,
which is 0, moves into the first entry.
"""

import numpy as np


def transform(rate):
    """Return E e^{−rate V} for Gaussian matrices; `rate` is an array, real or
    complex.

    Let t be the squared length of the second column of K, and x and y the parts
    of the second row of Q along and across that column. Then S₂₂² = t x², S₁₂²
    = t a² and S₂₁² = (x² + y²) b² with t from χ²₂ and a, b, x, y standard
    Gaussian, all independent. The means over a, x, y are exact; t and b² take a
    trapezoid rule in their logarithms.
    """
    t, b2 = np.exp(np.arange(-20, 6, 0.4)), np.exp(np.arange(-40, 6, 0.4))
    of_t = 0.4 / 2 * np.exp(-t / 2) * t
    of_b2 = 0.4 * np.sqrt(b2 / (2 * np.pi)) * np.exp(-b2 / 2)
    s = np.asarray(rate)[..., np.newaxis] / 2
    of_t, of_b2 = of_t / np.sqrt(1 + s * t), of_b2 / np.sqrt(1 + s * b2)
    both = 1 / np.sqrt(1 + s[..., np.newaxis] * np.add.outer(t, b2))
    return np.einsum("...t,...tb,...b->...", of_t, both, of_b2)


def cdf(v, nodes=16):
    """Return P(V ≤ v) for Gaussian matrices, v > 0 (any shape).

    Inverts `transform` along Talbot's contour (Abate & Valkó 2004).
    """
    angle = np.arange(1, nodes) * np.pi / nodes
    cotangent = 1 / np.tan(angle)
    contour = np.append(1, angle * (cotangent + 1j))
    slope = np.append(
        0.5, 1 + 1j * (angle + (angle * cotangent - 1) * cotangent)
    )
    result = []
    for value in np.ravel(v):
        s = 2 * nodes / (5 * value) * contour
        terms = np.exp(value * s) * transform(s) / s * slope
        result.append(0.4 / value * np.sum(terms.real))
    return np.reshape(result, np.shape(v))


def standardised_cdf(v, nodes=100):
    """Return P(V ≤ v) when np.mean is 0 and np.var is 1 in both matrices
    exactly; 0 ≤ v ≤ 4.

    After the turn Q = 2[[0, a], [b, c]] and K = 2[[0, x], [y, z]], with (a, b,
    c) and (x, y, z) uniform on the unit sphere, so V = 4(a²z² + c²y² + (bx +
    cz)²). Given (a, b, c) this is a quadratic form with the eigenvalues c² and
    (1 ± g)/2, g² = 1 − 4a²b². Midpoint rule for c, for the angle of (a, b) and
    for one coordinate h of the second point; its angle is exact. Four digits
    are right.
    """
    node = (np.arange(nodes) + 0.5) / nodes
    c, angle, h = (
        node[:, np.newaxis, np.newaxis],
        node[:, np.newaxis] * np.pi / 2,
        node,
    )
    g = np.sqrt(1 - ((1 - c**2) * np.sin(2 * angle)) ** 2)
    share = []
    for value in np.ravel(v):
        cosine = ((value / 2 - 2 * h**2 * c**2) / (1 - h**2) - 1) / g
        share.append(1 - np.arccos(np.clip(cosine, -1, 1)).mean() / np.pi)
    return np.reshape(share, np.shape(v))
