"""Read what `measure_learning.py` has stored beside this module."""

from pathlib import Path

import numpy as np


def read(name):
    """Return the rows of a CSV file as a structured array."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    return np.genfromtxt(
        rows, delimiter=",", names=True, dtype=None, encoding="utf-8"
    )


def source(name):
    """Return what is said above a table of where it comes from, by name."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    lines = [row[2:] for row in text.splitlines() if row.startswith("# ")]
    return dict(line.split(": ", 1) for line in lines)


def learning():
    """Return the rows of learning.csv; at d = 64, √d is d/8 as well."""
    rows = read("learning.csv")
    same = rows[(rows["d"] == 64) & (rows["divisor"] == "√d")]
    same["divisor"] = "d/8"
    return np.concatenate([rows, same])


def over(rows, by, what, **where):
    """Return the values of one column, and for each seed a row of another."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    at = {(row["seed"], row[by]): row[what] for row in rows}
    values, seeds = np.unique(rows[by]), np.unique(rows["seed"])
    return values, np.array([[at[seed, x] for x in values] for seed in seeds])
