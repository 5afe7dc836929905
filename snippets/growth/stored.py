"""Read what `measure_growth.py` has stored beside this module."""

from pathlib import Path

import numpy as np

REMEDIES = {
    "none": "1/√d alone",
    "1/d": "8/d instead",
    "decay": "weight decay",
    "QK-clip": "QK-clip at 20",
    "soft cap": "soft cap at 20",
    "QK-norm": "QK-norm",
}


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


def over_steps(rows, what, **where):
    """Return the steps, and for each seed a row of `what` at each step."""
    for name, value in where.items():
        rows = rows[rows[name] == value]
    steps, seeds = np.unique(rows["step"]), np.unique(rows["seed"])
    at = {(row["seed"], row["step"]): row[what] for row in rows}
    return steps, np.array([[at[s, step] for step in steps] for s in seeds])


def mean_and_error(sample):
    """Return the mean over seeds (the first axis) and its standard error."""
    sample = np.asarray(sample)
    return sample.mean(0), sample.std(0, ddof=1) / len(sample) ** 0.5


def figures(value, error=None, digits=3):
    """Return a mean, and its error where there is one, in figures."""
    text = f"{value:.{digits}f}"
    if error is not None:
        text += f" ± {error:.{digits}f}"
    return text.replace("-", "−")
