"""The picture of the turn: by traces of matrices, with the other formula that fails."""

import numpy as np

from tests.tolerance import close


def test_the_picture_of_the_turn(snippet, module):
    picture, moments = snippet("index/picture_theorem"), module("theorem/moments")
    for angle, exact, printed in zip(picture.angle, picture.exact, picture.published, strict=True):
        C = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        assert close(exact, moments.second_moment(np.eye(2), np.eye(2), C))
        assert close(exact, printed) == (abs(np.sin(angle)) < 1e-9), "they part as soon as it turns"
        assert close(printed, moments.published(np.eye(2), np.eye(2), C))
