"""The modules that this chapter's tests share.

PyTorch is installed by `make torch`. Without it the tests of the tables still run; those of the
model say that they skipped.
"""

import pytest


@pytest.fixture(scope="session")
def recall(module):
    return module("training/recall")


@pytest.fixture(scope="session")
def model(torch, module):
    return module("training/recall_transformer")


@pytest.fixture(scope="session")
def measure(torch, module):
    return module("training/measure_learning")
