"""The stored tables of the small decoder, read by other code."""

import numpy as np

from tests.conftest import stored_rows

PRINTED = 1e-3  # four digits are stored


def by_seed(what, optimizer, step, remedy="none", d=32, rate=1):
    """Give what is stored of each seed, from whichever table has it."""
    where = {"remedy": remedy, "optimizer": optimizer, "step": str(step)}
    where |= {"d": str(d), "rate": str(rate)}
    table = "growth.csv" if what in GROWTH else "factors.csv"
    rows = stored_rows("growth", table, **where)
    return np.array([float(row[what]) for row in sorted(rows, key=lambda row: row["seed"])])


GROWTH = {"loss", "largest", "uncapped", "spread", "entropy", "bound"}
