"""The small decoder and what measures it; PyTorch is installed by `make torch`."""

import pytest


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed: make torch")


@pytest.fixture(scope="session")
def measure(torch, module):
    torch.set_num_threads(1)
    return module("mistakes/measure_mistakes")


@pytest.fixture(scope="session")
def decoder(measure):
    return measure.decoder
