"""The picture of the weights: by an integral, with another spread that fails."""

import numpy as np


def test_the_picture_of_the_weights(snippet, module):
    picture = snippet("index/picture_saturation")
    largest = module("saturation/gaussian_logits").largest
    for values, sigma in ((picture.bare, 8), (picture.divided, 1)):
        exact = [largest(int(n), sigma) for n in picture.counts]
        assert np.allclose(values, exact, atol=0.07)
        assert not np.allclose(values, [largest(int(n), 3) for n in picture.counts], atol=0.07)
