"""Read what `measure_mistakes.py` has stored beside this module."""

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


def by_seed(rows, what, **where):
    """Return a column of the rows that are meant, in the order of seeds."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows[what][np.argsort(rows["seed"])]


def mean_and_error(sample):
    """Return the mean over seeds (the first axis) and its standard error.

    Of a single seed the error is 0, for want of another.
    """
    sample = np.asarray(sample)
    if len(sample) == 1:
        return sample[0], 0 * sample[0]
    error = sample.std(0, ddof=1) / len(sample) ** 0.5
    return sample.mean(0), error
