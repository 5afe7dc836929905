"""Running a model again: with other inputs, and with random numbers and buffers put back."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


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


def with_other_tensors(batch: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Give a batch, in mappings and lists, with something else in place of each of its tensors."""
    if isinstance(batch, Mapping):
        return {name: with_other_tensors(each, change) for name, each in batch.items()}
    if isinstance(batch, list | tuple):
        return [with_other_tensors(each, change) for each in batch]
    is_one = isinstance(batch, Tensor) and batch.ndim > 0 and not batch.is_nested
    return change(batch) if is_one else batch
