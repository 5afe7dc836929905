"""What was changed, and the gradients at the start, from the tables by other code."""

import numpy as np

from tests.conftest import stored_rows
from tests.tolerance import close
from tests.training.tables import best, learning


def test_each_change_at_its_best_rate(snippet):
    page = snippet("training/learning_changed")
    rates = sorted({at[3] for at in learning()}, key=float)
    for (setting, divisor, d), losses in page.final.items():
        step = {"5000 steps": 5000, "16 pairs": 1000}.get(setting, 500)
        expected = best(setting, d, divisor, rates, step)[1]
        assert close(losses, expected)
        if setting == "small start":
            assert not close(losses.mean(), best("plain", d, "none")[1].mean(), 0.1)


def test_what_is_quoted_of_changes(snippet):
    page = snippet("training/learning_changed")
    final = {at: np.sort(losses) for at, losses in page.final.items()}
    for d, late in page.late.items():
        assert close(late, final[f"{page.long} steps", "none", d])
        assert close(page.later[d], final["5000 steps", "none", d].mean())
    assert close(page.begun, final[f"batches of {page.large}", "none", 64])
    assert close(page.between[2], final["spread 2", "none", 64][-1])
    assert close(page.between[4], final["spread 4", "none", 64][0])
    assert close(page.gpt2, 8 * snippet("scales/audit").var_q["GPT-2"])
    assert close([page.spread[d] ** 2 for d in (16, 64)], [16, 64])
    assert close([page.faster[d] ** 4 for d in (64, 256)], [64, 256])
    tried = {at[3] for at in learning() if at[:3] == ("small start", "256", "none")}
    assert page.n_rates == len(tried)


def test_the_gradients_at_the_start(snippet):
    page = snippet("training/learning_changed")
    rows = stored_rows("training", "signal.csv", d="64", layer="both", pairs="8")
    length = {
        s: np.mean([float(r["length"]) for r in rows if r["divisor"] == s]) for s in ("none", "√d")
    }
    assert close(page.longer, length["none"] / length["√d"], 0.01)
    assert close(page.longer / 8, snippet("training/shared").one_batch[64][0])
