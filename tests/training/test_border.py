"""Up to which rate runs learn: the borders by other code, and a sample trained again."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.tolerance import close

STEP = np.sqrt(2)


def by_seed(arm, d):
    """Give for each seed the highest rate at which it learned, and the lowest at which not."""
    found = {}
    for row in stored_rows("training", "rates.csv"):
        if (row["arm"], int(row["d"])) == (arm, d):
            learned, failed = found.setdefault(row["seed"], ([], []))
            (learned if float(row["loss"]) < 1 else failed).append(float(row["rate"]))
    return [(max(learned), min(failed)) for learned, failed in found.values()]


def test_the_borders(snippet):
    page = snippet("training/border")
    for (arm, d), border in page.border.items():
        logs = np.log([np.sqrt(low * high) for low, high in by_seed(arm, d)])
        assert close(np.log(border), logs.mean(), 1e-4)
        # A border anywhere within a step is told as its middle.
        rounded = np.log(STEP) / np.sqrt(12)
        error = np.hypot(logs.std(ddof=1) / np.sqrt(len(logs)), rounded)
        assert close(page.log_error[arm, d], error, 1e-4)
        lowest = np.log([low for low, _ in by_seed(arm, d)]).mean()
        assert not close(np.log(border), lowest, 1e-2), "not the last that learned"


def test_each_seed_stops_where_it_should():
    """Learned at every rate below its border; what it left out lies above it."""
    for arm, d in {(row["arm"], int(row["d"])) for row in stored_rows("training", "rates.csv")}:
        for low, high in by_seed(arm, d):
            assert close(high / low, STEP, 1e-3)


def test_the_powers(snippet):
    page = snippet("training/border")
    for arm, points in page.arms.items():
        x = np.log([d for _, d in points])
        y = np.array([np.log(page.border[at]) for at in points])
        errors = np.array([page.log_error[at] for at in points])
        power = np.polyfit(x, y, 1)[0]
        # The error of the power, by moving each border by its own.
        moved = [np.polyfit(x, y + errors * row, 1)[0] - power for row in np.eye(len(y))]
        assert close(page.power[arm], (power, np.linalg.norm(moved)), 1e-6)
    assert not close(page.power["√d"], page.power["own rate"], 1e-1)
    assert {len(by_seed(arm, d)) for arm, d in page.border} == {page.n_seeds}


def test_what_the_steps_predict(snippet):
    """The slope of the mean of ln(moved) over the seeds, in ln d, and what ½ leaves of it."""
    page, dims = snippet("training/border"), (16, 64, 256)

    def slope(step):
        logs = {d: [] for d in dims}
        for row in stored_rows("training", "learning.csv"):
            at = row["setting"], row["divisor"], float(row["rate"]), int(row["step"])
            if at == ("plain", "√d", 0.001, step):
                logs[int(row["d"])].append(np.log(float(row["moved"])))
        return np.polyfit(np.log(dims), [np.mean(logs[d]) for d in dims], 1)[0]

    for step, (power, _) in page.steps_grow.items():
        assert close(power, slope(step), 1e-6)
        assert close(page.predicted[step], 1 / 2 - slope(step), 1e-6)
        assert not close(page.predicted[step], -1 / 2, 1e-1), "not as for steps like d"
    assert not close(page.steps_grow[1][0], slope(10), 1e-2), "another step"


@pytest.fixture(scope="module")
def rates(torch, module):
    return module("training/measure_rates")


def test_the_table_is_whole_and_says_where_it_comes_from(source, rates):
    assert source("training/rates.csv").keys() >= {
        "package",
        "seeds",
        "command",
    }
    stored = {
        (row["arm"], int(row["d"]), int(row["seed"]))
        for row in stored_rows("training", "rates.csv")
    }
    assert stored == set(rates.grid())


def test_a_sample_trained_again(rates):
    steps, loss = rates.train("√d", 16, 0.002828, 20)
    (row,) = (
        row
        for row in stored_rows("training", "rates.csv")
        if (row["arm"], row["d"], row["rate"], row["seed"]) == ("√d", "16", "0.002828", "20")
    )
    # Another order of sums moves the step at which it is done by a few.
    assert abs(steps - int(row["steps"])) < 25
    assert loss < 0.1


def first_moves(model, d, s, rate, scoring):
    """Give by how much each weight moves in a first step, by name."""
    run = model.train(d, s, rate, 0, 1, scoring=scoring)
    states = [{n: w.detach().clone() for n, w in W.items()} for W, _ in run]
    return {name: states[1][name] - w for name, w in states[0].items()}


def test_a_rate_of_their_own(torch, model):
    """W_Q and W_K move a quarter as far in the first step, and all else as before."""
    plain, own = (first_moves(model, 16, 4, 0.001, scoring) for scoring in (1, 0.25))
    for name, move in plain.items():
        times = 0.25 if name[0] in "QK" else 1
        assert torch.allclose(own[name], times * move, rtol=1e-3, atol=1e-7), name
        assert not torch.allclose(own[name], 0.5 * move, rtol=1e-2, atol=1e-7), name


def test_the_control_slows_all_but_w_q_and_w_k(torch, model, rates):
    """At d = 64 a first step moves W_Q and W_K as before, and all the rest half as far."""
    s, own, others = rates.ARMS["√d others"](64)
    plain = first_moves(model, 64, s, 0.001, 1)
    slowed = first_moves(model, 64, s, others * 0.001, own / others)
    for name, move in plain.items():
        times = 1 if name[0] in "QK" else 0.5
        assert torch.allclose(slowed[name], times * move, rtol=1e-3, atol=1e-7), name
        assert not torch.allclose(slowed[name], 0.25 * move, rtol=1e-2, atol=1e-7), name


def test_the_loss_that_comes_along(torch, model):
    """What `train` yields is the loss of the batch that comes next."""
    rng = torch.Generator().manual_seed(1000)
    for W, loss in model.train(16, 4, 0.001, 0, 3):
        text, answer, _ = model.batch(rng)
        assert close(loss, model.loss(W, text, answer, 4).item(), 1e-6)
        assert not close(loss, model.loss(W, text, answer, 2).item(), 1e-4)


def test_at_one_rate(snippet):
    """How many seeds learn, and the steps of the median one, by sorting."""
    page = snippet("training/border")
    for (arm, d), (learned, median) in page.of_one_rate.items():
        rows = stored_rows("training", "rates.csv", arm=arm, d=str(d), rate=f"{page.rate:g}")
        steps = sorted(int(row["steps"]) if float(row["loss"]) < 1 else np.inf for row in rows)
        assert learned == sum(step < np.inf for step in steps)
        low, high = steps[(len(steps) - 1) // 2], steps[len(steps) // 2]
        assert median == (low if low == high else (low + high) / 2)
    assert page.of_one_rate["√d", 256] != page.of_one_rate["√d own rate", 256], "one rate for all"
