"""What is run again leaves no trace: random numbers and buffers are put back."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def random_kept() -> Iterator[None]:
    """Put random numbers back as they were, on the processor and on what of CUDA is at work."""
    begun = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(devices=[*range(torch.cuda.device_count() if begun else 0)]):
        yield


@contextmanager
def gradients_asked() -> Iterator[None]:
    """Have gradients computed wherever this is, and random numbers kept."""
    with random_kept(), torch.inference_mode(False), torch.enable_grad():
        yield


@contextmanager
def restored(model: nn.Module) -> Iterator[None]:
    """Put buffers and random numbers back as they were."""
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    with random_kept():
        try:
            yield
        finally:
            with torch.no_grad():
                for buffer, old in buffers:
                    buffer.copy_(old)
