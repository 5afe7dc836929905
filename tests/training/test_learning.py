"""The learning curves, from the table by other code."""

import numpy as np

from tests.tolerance import close
from tests.training.tables import RATES, best, learning, seeds


def test_the_learning_curves(snippet):
    page = snippet("training/learning")
    for (d, divisor), curve in page.curve.items():
        rate, losses = best("plain", d, divisor)
        assert page.best[d, divisor] == float(rate)
        assert close(page.final[d, divisor], losses)
        assert close(curve[:, 4], seeds("loss", "plain", d, divisor, rate, 100))
        assert not close(curve[:, 4], seeds("loss", "plain", d, divisor, "0.000125", 100), 1e-2)
    every = [seeds("loss", "plain", d, "none", rate) for d in (64, 256) for rate in RATES]
    assert close(page.bare, np.min(every))
    assert close(page.even, best("plain", 64, "∞")[1].mean())
    assert close(page.divided, max(max(page.final[at]) for at in page.final if at[1] != "none"))
    assert 0 <= page.divided_below - page.divided < 0.01
    assert page.last == max(int(at[5]) for at in learning() if at[0] == "plain")


def test_how_long_the_loss_stays_high(snippet):
    page, lost = snippet("training/learning"), {}
    for d, divisor in page.until:
        rate, _ = best("plain", d, divisor)
        for step in (1, 10, 50, 100, 150, 200, 300, 400, 500):
            lost[d, divisor, step] = seeds("loss", "plain", d, divisor, rate, step)
    for at, until in page.until.items():
        assert until == max(
            step for *of, step in lost if (*of,) == at and lost[*of, step].mean() > 2
        )
    assert (page.shortest, page.longest) == (min(page.until.values()), max(page.until.values()))
    assert page.slowest == max(step for *of, step in lost if lost[*of, step].max() > 2)
    assert len(page.until) == 9


def test_the_model_is_as_the_page_says(snippet, model):
    page, types = snippet("training/learning"), model.init(16, 0)["readout"].shape[1]
    assert (page.width, page.pairs, page.types) == (model.D, model.PAIRS, types)
    assert snippet("training/learning_changed").batch == model.SEQUENCES
    assert close(np.exp([page.guess, page.shown]), [types, model.PAIRS])
