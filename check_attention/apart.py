"""Whether sequences of a batch stay apart: others are changed, and the first should not notice."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.again import restored
from check_attention.axes import flat
from check_attention.report import Report

OTHERS = 2  # sequences beside the first that are run again
MOVED = 1e-3  # by how much a result may change, relative to the largest: rounding is less
APART = (
    "what it makes of one sequence changes as the others of the batch do. Look at where batch and "
    "heads are joined or split: the order has to be the same"
)


def judge_apart(
    model: nn.Module, batch: Any, call: Callable[[nn.Module, Any], Any], report: Report,
    layers: set[str],
) -> None:  # fmt: skip
    """Name modules of a report that make something else of a sequence if the others change.

    The last batch runs twice more: with some of its sequences, and with the first in place of each.
    What a module is given of the first has to be the same for it to count.

    Args:
        model: any
        batch: one of its batches
        call: how it is called
        report: whose rows are told
        layers: those whose batch is known to be none of the tokens
    """
    layers = layers - {r.layer for r in report.rows if r.axis_verdict or r.layout_verdict}
    modules = {name or type(module).__name__: module for name, module in model.named_modules()}
    watched = {
        name: module
        for name, module in modules.items()
        if name in layers and not any(map(_is_of_batch, module.modules()))
    }
    count = sequences_of(batch)
    if not watched or count < 2:
        return
    some = min(count, 1 + OTHERS)
    try:
        both = [
            _firsts(model, watched, lambda each=each: call(model, each), some)
            for each in (_chosen(batch, count, at) for at in (range(some), [0] * some))
        ]
    except Exception:  # it cannot be run with fewer sequences, say
        return
    for name in both[0].keys() & both[1].keys():
        (given, made), (given_again, made_again) = (each[name] for each in both)
        if _are_same(given, given_again) and not _are_same(made, made_again):
            for row in report.rows:
                if row.layer == name:
                    row.axis_verdict, row.axis_detail = "sequences", APART
                    row.explain()


def sequences_of(batch: Any) -> int:
    """Say how many sequences a batch has, by its first tensor of two dimensions or more."""
    values = batch.values() if isinstance(batch, Mapping) else [batch]
    tensors = [t for t in flat(values) if isinstance(t, Tensor) and not t.is_nested and t.ndim > 1]
    return tensors[0].shape[0] if tensors else 0


def _chosen(batch: Any, count: int, at: Iterable[int]) -> Any:
    """Give a batch of some of its sequences."""
    if isinstance(batch, Mapping):
        return {name: _chosen(each, count, at) for name, each in batch.items()}
    if isinstance(batch, list | tuple):
        return type(batch)(_chosen(each, count, at) for each in batch)
    is_each = isinstance(batch, Tensor) and not batch.is_nested and batch.ndim > 0
    if is_each and batch.shape[0] == count:
        return batch[torch.tensor([*at], device=batch.device)]
    return batch


def _is_of_batch(module: nn.Module) -> bool:
    """Say whether a module takes means over the batch, as it is meant to in training."""
    return isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training


def _firsts(
    model: nn.Module, modules: Mapping[str, nn.Module], run: Callable[[], Any], count: int
) -> dict[str, tuple[list[Tensor], list[Tensor]]]:
    """Run a model; give what modules were given of the first sequence, and what they made of it."""
    found: dict[str, tuple[list[Tensor], list[Tensor]]] = {}
    names = {module: name for name, module in modules.items()}

    def note(module: nn.Module, args: Any, kwargs: Any, made: Any) -> None:
        name = names[module]
        given = _of_first([args, [*kwargs.values()]], count, is_given=True)
        if name not in found and (of_first := _of_first([made], count)):
            found[name] = given, of_first

    hooks = [m.register_forward_hook(note, with_kwargs=True) for m in modules.values()]
    try:
        with torch.no_grad(), restored(model):
            run()
    finally:
        for hook in hooks:
            hook.remove()
    return found


def _of_first(values: Any, count: int, is_given: bool = False) -> list[Tensor]:
    """Give of each tensor the first sequence.

    Of what was given, a tensor without a dimension of sequences is for all of them.
    """
    made = []
    for t in flat(values):
        if not isinstance(t, Tensor) or t.is_nested:
            continue
        if t.ndim > 1 and t.shape[0] == count:
            made.append(t[0])
        elif t.ndim > 2 and t.shape[1] == count:
            made.append(t[:, 0])
        elif is_given:
            made.append(t)
    return [t.detach().clone() for t in made]


def _are_same(one: list[Tensor], other: list[Tensor]) -> bool:
    """Say whether tensors are the same, but for rounding."""
    if [t.shape for t in one] != [t.shape for t in other]:
        return False
    for a, b in zip(one, other, strict=True):
        if a.is_floating_point():
            size = a.nan_to_num(0, 0, 0).abs().max() if a.numel() else 1.0
            if not torch.allclose(a, b, atol=float(MOVED * size), rtol=0, equal_nan=True):
                return False
        elif not torch.equal(a, b):
            return False
    return True
