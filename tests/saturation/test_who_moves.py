"""Which keys of our row can move: by moving each logit a little, in 50 digits; p alone fails."""

from decimal import Decimal, getcontext

import numpy as np
import pytest

getcontext().prec = 50
LITTLE = Decimal("1e-12")


def softmax(scores):
    powers = [score.exp() for score in scores]
    return [power / sum(powers) for power in powers]


def jacobian(scores):
    """Give the change of each weight per change of each logit, by central differences."""
    rows = []
    for j in range(len(scores)):
        up, down = (
            softmax([z + sign * LITTLE * (i == j) for i, z in enumerate(scores)])
            for sign in (1, -1)
        )
        rows.append([float((a - b) / (2 * LITTLE)) for a, b in zip(up, down, strict=True)])
    return np.array(rows)


@pytest.fixture(scope="module")
def jacobians(module):
    row = [Decimal(str(round(score, 2))) for score in module("common/our_row").scores()]
    return {
        "undivided": jacobian(row),
        "÷ √d": jacobian([score / 8 for score in row]),
    }


def test_how_far_each_key_moves(snippet, jacobians):
    page = snippet("saturation/who_moves")
    for name, moves in jacobians.items():
        assert np.allclose(page.answers[name], np.diag(moves), rtol=1e-9)
        assert not np.allclose(page.weights[name], np.diag(moves), rtol=1e-2), "p for p(1 − p)"
        assert np.isclose(page.added[name], np.trace(moves))
        by = ["÷ √d", "undivided"].index(name)
        assert np.isclose(page.norms[32][by], np.sqrt(np.sum(moves**2)))
        assert not np.isclose(page.norms[32][1 - by], np.sqrt(np.sum(moves**2)))


def test_in_the_long_row_the_norm_grows(snippet, module):
    """‖J‖² is Σp² − 2Σp³ + (Σp²)²."""
    page = snippet("saturation/who_moves")
    for norm, by in zip(page.norms[512], (8, 1), strict=True):
        powers = np.exp(module("common/our_row").long_scores / by)
        second, third = (np.sum(powers**r) / np.sum(powers) ** r for r in (2, 3))
        assert np.isclose(norm**2, second - 2 * third + second**2)
    assert page.norms[512][1] > page.norms[512][0]
