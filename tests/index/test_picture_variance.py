"""The picture of the spread: by drawing scores, with a variance that fails."""

import numpy as np
from scipy.integrate import trapezoid

from tests.tolerance import agrees


def test_the_picture_of_the_spread(snippet):
    picture = snippet("index/picture_variance")
    rng = np.random.default_rng(4)
    for d in picture.dims:
        mass, square = (trapezoid(picture.bare[d] * picture.x**k, picture.x) for k in (0, 2))
        sample = np.sum(np.prod(rng.standard_normal((2, 4000, d)), axis=0), axis=1)
        within = sample[np.abs(sample) < 20] ** 2
        error = within.std() / np.sqrt(len(within))
        assert abs(mass - np.mean(np.abs(sample) < 20)) < 0.03
        assert agrees(square, within.mean(), error, errors=6)
        assert not agrees(square * 1.3, within.mean(), error, errors=6)
