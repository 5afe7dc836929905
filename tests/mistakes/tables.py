"""What is stored of the decoder, by plain Python: losses by seed, means and errors."""

import statistics

from tests.conftest import stored_rows


def losses(name, **where):
    """Give the losses of a stored table, by seed."""
    return {row["seed"]: float(row["loss"]) for row in stored_rows("mistakes", name, **where)}


def difference(first, second):
    """Give the mean difference of two sets of losses, seed by seed, and its error."""
    by = [first[seed] - second[seed] for seed in first]
    return statistics.mean(by), statistics.stdev(by) / len(by) ** 0.5
