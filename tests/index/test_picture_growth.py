"""The picture of growth: by taking the steps, with a step that turns round and fails."""

import numpy as np

from tests.tolerance import close


def test_the_picture_of_growth(snippet):
    picture = snippet("index/picture_growth")

    def climbed(steps, sign=1):
        q = np.full(picture.d, picture.step * steps)
        return q @ (sign * q) / np.sqrt(picture.d)

    assert close(picture.logit["√d"][-1], climbed(3000))
    assert not close(picture.logit["√d"][-1], climbed(3000, -1), 0.1)
    assert picture.bounded.max() <= picture.bound < picture.logit["d"].max()
