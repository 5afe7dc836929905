"""The small decoder and what measures it; PyTorch is installed by `make torch`."""

import pytest


@pytest.fixture(scope="session")
def measure(torch, module):
    return module("growth/measure_growth")


@pytest.fixture(scope="session")
def transformer(measure):
    return measure.transformer
