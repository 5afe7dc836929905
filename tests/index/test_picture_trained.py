"""The picture of a selection: by drawing rows of scores, with another mean that fails."""

import numpy as np
from scipy.integrate import trapezoid
from scipy.special import softmax

from tests.tolerance import agrees


def test_the_picture_of_a_selection(snippet):
    picture = snippet("index/picture_trained")
    rng = np.random.default_rng(5)
    z = rng.standard_normal((400, 2000))
    for values, weights in ((picture.every, np.ones_like(z)), (picture.picked, softmax(z, axis=1))):
        drawn = np.average(z, axis=1, weights=weights)
        mean, error = drawn.mean(), drawn.std() / np.sqrt(len(drawn))
        # The curve ends at 5, and a row of 2000 keys has few that far out: a fiftieth at most.
        assert agrees(trapezoid(values * picture.score, picture.score), mean, error + 0.02, 3)
        assert not agrees(0.5, mean, error + 0.02, 3)
