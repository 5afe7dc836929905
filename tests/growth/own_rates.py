"""The runs in which some weights have a rate of their own, read by other code."""

import numpy as np

from tests.conftest import stored_rows

CHOOSE, SCORE = ["11", "12", "13"], ["3", "4", "5", "6"]


def own_rate(what, seeds, optimizer, remedy="none", **run):
    """Give what is stored at the end of a run, for each seed in order."""
    usual = {"d": "32", "rate": "4", "slowed": "QK", "m": "1", "warmup": "0", "last": "300"}
    where = usual | {
        name: f"{value:g}" if name != "slowed" else value for name, value in run.items()
    }
    rows = stored_rows("growth", "own_rate.csv", remedy=remedy, optimizer=optimizer, **where)
    found = {row["seed"]: float(row[what]) for row in rows if row["step"] == where["last"]}
    return np.array([found[seed] for seed in seeds])
