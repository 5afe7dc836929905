"""The curves from the stored tables by plain Python, and the row that the page shows."""

import numpy as np
import pytest
from scipy.special import softmax

from tests.conftest import stored_rows
from tests.mistakes.tables import difference, losses
from tests.tolerance import close


def test_the_decoders_curves_by_other_code(snippet):
    cost = snippet("mistakes/cost")
    for name, (trained, step) in cost.settings.items():
        where = {"trained": trained, "step": str(step)}
        right = losses("factors.csv", factor="1", **where)
        for at, factor in enumerate(cost.factor):
            found = losses("factors.csv", factor=f"{factor:.6g}", **where)
            mean, error = difference(found, right)
            assert close(cost.cost[name][at], mean, 1e-9)
            assert close(cost.error[name][at], error, 1e-9)
    assert not close(cost.cost["400 steps"], cost.cost["1600 steps"], 1e-2)
    (typed,) = stored_rows("trained", "smollm_factors.csv", factor=f"{2**0.5:.6g}")
    assert close(cost.typed, float(typed["cost"]))
    assert not close(cost.typed, cost.double["SmolLM2"], 0.1)
    assert close(cost.factor, 2.0 ** (np.arange(-8, 9) / 4), 1e-5)


def test_the_real_models_curve_is_what_is_stored(snippet):
    cost = snippet("mistakes/cost")
    rows = stored_rows("trained", "smollm_factors.csv")
    for row in rows:
        at = abs(cost.factor - float(row["factor"])).argmin()
        assert close(cost.factor[at], float(row["factor"]), 1e-5)
        assert close(cost.cost["SmolLM2"][at], float(row["cost"]))
    # At 1 it is the loss of the trained chapter's table of scales.
    (one,) = stored_rows("trained", "smollm_factors.csv", factor="1")
    (before,) = stored_rows("trained", "smollm_scale.csv", scale="1/√d")
    assert close(float(one["nats"]), float(before["nats"]), 1e-3)


def test_the_row_of_the_page_is_ours(snippet, module):
    """Undivided, its largest weight and its keys are those that the front page shows."""
    cost, row = snippet("mistakes/cost"), module("common/our_row")
    by_hand = [sum(row.query[:64] * key[:64]) / 8 for key in row.keys]
    assert close(cost.row, by_hand, 5e-5)
    assert not close(cost.row, np.sort(by_hand), 0.1)
    assert f"{softmax(8 * cost.row).max():.0%}" == "90%"


@pytest.mark.long
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_sample_of_the_real_model_measured_again(module, factor):
    pytest.importorskip("gguf", reason="what reads the model is not installed: make models")
    again = module("trained/measure_factors")
    if not again.smollm.file():
        pytest.skip("the model is not installed: make models")
    numbers, weights = again.text()[:4], again.smollm.load()
    assert len(again.text()) == 40
    right, found = (again.by_pair(numbers, weights, f) for f in (1, factor))
    # The first four sentences alone; all forty lie within the scatter of pairs.
    _, _, cost, error = again.row(numbers, found, right, factor)
    (row,) = stored_rows("trained", "smollm_factors.csv", factor=f"{factor:.6g}")
    assert abs(cost - float(row["cost"])) < 4.5 * max(error, float(row["cost_error"]) * 20**0.5)
    assert abs(cost) > 0.02
