"""A rate of their own for W_Q and W_K: what each factor gives, and the best, by other code."""

import pytest

from tests.conftest import stored_rows
from tests.growth.own_rates import CHOOSE, SCORE, own_rate
from tests.growth.test_measure_steps import same_text
from tests.tolerance import close, mean_and_error


def test_what_each_factor_gives_and_the_best_of_them(snippet):
    page = snippet("growth/own_rate")
    for (optimizer, remedy), chosen in page.chosen.items():
        means = {}
        for m in (1, 0.5, 0.25, 0.125, 0.0625):
            losses = own_rate("loss", CHOOSE, optimizer, remedy, m=m)
            assert close(page.loss[optimizer, remedy, m], mean_and_error(losses))
            means[m] = losses.mean()
        assert means[chosen] == min(means.values())
        assert not close(page.loss[optimizer, remedy, 1], page.loss[optimizer, remedy, 0.5], 1e-3)


def test_what_seeds_that_have_chosen_nothing_say(snippet):
    """At the chosen factors, seed by seed, with the seeds that score."""
    page = snippet("growth/own_rate")
    for optimizer, found in page.ahead.items():
        plain, normed = (
            own_rate("loss", SCORE, optimizer, remedy, m=page.chosen[optimizer, remedy])
            for remedy in ("none", "QK-norm")
        )
        assert close(found, mean_and_error(plain - normed))
        assert not close(found, mean_and_error(normed - plain), 1e-3)


def test_over_a_thousand_steps_with_muon(snippet):
    """Chosen by two seeds among four factors, scored by four others, at the first rate."""
    page, run = snippet("growth/own_rate"), {"rate": 1, "last": 1000}
    means = {
        m: own_rate("loss", CHOOSE[:2], "Muon", m=m, **run).mean() for m in (1, 0.5, 0.25, 0.125)
    }
    assert means[page.long_chosen] == min(means.values())
    plain, own, normed = (
        own_rate("loss", SCORE, "Muon", remedy, m=m, **run)
        for remedy, m in [("none", 1), ("none", page.long_chosen), ("QK-norm", 1)]
    )
    assert close(page.gain["none"], mean_and_error(plain - own))
    assert close(page.gain["QK-norm"], mean_and_error(plain - normed))
    assert close(page.rest, mean_and_error(own - normed))
    assert not close(page.rest, mean_and_error(normed - own), 1e-3)


def test_in_heads_of_64(snippet):
    page = snippet("growth/own_rate")
    for (optimizer, remedy, m), found in page.wide.items():
        losses = own_rate("loss", SCORE[:3], optimizer, remedy, m=m, d=64)
        assert close(found, mean_and_error(losses))
    assert len(page.wide_table) == 4


@pytest.fixture(scope="module")
def script(measure, module):
    return module("growth/measure_own_rate")


def test_the_table_is_whole(script):
    """Every run of the plan is there to its last step, and no other."""
    stored = {
        tuple(row[name] for name in script.AT[:-1])
        for row in stored_rows("growth", "own_rate.csv")
        if row["step"] == row["last"]
    }
    assert stored == {tuple(map(str, run)) for part in script.PARTS.values() for run in part()}


@pytest.mark.parametrize("optimizer", ["Adam", "Muon"])
def test_a_sample_trained_again(measure, source, script, optimizer):
    data, probe = same_text(measure, source, "own_rate.csv")
    how = (data, probe, 32, "none", optimizer, 4, 11, 10)
    [(_, found)] = script.run(*how, times={"Q": 0.125, "K": 0.125})
    at = {"optimizer": optimizer, "remedy": "none", "rate": "4", "seed": "11", "step": "10"}
    rows = {row["m"]: row for row in stored_rows("growth", "own_rate.csv", **at)}
    for name in script.FOUND:
        assert close(found[name], float(rows["0.125"][name]), 1e-2)
    assert not close(found["change"], float(rows["0.25"]["change"]), 1e-2)
