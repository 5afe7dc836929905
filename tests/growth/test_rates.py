"""Losses over learning rates, from what is stored, read by other code."""

import pytest

from tests.growth.by_seed import by_seed
from tests.tolerance import close, mean_and_error


def test_losses_after_300_steps(snippet):
    page = snippet("growth/rates")
    for (optimizer, remedy), found in page.early.items():
        slow, fast = (by_seed("loss", optimizer, page.few, remedy, rate=x) for x in (1, 4))
        assert close(found, [slow.mean(), fast.mean()])
        assert close(page.raised[optimizer, remedy], mean_and_error(fast - slow))
        other = by_seed("loss", optimizer, 100, remedy, rate=4)
        assert not close(found[1], other.mean(), 1e-3)
    for (optimizer, remedy), found in page.far.items():
        largest = by_seed("largest", optimizer, 300, remedy, rate=4)
        assert close(found, mean_and_error(largest))


def test_losses_after_1000_steps_and_the_gain_at_the_best_rates(snippet):
    page = snippet("growth/rates")
    for how, found in page.late.items():
        for rate, value in found.items():
            losses = by_seed("loss", how[0], 1000, how[1], rate=rate)
            assert close(value, mean_and_error(losses))
    half = by_seed("loss", "Muon", 1000, rate=0.5)
    assert half.mean() == pytest.approx(
        min(value for value, _ in page.late["Muon", "none"].values())
    )
    for remedy, found in page.gain.items():
        losses = by_seed("loss", "Muon", 1000, remedy)
        assert close(found, mean_and_error(half - losses))
        assert not close(found[0], (by_seed("loss", "Muon", 1000) - losses).mean(), 1e-2)


def test_what_attention_is_worth(snippet):
    page = snippet("growth/rates")
    for optimizer, found in page.worth.items():
        losses = by_seed("loss", optimizer, 300, "even") - by_seed("loss", optimizer, 300)
        assert close(found, mean_and_error(losses))
        assert close(page.without[optimizer], by_seed("loss", optimizer, 300, "even").mean())
