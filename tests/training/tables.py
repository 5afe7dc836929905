"""What is stored of the small transformer, read and fitted by other code."""

from functools import partial

import numpy as np

from tests.conftest import stored_rows

rows = partial(stored_rows, "training")
PARTS = ["lengths", "alignment", "shared", "pairing"]
AT = ("d", "scale", "zero_query", "rate", "seed", "step")
PRINTED = 1e-3  # four digits are stored
# The widths at each step, and how a page names the starts.
DIMS = dict.fromkeys((0, 1, 10, 50), (16, 32, 64, 128, 256))
DIMS |= dict.fromkeys((200, 1000), (16, 32, 64, 128))
START = {"random": "0", "0": "1"}


def slopes(rows, what, scale, zero, step, *pairs, rate="0.2", dims=None):
    """Give the exponent of each seed in closed form: cov(ln d, ln size)/var(ln d)."""
    dims = DIMS[step] if dims is None else dims
    x = np.log(DIMS[step][: len(dims)])
    x -= x.mean()
    key = (scale, START[zero], rate)
    y = [[float(rows[str(d), *key, seed, str(step), *pairs][what]) for d in dims] for seed in "012"]
    return np.log(y) @ x / (x @ x)


def mean(rows, what, scale, zero, step, d, *pairs, rate="0.2"):
    """Give the mean over the seeds, as stored."""
    key = (str(d), scale, START[zero], rate)
    return np.mean([float(rows[*key, seed, str(step), *pairs][what]) for seed in "012"])
