"""Read what `measure.py` has stored beside this module."""

from pathlib import Path

import numpy as np


def read(name):
    """Return the rows of a CSV file as a structured array."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    return np.genfromtxt(
        rows, delimiter=",", names=True, dtype=None, encoding="utf-8"
    )


def over_widths(rows, what, **where):
    """Return the widths, and for each seed a row of `what` at each width."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    at = {(row["seed"], row["d"]): row[what] for row in rows}
    dims, seeds = np.unique(rows["d"]), np.unique(rows["seed"])
    return dims, np.array([[at[seed, d] for d in dims] for seed in seeds])


def source(name):
    """Return what is said above a table of where it comes from, by name."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    lines = [row[2:] for row in text.splitlines() if row.startswith("# ")]
    return dict(line.split(": ", 1) for line in lines)
