"""The modules and the tables that this chapter's tests share.

PyTorch is installed by `make torch`. Without it the tests of the tables still run; those of the
model say that they skipped.
"""

import pytest

from tests.training.tables import AT, rows


@pytest.fixture(scope="session")
def recall(module):
    return module("training/recall")


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed: make torch")


@pytest.fixture(scope="session")
def transformer(torch, module):
    return module("training/transformer")


@pytest.fixture(scope="session")
def measure(torch, module):
    return module("training/measure")


@pytest.fixture(scope="session")
def runs():
    return {tuple(row[name] for name in AT): row for row in rows("runs.csv")}


@pytest.fixture(scope="session")
def moved():
    return {(*(row[name] for name in AT), row["pairs"]): row for row in rows("moved.csv")}
