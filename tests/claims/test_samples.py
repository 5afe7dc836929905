"""What the checks share: by the whole matrix, where the textbook's formula cancels."""

import numpy as np


def test_the_jacobian_s_norm_survives_certainty(module):
    samples = module("claims/samples")
    for weights in (np.array([0.5, 0.3, 0.2]), np.array([1 - 2e-12, 1e-12, 1e-12])):
        jacobian = np.diag(weights) - np.outer(weights, weights)
        exact = np.linalg.norm(jacobian)
        assert np.isclose(samples.jacobian_norm(weights[None])[0], exact, rtol=1e-3)
    tiny = samples.jacobian_norm(np.array([[1.0, 1e-20, 1e-20]]))[0]
    assert np.isclose(tiny, np.sqrt(10) * 1e-20)  # on the diagonal 2, 1, 1, beside it four times 1
    textbook = 1.0 - 2 * 1.0 + 1.0**2
    assert textbook == 0.0
