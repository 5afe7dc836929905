"""The matrix from the stored table by plain Python, and what must hold of it in any case."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.mistakes.tables import difference, losses
from tests.tolerance import close

ROUNDED = 2e-5  # six digits of a loss are stored


RATES = ["", " slowly"]


def loss(trained, run, step):
    return losses("matrix.csv", trained=trained, run=run, step=str(step))


@pytest.mark.parametrize("rate", RATES)
def test_the_cells_by_other_code(snippet, rate):
    matrix = snippet("mistakes/matrix")
    cost = matrix.slow_cost if rate else matrix.cost
    right = loss(f"right{rate}", "right", 1600)
    for t, trained in enumerate(matrix.codes):
        for r, run in enumerate(matrix.columns):
            found, _ = difference(loss(trained + rate, run, 1600), right)
            assert close(cost[t, r], found, 1e-9)
    others, _ = difference(loss("twice", "right", 1600), loss("right", "right", 1600))
    assert not close(matrix.cost[0, 4], others, 1e-2), "rows and columns are not the same"


@pytest.mark.parametrize("rate", RATES)
def test_the_rows_by_other_code(snippet, rate):
    matrix = snippet("mistakes/matrix")
    rows = matrix.slow_rows if rate else matrix.rows
    for code, name in matrix.names.items():
        for step in (400, 1600):
            own = loss(code + rate, code, step)
            if not own:
                assert name not in rows[step]
                continue
            right = loss(f"right{rate}", "right", step)
            found = {
                "trained": difference(own, right)[0],
                "loaded": difference(loss(f"right{rate}", code, step), right)[0],
                "unmended": difference(loss(code + rate, "right", step), right)[0],
                "seeds": len(own),
            }
            assert all(close(rows[step][name][what], value, 1e-9) for what, value in found.items())


def test_what_mending_the_line_alone_costs_by_other_code(snippet):
    matrix = snippet("mistakes/matrix")
    for (code, rate, step), found in matrix.alone.items():
        expected = difference(loss(code + rate, "right", step), loss(code + rate, code, step))
        assert close(found, expected, 1e-9)
    signs = {rate: matrix.alone["missing", rate, 1600][0] > 0 for rate in RATES}
    assert signs == {"": False, " slowly": True}, "one rate would have told one sign"


def test_the_error_of_the_picture_by_other_code(snippet):
    matrix = snippet("mistakes/matrix")
    errors = [
        difference(loss(trained + rate, run, 1600), loss(f"right{rate}", "right", 1600))[1]
        for trained in matrix.codes
        for run in matrix.columns
        for rate in RATES
    ]
    assert close(max(errors), matrix.error, 1e-9)
    assert matrix.seeds >= 2
    for trained in matrix.codes:
        assert len(loss(trained, trained, 1600)) >= matrix.seeds


def test_mended_weights_lose_the_same_to_four_decimals(snippet):
    matrix = snippet("mistakes/matrix")
    rows = stored_rows("mistakes", "matrix.csv", run="mended")
    assert len(rows) > 20
    off = []
    for row in rows:
        code = row["trained"].removesuffix(" slowly")
        own = loss(row["trained"], code, row["step"])[row["seed"]]
        off.append(abs(float(row["loss"]) - own))
    assert max(off) < 5e-5
    assert close(matrix.rounding, max(off), 1e-9)
    twice, own = loss("twice", "right", 1600), loss("twice", "twice", 1600)
    assert all(abs(twice[seed] - own[seed]) > 0.01 for seed in own), "the line alone does not"


def test_a_scale_is_a_point_on_the_curve_of_factors():
    """Right weights in code with another scale are right code with a factor."""
    factors = {"width": 0.5, "64": 0.5**0.5, "heads": 8**0.5, "right": 1.0}
    for code, factor in factors.items():
        for step in ("400", "1600"):
            row = losses("factors.csv", trained="right", step=step, factor=f"{factor:.6g}")
            assert np.allclose([*row.values()], [*loss("right", code, step).values()], atol=ROUNDED)
            other = losses("factors.csv", trained="right", step=step, factor="4")
            assert not np.allclose([*other.values()], [*row.values()], atol=ROUNDED)
