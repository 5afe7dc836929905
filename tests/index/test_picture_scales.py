"""The picture of the rivals: by drawing scores, with another divisor that fails."""

import numpy as np

from tests.tolerance import agrees, variance_and_error


def test_the_picture_of_the_rivals(snippet):
    picture = snippet("index/picture_scales")
    rng = np.random.default_rng(7)
    for place, d in ((0, 4), (-1, 4096)):
        scores = np.sum(np.prod(rng.standard_normal((2, 2000, d)), axis=0), axis=1)
        for name, divisor in {"1": 1, "log d": np.log(d), "√d": np.sqrt(d), "d": d}.items():
            variance, error = variance_and_error(scores / divisor)
            assert agrees(variance, picture.spread[name][place] ** 2, error), name
            assert not agrees(variance, (1.3 * picture.spread[name][place]) ** 2, error), name
