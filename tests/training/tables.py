"""What is stored of the transformer that looks things up, read by other code."""

from functools import cache

import numpy as np

from tests.conftest import stored_rows

AT = ("setting", "d", "divisor", "rate", "seed", "step")
FOUND = ("loss", "spread", "largest", "moved")
RATES = ("0.000125", "0.00025", "0.0005", "0.001", "0.002", "0.004", "0.008")
PRINTED = 1e-3  # four digits are stored


@cache
def learning():
    """Give each row of the table by setting, d, divisor, rate, seed and step, as text."""
    rows = stored_rows("training", "learning.csv")
    return {tuple(row[name] for name in AT): row for row in rows}


def seeds(what, setting, d, divisor, rate, step=500):
    """Give a number of each seed; at d = 64, √d stands for d/8."""
    at = (setting, str(d), "√d" if (d, divisor) == (64, "d/8") else divisor, rate)
    found = [learning().get((*at, seed, str(step))) for seed in "012"]
    return np.array([float(row[what]) for row in found if row])


def best(setting, d, divisor, rates=RATES, step=500):
    """Give the rate with the lowest mean loss in the end, and the losses of its seeds."""
    loss = {rate: seeds("loss", setting, d, divisor, rate, step) for rate in rates}
    rate = min((r for r in rates if len(loss[r])), key=lambda rate: loss[rate].mean())
    return rate, loss[rate]
