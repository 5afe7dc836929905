"""What is stored of the decoder, by plain Python: losses by seed, means and errors."""

import statistics

from tests.conftest import stored_rows


def losses(name, **where):
    """Give the losses of a stored table, by seed."""
    return {row["seed"]: float(row["loss"]) for row in stored_rows("mistakes", name, **where)}


def difference(first, second):
    """Give the mean difference of two sets of losses, seed by seed, and its error.

    Seeds that one of them lacks are left out; of a single one the error is 0.
    """
    by = [first[seed] - second[seed] for seed in first if seed in second]
    error = statistics.stdev(by) / len(by) ** 0.5 if len(by) > 1 else 0.0
    return statistics.mean(by), error
