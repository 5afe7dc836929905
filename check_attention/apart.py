"""Whether sequences of a batch stay apart: others are changed, and the first should not notice."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.again import random_kept, restored, with_other_tensors
from check_attention.axes import flat
from check_attention.report import Report

OTHERS = 2  # sequences beside the first that are run again
# By module, what it was given of the first sequence, and what it made of it.
Firsts = dict[str, tuple[list[Tensor], list[Tensor]]]
MOVED = 1e-3  # by how much a result may change, relative to the largest: rounding is less
APART = (
    "what it makes of one sequence changes {when}. Look at where the batch and heads, or windows, "
    "are joined or split, and at masks for them: the order has to be the same"
)


def judge_apart(
    model: nn.Module, batch: Any, call: Callable[[nn.Module, Any], Any], report: Report,
    layers: set[str],
) -> None:  # fmt: skip
    """Name modules of a report that make something else of a sequence if the others change.

    The last batch runs three times more: with some of its sequences, with the first in place of
    each, and with the first alone; in training once more, to see what is random. What a module is
    given of the first has to be the same to count.

    Args:
        model: any
        batch: one of its batches
        call: how it is called
        report: whose rows are told
        layers: those whose batch is known to be none of the tokens
    """
    watched = _looked_at(model, report, layers)
    count = sequences_of(batch)
    if not watched or count < 2:
        return
    some = min(count, 1 + OTHERS)
    dims: dict[str, int] = {}

    def is_for_each(t: Tensor) -> bool:
        is_mask = t.ndim == 2 and _is_square(t) and (t.is_floating_point() or t.dtype == torch.bool)
        return len(t) == count and not is_mask

    def run(at: list[int]) -> Firsts:
        """Run some sequences; nothing, if the model takes no such batch."""
        each = with_other_tensors(batch, lambda t: t[at] if is_for_each(t) else t)
        try:
            return _firsts(model, watched, lambda: call(model, each), len(at), dims)
        except Exception:
            return {}

    beside = run([*range(some)])
    by_chance: set[str] = set()  # dropout drops out something else where shapes differ
    if any(module.training for module in model.modules()):
        with random_kept():
            torch.manual_seed(OTHERS)
            again = run([*range(some)])
        both = beside.keys() & again.keys()
        by_chance = {name for name in both if not _are_same(beside[name][1], again[name][1])}
    for when, at in (("as others of the batch do", [0] * some), ("if it is alone", [0])):
        again = run(at)
        for name in beside.keys() & again.keys() - (by_chance if len(at) == 1 else set()):
            if _has_moved(beside[name], again[name]):
                _tell(report, name, when)


def _looked_at(model: nn.Module, report: Report, layers: set[str]) -> dict[str, nn.Module]:
    """Give the modules of some layers, but for those of which a fault like it is told already."""
    told = {r.layer for r in report.rows if r.axis_verdict or r.layout_verdict or r.mask_verdict}
    modules = {name or type(module).__name__: module for name, module in model.named_modules()}
    return {
        name: module
        for name, module in modules.items()
        if name in layers - told and not any(map(_is_of_batch, module.modules()))
    }


def _tell(report: Report, layer: str, when: str) -> None:
    """Give the heads of a layer the verdict, unless they have it."""
    for row in report.rows:
        if row.layer == layer and not row.axis_verdict:
            row.axis_verdict, row.axis_detail = "sequences", APART.format(when=when)
            row.explain()


def _has_moved(one: tuple[list[Tensor], list[Tensor]], other: tuple[list[Tensor], ...]) -> bool:
    """Say whether a module has made something else of the same."""
    (given, made), (given_again, made_again) = one, other
    is_same_shape = [t.shape for t in made] == [t.shape for t in made_again]
    return is_same_shape and _are_same(given, given_again) and not _are_same(made, made_again)


def sequences_of(batch: Any) -> int:
    """Say how many sequences a batch has, by its first tensor of two dimensions or more."""
    values = batch.values() if isinstance(batch, Mapping) else [batch]
    tensors = [t for t in _tensors_in(values) if t.ndim > 1]
    return tensors[0].shape[0] if tensors else 0


def _is_of_batch(module: nn.Module) -> bool:
    """Say whether a module takes means over the batch, as it is meant to in training."""
    return isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training


def _firsts(
    model: nn.Module, modules: Mapping[str, nn.Module], run: Callable[[], Any], count: int,
    dims: dict[str, int],
) -> Firsts:  # fmt: skip
    """Run a model; give what modules were given of the first sequence, and what they made of it.

    Args:
        model: any
        modules: those that are looked at, by name
        run: what runs the model
        count: how many sequences it runs
        dims: which dimension of what a module is given has them; added to in the first run
    """
    found: Firsts = {}
    names = {module: name for name, module in modules.items()}

    def note(module: nn.Module, args: Any, kwargs: Any, made: Any) -> None:
        name = names[module]
        given = _tensors_in([args, [*kwargs.values()]])
        if name not in dims and (new := _dim_of_sequences(given, count)) is not None:
            dims[name] = new
        if name in found or name not in dims:
            return
        dim = dims[name]
        if of_made := _of_first(_tensors_in([made]), count, dim, is_given=False):
            found[name] = _of_first(given, count, dim, is_given=True), of_made

    hooks = [m.register_forward_hook(note, with_kwargs=True) for m in modules.values()]
    try:
        with torch.no_grad(), restored(model):
            run()
    finally:
        for hook in hooks:
            hook.remove()
    return found


def _dim_of_sequences(given: list[Tensor], count: int) -> int | None:
    """Say which dimension of what a module was given has the sequences, the first or the second.

    The first may have windows, or heads, of each sequence behind each other.
    """
    some = [t for t in given if t.ndim > 1 and not _is_square(t)]
    for dim in (0, 1):
        if any(t.ndim > 1 + dim and t.shape[dim] == count for t in some):
            return dim
    return 0 if any(t.ndim > 2 and t.shape[0] % count == 0 for t in some) else None


def _of_first(tensors: list[Tensor], count: int, dim: int, is_given: bool) -> list[Tensor]:
    """Give of each tensor the first sequence.

    Of what was given, a tensor without a dimension of sequences is for all of them; a mask of all
    pairs may be made of them, and is left out.
    """
    made = []
    for t in tensors:
        if is_given and _is_square(t):
            continue
        if t.ndim > 1 + dim and t.shape[dim] % count == 0 and (dim == 0 or t.shape[dim] == count):
            made.append(t.narrow(dim, 0, t.shape[dim] // count))
        elif is_given:
            made.append(t)
    return [t.detach().clone() for t in made]


def _is_square(t: Tensor) -> bool:
    """Say whether a tensor has an entry for each pair of tokens, as a mask has."""
    return t.ndim > 1 and t.shape[-1] == t.shape[-2]


def _tensors_in(values: Any) -> list[Tensor]:
    return [t for t in flat(values) if isinstance(t, Tensor) and not t.is_nested]


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
