"""Stored tables as snippets read them: kinds of columns, what stands above, rows by seed."""

import numpy as np
import pytest

from tests.conftest import stored_table
from tests.tolerance import close, mean_and_error


@pytest.fixture(scope="module")
def stored(module):
    return module("common/stored")


def test_a_table_is_read_as_the_standard_library_reads_it(stored):
    for name, kinds in {
        "training/learning.csv": {"setting": "U", "d": "i", "loss": "f"},
        "trained/beside.csv": {"scores": "U", "layer": "i"},  # lists, quoted
    }.items():
        rows, plain = stored.read(name), stored_table(*name.split("/"))
        assert rows.dtype.names == tuple(plain[0])
        assert len(rows) == len(plain)
        for column, kind in kinds.items():
            assert rows.dtype[column].kind == kind
        for row, texts in zip(rows[::97], plain[::97], strict=True):
            for column, text in texts.items():
                assert row[column] == row[column].dtype.type(text)


def test_rows_by_seed(stored):
    rows = np.array(
        [(1, 20, "b", 4.0), (0, 10, "a", 1.0), (0, 20, "a", 2.0), (1, 10, "a", 3.0)],
        [("seed", int), ("step", int), ("arm", "U1"), ("loss", float)],
    )
    steps, losses = stored.pivot(rows, "step", "loss")
    assert (steps.tolist(), losses.tolist()) == ([10, 20], [[1, 2], [3, 4]])
    assert stored.by_seed(rows, "loss", step=20).tolist() == [2, 4]
    assert stored.of(rows, arm="a", seed=0)["loss"].tolist() == [1, 2]
    with pytest.raises(KeyError):  # a seed lacks a step: nothing is made up
        stored.pivot(rows, "step", "loss", arm="a")


def test_the_mean_over_seeds_and_its_error(stored):
    sample = np.array([[1.0, 5], [2, 7], [6, 0]])
    for column, found in zip(sample.T, np.transpose(stored.mean_and_error(sample)), strict=True):
        assert close(found, mean_and_error(column), 1e-12)
        assert not close(found[1], np.std(column) / 3**0.5, 0.1), "over n − 1"
    assert stored.mean_and_error([3.0]) == (3, 0)
