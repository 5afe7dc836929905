"""The small decoder and what measures it; PyTorch is installed by `make torch`."""

import pytest


@pytest.fixture(scope="session")
def measure(torch, module):
    return module("mistakes/measure_mistakes")


@pytest.fixture(scope="session")
def decoder(measure):
    return measure.decoder
