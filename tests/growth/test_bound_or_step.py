"""The bound or the step: losses and logits of each measure, from what is stored, by other code."""

import numpy as np

from tests.conftest import stored_rows
from tests.growth.by_seed import by_seed
from tests.tolerance import close, mean_and_error

STORED = {
    "1/√d alone": "none",
    "soft cap at 20": "soft cap",
    "QK-clip at 20": "QK-clip",
    "QK-norm": "QK-norm",
}
NEW = {
    "soft cap at 9": ("low cap", "1"),
    "a rate that falls": ("shared rate", "1"),
    "a quarter of the rate": ("none", "0.25"),
}


def of_seeds(what, optimizer, label, rate, step):
    """Give what is stored of each seed, from whichever table has the measure."""
    if label in STORED:
        return by_seed(what, optimizer, step, STORED[label], rate=rate)
    remedy, qk = NEW[label]
    where = {"remedy": remedy, "qk": qk, "optimizer": optimizer}
    rows = stored_rows("growth", "steps.csv", **where, rate=str(rate), step=str(step))
    return np.array([float(row[what]) for row in sorted(rows, key=lambda row: row["seed"])])


def test_at_four_times_the_rate(snippet):
    page = snippet("growth/bound_or_step")
    assert {label for _, label in page.above} == {*STORED, *NEW}
    for (optimizer, label), found in page.above.items():
        plain = by_seed("loss", optimizer, 300)
        losses = of_seeds("loss", optimizer, label, 4, 300)
        assert len(losses) == 3
        assert close(found, mean_and_error(losses - plain))
        sizes = of_seeds("largest", optimizer, label, 4, 300)
        assert close(page.largest[optimizer, label], mean_and_error(sizes))
        assert not close(found[1], mean_and_error(losses - np.roll(plain, 1))[1], 1e-4), "unpaired"


def test_at_the_first_rate(snippet):
    page = snippet("growth/bound_or_step")
    for (optimizer, label), found in page.below.items():
        plain = by_seed("loss", optimizer, 1000)
        if label == "half the rate for all":
            losses = by_seed("loss", optimizer, 1000, rate=0.5)
        else:
            losses = of_seeds("loss", optimizer, label, 1, 1000)
        assert close(found, mean_and_error(plain - losses))
    gains = [
        by_seed("loss", "Muon", 1000) - of_seeds("loss", "Muon", label, 1, 1000)
        for label in ("a quarter of the rate", "QK-norm")
    ]
    assert close(page.share, gains[0].mean() / gains[1].mean())
    assert close(page.rest, mean_and_error(gains[1] - gains[0]))


def test_how_far_a_step_moves_the_logits(snippet):
    page = snippet("growth/bound_or_step")
    for (optimizer, label), found in page.change.items():
        assert close(found, of_seeds("change", optimizer, label, 4, 300).mean())
    for optimizer, faster in page.faster.items():
        slow, capped = (
            of_seeds("change", optimizer, label, 4, 300).mean()
            for label in ("a quarter of the rate", "soft cap at 9")
        )
        assert close(faster, capped / slow)
        assert not close(faster, slow / capped, 1e-2), "the other way round"
    logits = [of_seeds("largest", x, "a quarter of the rate", 4, 300) for x in ("Adam", "Muon")]
    assert close(page.middle, np.mean(logits))


def test_spreads_and_norms_at_four_times_the_rate(snippet):
    page = snippet("growth/bound_or_step")
    assert page.spread.keys() == page.above.keys()
    for (optimizer, label), found in page.spread.items():
        assert close(found, mean_and_error(of_seeds("spread", optimizer, label, 4, 300)))
    for optimizer, times in page.norms.items():
        first, last = (by_seed("frobenius", optimizer, step, rate=4) for step in (0, 300))
        assert close(times, np.mean(last / first))
        usual = by_seed("frobenius", optimizer, 300) / by_seed("frobenius", optimizer, 0)
        assert not close(times, usual.mean(), 0.1), "at the first rate"
