"""The picture of flat and frozen: by an integral, with another number of keys that fails."""

import numpy as np


def test_the_picture_of_flat_and_frozen(snippet, module):
    picture = snippet("index/picture_model")
    participation = module("saturation/gaussian_logits").participation
    exact = [participation(64, sigma) / 64 for sigma in picture.spread]
    assert np.allclose(picture.share, exact, atol=0.01)
    fewer = [participation(32, sigma) / 32 for sigma in picture.spread]
    assert not np.allclose(picture.share, fewer, atol=0.01)
