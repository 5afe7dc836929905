"""Read what `measure.py` has stored: a CSV file beside this module."""

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
