"""How a test compares: within standard errors, or up to rounding."""

import numpy as np


def agrees(estimate, exact, standard_error, errors=4.5):
    """Tell whether an estimate lies within some standard errors of a value: all of it, if arrays.

    4.5 standard errors are passed by chance in 1 of 150,000 fair draws.
    """
    distance = np.abs(np.asarray(estimate) - np.asarray(exact))
    return bool(np.all(distance <= errors * np.asarray(standard_error)))


def close(value, exact, tolerance=1e-9):
    """Tell whether two exact routes meet, up to rounding."""
    return bool(np.allclose(value, exact, rtol=tolerance, atol=tolerance))


def mean_and_error(sample, axis=0):
    """Give the mean of a sample, drawn along an axis, and its standard error."""
    sample = np.asarray(sample)
    return sample.mean(axis), sample.std(axis, ddof=1) / np.sqrt(sample.shape[axis])


def variance_and_error(sample):
    """Give the variance of a sample and its standard error."""
    return mean_and_error((sample - np.mean(sample)) ** 2)


def is_median(value, sample, draws_behind_value):
    """Tell whether half of the sample lies below the value, up to 4.5 standard errors."""
    error = 0.5 * np.sqrt(1 / len(sample) + 1 / draws_behind_value)
    return bool(abs(np.mean(sample < value) - 0.5) < 4.5 * error)
