"""What was changed, and the gradients at the start, from the tables by other code."""

import numpy as np

from tests.conftest import stored_rows
from tests.tolerance import agrees, close
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


def test_the_gradients_at_the_start(snippet):
    page = snippet("training/learning_changed")
    rows = stored_rows("training", "signal.csv", d="64")
    length, common = (
        {s: np.mean([float(r[what]) for r in rows if r["divisor"] == s]) for s in ("none", "√d")}
        for what in ("length", "common")
    )
    assert close(page.longer, length["none"] / length["√d"], 0.01)
    for divisor, (mean, _) in page.common.items():
        assert close(mean, common[divisor])


def test_what_gradients_have_in_common_by_pairs_of_batches(torch, model, measure):
    _, common = measure.signal(16, "√d", 0)
    W, rng = model.init(16, 0), torch.Generator().manual_seed(5)
    shares = []
    for _ in range(40):
        pair = []
        for _ in range(2):
            text, answer, _ = model.batch(rng)
            parts = torch.autograd.grad(
                model.loss(W, text, answer, 4.0), [W[name] for name in measure.SCORING]
            )
            pair.append(torch.cat([part.flatten() for part in parts]))
        shares.append((pair[0] @ pair[1] / (pair[0] @ pair[0])).item())
    error = np.std(shares) / np.sqrt(len(shares))
    assert agrees(np.mean(shares), common, error)
    assert not agrees(np.mean(shares), 5 * common, error)
