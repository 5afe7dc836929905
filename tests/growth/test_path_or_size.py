"""The way or the size: what each arm leaves, from what is stored, by other code."""

import numpy as np
import pytest

from tests.conftest import stored_rows
from tests.growth.own_rates import SCORE, own_rate
from tests.tolerance import close, mean_and_error


def column(what, arm, optimizer, step=460, rate=4):
    """Give a column of the table, for the seeds that score, in order."""
    where = {"arm": arm, "optimizer": optimizer, "rate": str(rate), "step": str(step)}
    rows = [row for row in stored_rows("growth", "path.csv", **where) if row["seed"] in SCORE]
    rows.sort(key=lambda row: int(row["seed"]))
    return np.array([float(row[what]) for row in rows])


def above(arm, optimizer, step=460):
    """Give the loss above that of an eighth from the start, seed by seed."""
    return column("loss", arm, optimizer, step) - column("loss", "eighth 0", optimizer, step)


def test_every_arm(snippet):
    page = snippet("growth/path_or_size")
    for (optimizer, arm), found in page.above.items():
        assert close(found, mean_and_error(above(arm, optimizer)), 1e-9)
        assert close(page.before[optimizer, arm], mean_and_error(above(arm, optimizer, 300)), 1e-9)
        part = above(arm, optimizer).mean() / above("plain", optimizer).mean()
        assert close(page.left[optimizer, arm], part, 1e-9)
    unpaired = column("loss", "plain", "Muon") - np.roll(column("loss", "eighth 0", "Muon"), 1)
    assert not close(page.above["Muon", "plain"][1], mean_and_error(unpaired)[1], 1e-4)


def test_way_and_size_are_the_main_effects_of_a_two_by_two(snippet):
    """By least squares on two factors of −½ and ½, seed by seed."""
    page = snippet("growth/path_or_size")
    cells = {"eighth 300": (1, 1), "shrunk eighth": (1, 0), "grown eighth": (0, 1)}
    cells["eighth 0"] = (0, 0)
    design = np.array([[1, way - 0.5, size - 0.5] for way, size in cells.values()])
    for optimizer in ("Adam", "Muon"):
        losses = np.array([column("loss", arm, optimizer) for arm in cells])
        effects = np.linalg.lstsq(design, losses, rcond=None)[0]
        assert close(page.way[optimizer], mean_and_error(effects[1]), 1e-9)
        assert close(page.size[optimizer], mean_and_error(effects[2]), 1e-9)
        assert not close(page.way[optimizer][0], effects[2].mean(), 1e-2), "the other factor"


def test_at_half_the_rate(snippet):
    page = snippet("growth/path_or_size")
    arms = {
        "size": ("grown eighth", "eighth 300"),
        "way": ("shrunk eighth", "eighth 300"),
        "late": ("eighth 300", "plain"),
    }
    for (optimizer, part), found in page.at_two.items():
        losses = [column("loss", arm, optimizer, rate=2).sum() for arm in (*arms[part], "eighth 0")]
        assert close(found, (losses[0] - losses[2]) / (losses[1] - losses[2]), 1e-9)
        losses = [column("loss", arm, optimizer).sum() for arm in (*arms[part], "eighth 0")]
        assert not close(found, (losses[0] - losses[2]) / (losses[1] - losses[2]), 1e-2)


def test_the_four_cells_had_what_they_are_named_for(snippet):
    """Long steps and large logits are several times those of the eighth."""
    for optimizer in ("Adam", "Muon"):
        path, spread = (
            {
                arm: column(what, arm, optimizer, step).mean()
                for arm in ("plain", "eighth 300", "shrunk eighth", "grown eighth", "eighth 0")
            }
            for what, step in (("path", 300), ("spread", 460))
        )
        assert min(path["eighth 300"], path["shrunk eighth"]) > 5 * path["grown eighth"]
        assert min(spread["eighth 300"], spread["grown eighth"]) > 5 * spread["shrunk eighth"]
        assert spread["shrunk eighth"] < 2 * spread["eighth 0"]


def test_all_seeds_of_the_cross_are_there(snippet):
    page = snippet("growth/path_or_size")
    for optimizer in ("Adam", "Muon"):
        for arm in page.crossed.values():
            assert len(column("loss", arm, optimizer)) == page.n_seeds == 4


def test_the_first_300_steps_are_those_of_another_script():
    """measure_own_rate.py made four of these runs before, on another machine."""
    arms = {
        "plain": {},
        "eighth 0": {"m": 0.125},
        "clip 20": {"remedy": "QK-clip"},
        "QK-norm": {"remedy": "QK-norm"},
    }
    for optimizer in ("Adam", "Muon"):
        for arm, changed in arms.items():
            for what in ("loss", "spread", "largest"):
                found = column(what, arm, optimizer, 300)
                assert close(found, own_rate(what, SCORE, optimizer, **changed), 0.02), arm
    plain = own_rate("loss", SCORE, "Adam")
    assert not close(column("loss", "eighth 0", "Adam", 300), plain, 0.02)


@pytest.fixture
def script(torch, module, monkeypatch):
    """The script that measures, with runs of twelve steps in place of 460."""
    script = module("growth/measure_path")
    for name, step in (("CHANGED", 6), ("SAME", 8), ("LAST", 12)):
        monkeypatch.setattr(script, name, step)
    return script


def test_every_run_of_the_plan_is_there(torch, module):
    script = module("growth/measure_path")
    stored = {
        tuple(row[name] for name in script.AT[:-1])
        for row in stored_rows("growth", "path.csv", step=str(script.LAST))
    }
    assert stored == {tuple(map(str, run)) for run in script.grid(script.CHOSE + script.SEEDS)}


def test_logits_are_shrunk_once_and_rates_fall_to_nothing(script, measure):
    data, probe = measure.split(measure.text())
    probe = probe[:16]
    to = {"small": 0.1, "large": 5.0}
    W = [
        {name: w.detach().clone() for name, w in W.items()}
        for W in script.train(data, "shrunk", "Adam", 3, 1, to, probe)
    ]

    def spread(W):
        return measure.seen(*script.looked_at(W, probe, "none"), "none")["spread"]

    def step(n, name):
        return (W[n + 1][name] - W[n][name]).norm().item()

    assert spread(W[6]) > 0.5 > 0.3 > spread(W[7]), "as the seventh step is made"
    assert step(6, "Q0") > 3 * step(6, "V0"), "these two are multiplied, and others are not"
    assert step(11, "V0") < 0.4 * step(7, "V0"), "the last has a quarter of the rate"


def test_an_eighth_is_an_eighth_from_its_step_on(script, measure):
    data, _ = measure.split(measure.text())
    steps = {}
    for arm in ("plain", "eighth 0"):
        first, second = (
            {name: w.detach().clone() for name, w in W.items()}
            for W, _ in zip(script.train(data, arm, "Adam", 3, 1), range(2), strict=False)
        )
        steps[arm] = {name: (second[name] - first[name]).norm().item() for name in ("Q0", "V0")}
    assert close(steps["eighth 0"]["Q0"], steps["plain"]["Q0"] / 8, 1e-3)
    assert close(steps["eighth 0"]["V0"], steps["plain"]["V0"], 1e-3)
