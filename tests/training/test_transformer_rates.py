"""The losses of the small transformer over learning rates, from what is stored."""

import numpy as np

from tests.tolerance import close, mean_and_error
from tests.training.tables import mean


def test_the_losses_over_learning_rates(snippet, runs):
    page = snippet("training/transformer_rates")
    rates = [f"{rate:g}" for rate in page.rates]
    for how, found in page.mean.items():
        table = [[mean(runs, "loss", *how, 50, d, rate=rate) for d in page.dims] for rate in rates]
        assert close(found, table)
        assert not close(found, np.fliplr(table), 1e-4)
        for column, losses in enumerate(zip(*table, strict=True)):
            lowest = min(losses)
            assert page.best[how][column] == page.rates[losses.index(lowest)]
            assert close(page.excess[how][:, column], np.subtract(losses, lowest))
        assert not close(page.excess[how], np.subtract(table, np.min(table)), 1e-4)


def test_what_attention_is_worth(snippet, runs):
    page = snippet("training/transformer_rates")

    def loss(scale, seed, step):
        return [float(runs[d, scale, "0", "0.4", seed, step]["loss"]) for d in ("16", "32", "64")]

    even, learned, begun = (
        np.array([loss(scale, seed, step) for seed in "012"])
        for scale, step in (("0", "50"), ("8/d", "50"), ("8/d", "0"))
    )
    assert close(page.worth, mean_and_error((even - learned).mean(axis=1)))
    assert not close(page.worth, mean_and_error((even - learned).ravel()), 1e-4), "9 seeds"
    assert close([page.begun, page.ended], [begun.mean(), learned.mean()])
