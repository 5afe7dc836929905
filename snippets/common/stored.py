"""Read what the measuring scripts have stored: tables beside the snippets."""

import csv
from pathlib import Path

import numpy as np


def lines(name):
    """Return the lines of a text, such as `trained/asked.txt`."""
    return (Path(__file__).parents[1] / name).read_text("utf-8").splitlines()


def read(name):
    """Return a table, such as `growth/path.csv`, as a structured array.

    A column is of whole numbers, else of numbers, else of words.
    """
    head, *rows = csv.reader(row for row in lines(name) if row[:1] != "#")
    columns = [typed(column) for column in zip(*rows, strict=True)]
    kinds = [(title, of.dtype) for title, of in zip(head, columns, strict=True)]
    return np.array([*zip(*columns, strict=True)], kinds)


def typed(column):
    """Return a column of words as the first kind of numbers that fits."""
    for kind in (int, float):
        try:
            return np.array(column, kind)
        except ValueError:
            continue
    return np.array(column)


def source(name):
    """Return what is said above a table of where it comes from, by name."""
    above = [row[2:] for row in lines(name) if row.startswith("# ")]
    return dict(row.split(": ", 1) for row in above)


def of(rows, **where):
    """Return the rows with these values, by column."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def pivot(rows, by, what, **where):
    """Return the values of one column, and for each seed a row of another."""
    rows = of(rows, **where)
    at = {(row["seed"], row[by]): row[what] for row in rows}
    values, seeds = np.unique(rows[by]), np.unique(rows["seed"])
    return values, np.array([[at[seed, x] for x in values] for seed in seeds])


def by_seed(rows, what, **where):
    """Return a column of the rows with these values, in the order of seeds."""
    rows = of(rows, **where)
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
