"""Read what has been measured and stored: files beside this module."""

import csv
from pathlib import Path

import numpy as np


def read(name):
    """Return the columns by name, as arrays of numbers or of words."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    head, *body = csv.reader(rows)
    table = {}
    for title, column in zip(head, zip(*body, strict=True), strict=True):
        try:
            table[title] = np.array(column, float)
        except ValueError:
            table[title] = np.array(column)
    return table


def lines(name):
    """Return the lines of a text."""
    return Path(__file__).with_name(name).read_text("utf-8").splitlines()


def source(name):
    """Return what is said above a table of where it comes from, by name."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    lines = [row[2:] for row in text.splitlines() if row.startswith("# ")]
    return dict(line.split(": ", 1) for line in lines)


def medians(name="medians.csv"):
    """Return medians over all heads, and standard errors, by name and pairs."""
    table = read(name)
    median, error = {}, {}
    for kind, what, value, deviation in zip(*table.values(), strict=True):
        median.setdefault(str(what), {})[str(kind)] = float(value)
        error.setdefault(str(what), {})[str(kind)] = float(deviation)
    return median, error
