"""What a lead leaves of the gradient: with many digits, and for rows of every kind."""

import mpmath
import numpy as np
from scipy.special import logsumexp, softmax

from tests.saturation.draws import close


def test_norms_have_many_digits(snippet):
    page = snippet("saturation/bounds")
    with mpmath.workdps(50):
        for row in (9, 150, 299):
            lead, n = mpmath.mpf(float(page.lead["all equal but one"][row])), 512
            assert close(float(lead), np.linspace(0.1, 30, 300)[row])
            top = 1 / (1 + (n - 1) * mpmath.exp(-lead))
            other = (1 - top) / (n - 1)
            square = (top * (1 - top)) ** 2 + (n - 1) * (other * (1 - other)) ** 2
            square += 2 * (n - 1) * (top * other) ** 2 + (n - 1) * (n - 2) * other**4
            assert close(page.norm["all equal but one"][row], float(mpmath.sqrt(square)), 1e-9)
            assert close(
                page.trace["all equal but one"][row], float(1 - top**2 - (n - 1) * other**2)
            )


def test_the_jacobian_is_the_curvature_of_log_sum_exp():
    rng, step = np.random.default_rng(1), 1e-4
    z = 3 * rng.standard_normal(5)
    p, eye = softmax(z), step * np.eye(5)
    for i in range(5):
        for j in range(5):
            corners = [
                si * sj * logsumexp(z + si * eye[i] + sj * eye[j])
                for si in (1, -1)
                for sj in (1, -1)
            ]
            curvature = sum(corners) / (4 * step**2)
            assert abs(curvature - (p[i] * (i == j) - p[i] * p[j])) < 1e-6


def test_bounds_hold_for_any_scores_and_no_smaller_one_does():
    rng, worst = np.random.default_rng(2), np.zeros(3)
    for _ in range(4000):
        n = int(rng.integers(2, 9))
        z = np.sort(rng.standard_t(2, n) * rng.choice([0.1, 1, 6]))[::-1]
        p = softmax(z)
        J = np.diag(p) - np.outer(p, p)
        values = np.linalg.eigvalsh(J)
        assert values[0] > -1e-12
        rest = p[1:].sum()
        if rest < 1e-6:  # 1 − p would be rounding
            continue
        parts = np.linalg.norm(J), np.trace(J), 2 * rest, 2 * (n - 1) * np.exp(z[1] - z[0])
        assert np.all(np.array(parts[:-1]) <= np.array(parts[1:]) * (1 + 1e-9) + 1e-12)
        worst = np.maximum(worst, [values[-1], parts[1] / parts[2], parts[0] / parts[1]])
    # The halves and the 2 cannot be improved: two keys alike, and a row that is nearly one-hot.
    assert 0.49 < worst[0] < 0.5 + 1e-12
    assert 0.99 < worst[1] <= 1 + 1e-9
    assert 0.99 < worst[2] <= 1 + 1e-9
