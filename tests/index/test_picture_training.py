"""The picture of a step: by taking a tiny one, with a step of another optimiser that fails."""

import numpy as np

from tests.tolerance import close


def test_the_picture_of_a_step(snippet):
    picture = snippet("index/picture_training")
    q, k = np.random.default_rng(0).standard_normal((2, 3, picture.d))

    def gained(along_q, along_k, tiny=1e-6):
        terms = (q + tiny * along_q) * (k + tiny * along_k) - q * k
        return picture.step * np.cumsum(terms, axis=1) / tiny

    assert close(gained(np.sign(k), np.sign(q)), picture.moved, 1e-4)
    assert not close(gained(k, q), picture.moved, 0.1), "SGD takes the gradient itself"
