"""The bound or the step: losses and logits of each measure, from what is stored, by other code."""

import numpy as np
from scipy import stats

from tests.conftest import stored_rows
from tests.growth.by_seed import by_seed
from tests.growth.own_rates import SCORE, own_rate
from tests.tolerance import close, mean_and_error

ARMS = {
    "$1/\\sqrt d$ alone": {},
    "a warm-up of 100 steps": {"warmup": 100},
    "a quarter for $W_V$, $W_O$": {"slowed": "VO", "m": 0.25},
    "a quarter for the ReLU layers": {"slowed": "ReLU", "m": 0.25},
    "a quarter for all but $W_Q$, $W_K$": {"rate": 1, "m": 4},
    "a rate that falls, and a warm-up": {"remedy": "shared rate", "warmup": 100},
    "a rate that falls as a norm’s steps": {"remedy": "norm's rate"},
    "a soft cap at 9": {"remedy": "low cap"},
    "a clip at 20": {"remedy": "QK-clip"},
    "an eighth for $W_Q$, $W_K$": {"m": 0.125},
    "the eighth and the cap": {"remedy": "low cap", "m": 0.125},
    "the eighth and the clip": {"remedy": "QK-clip", "m": 0.125},
    "QK-norm": {"remedy": "QK-norm"},
    "QK-norm and the warm-up": {"remedy": "QK-norm", "warmup": 100},
}
PLAIN, EIGHTH = "$1/\\sqrt d$ alone", "an eighth for $W_Q$, $W_K$"


def arm(snippet, optimizer, label):
    """Give what the measure of a label changes; the norm's best rate is own_rate's choice."""
    if label == "QK-norm at its best rate":
        chosen = snippet("growth/own_rate").chosen[optimizer, "QK-norm"]
        return {"remedy": "QK-norm", "m": chosen}
    return ARMS[label]


def test_at_four_times_the_rate(snippet):
    page = snippet("growth/bound_or_step")
    assert {label for _, label in page.above} == {*ARMS, "QK-norm at its best rate"}
    for (optimizer, label), found in page.above.items():
        changed = arm(snippet, optimizer, label)
        plain = own_rate("loss", SCORE, optimizer, rate=1)
        losses = own_rate("loss", SCORE, optimizer, **changed)
        assert close(found, mean_and_error(losses - plain))
        for what in ("largest", "spread", "change"):
            sizes = own_rate(what, SCORE, optimizer, **changed)
            assert close(getattr(page, what)[optimizer, label], mean_and_error(sizes))
        assert not close(found[1], mean_and_error(losses - np.roll(plain, 1))[1], 1e-4), "unpaired"
    for optimizer in ("Adam", "Muon"):
        assert snippet("growth/own_rate").chosen[optimizer, "none"] == page.eighth


def test_what_is_left_and_what_is_added(snippet):
    page = snippet("growth/bound_or_step")
    for (optimizer, label), left in page.left.items():
        parts = [
            (
                own_rate("loss", SCORE, optimizer, **arm(snippet, optimizer, each))
                - own_rate("loss", SCORE, optimizer, rate=1)
            ).sum()
            for each in (label, PLAIN)
        ]
        assert close(left, parts[0] / parts[1])


def test_the_order_of_the_measures(snippet):
    """Rank correlation as the ordinary one of ranks; another quantity has another."""
    page = snippet("growth/bound_or_step")
    for (optimizer, what), found in page.order.items():
        labels = [*ARMS, "QK-norm at its best rate"]
        columns = [
            [
                own_rate(name, SCORE, optimizer, **arm(snippet, optimizer, label)).mean()
                for label in labels
            ]
            for name in (what, "loss")
        ]
        ranks = [stats.rankdata(column) for column in columns]
        assert close(found, np.corrcoef(ranks)[0, 1])
        assert not close(found, np.corrcoef(columns)[0, 1], 1e-3), "not of ranks"


def test_at_the_first_rate(snippet):
    page = snippet("growth/bound_or_step")
    stored = {
        "a soft cap at 20": {"remedy": "soft cap"},
        "a clip at 20": {"remedy": "QK-clip"},
        "half the rate for all": {"rate": 0.5},
        "QK-norm": {"remedy": "QK-norm"},
    }
    for (optimizer, label), found in page.below.items():
        plain = by_seed("loss", optimizer, 1000)
        if label in stored:
            losses, sizes = (
                by_seed(what, optimizer, 1000, **stored[label]) for what in ("loss", "largest")
            )
        else:
            where = {"remedy": "none", "optimizer": optimizer, "rate": "1", "step": "1000"}
            rows = sorted(stored_rows("growth", "steps.csv", **where), key=lambda row: row["seed"])
            losses, sizes = (
                np.array([float(row[what]) for row in rows]) for what in ("loss", "largest")
            )
        assert close(found, mean_and_error(plain - losses))
        assert close(page.later[optimizer, label], mean_and_error(sizes))
    gains = {label: page.below["Muon", label][0] for label in page.longer}
    for label, share in page.share.items():
        assert close(share, gains[label] / gains["QK-norm"])
