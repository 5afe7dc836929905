"""Read the medians that `measure.py` and `measure_smollm.py` have stored."""

from stored import read


def medians(name="trained/medians.csv"):
    """Return medians over all heads, and standard errors, by name and pairs."""
    median, error = {}, {}
    for kind, what, value, deviation in read(name).tolist():
        median.setdefault(what, {})[kind] = value
        error.setdefault(what, {})[kind] = deviation
    return median, error
