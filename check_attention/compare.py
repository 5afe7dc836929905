"""Two codes for the same weights: the first layer whose logits differ, and by what."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.calls import ROWS, call_with, restored, watched
from check_attention.words import CLOSE, CheckError

SAME = 1e-3  # logits differ by less of their spread through rounding, in single precision
HALF = 3e-2  # and in half precision


@dataclass(repr=False)
class Comparison:
    """What two codes do otherwise with the same weights and batches."""

    output: float  # the difference of the outputs, relative to their size
    calls: int  # of softmax that were compared
    layer: str = ""  # the first whose logits differ
    kind: str = ""  # factor, offset, mask, axis, bias, q and k, cap
    words: str = ""
    share: float = math.nan  # of the output's difference that goes when this layer's is mended
    others: list[str] = field(default_factory=list)  # later layers that differ by themselves
    notes: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether no logits and no outputs differ by more than rounding."""
        return not self.layer and not self.notes and self.output < HALF

    def __str__(self) -> str:
        """Say it in sentences."""
        lines = [f"The outputs differ by {self.output:.2g} of their size."]
        if self.layer:
            lines.append(f"First layer whose logits differ: {self.layer}. {self.words}")
            if not math.isnan(self.share):
                lines.append(
                    f"With that layer's output put in from the other code, {1 - self.share:.0%} "
                    "of the difference is left."
                )
            lines += [f"Differs by itself, too: {each}" for each in self.others]
        elif not self.notes:
            lines.append(f"The logits of all {self.calls} softmax calls are the same.")
        return "\n".join(lines + self.notes)

    def __repr__(self) -> str:
        """Give the same, as a notebook shows what a cell ends with."""
        return str(self)


def compare(
    model_a: nn.Module,
    model_b: nn.Module,
    batches: Iterable[Any],
    forward: Callable[[nn.Module, Any], Any] | None = None,
    rows: int = ROWS,
) -> Comparison:
    """Run two models on the same batches, and say where their attention begins to differ.

    They should have the same weights: eager attention and SDPA, a library before and after an
    upgrade, a checkpoint and what it was converted to. Random numbers are the same for both.

    Args:
        model_a: any module
        model_b: another one, which takes the same batches
        batches: as for `check`
        forward: as for `check`
        rows: how many queries of each sequence are looked at

    Raises:
        CheckError: a wrong input, or no attention was seen in one of them.
    """
    batches = list(batches)
    if not batches:
        raise CheckError("there are no batches")
    call = forward or call_with
    (calls_a, out_a), (calls_b, out_b) = (
        _measured(model, batches, call, rows) for model in (model_a, model_b)
    )
    if not calls_a or not calls_b:
        raise CheckError("no attention was seen in one of the two")
    found = Comparison(_distance(out_a, out_b), min(len(calls_a), len(calls_b)))
    if len(calls_a) != len(calls_b):
        found.notes.append(
            f"The first calls softmax {len(calls_a)} times, and the second {len(calls_b)} times."
        )
    wrong = differing_weights(model_a, model_b)
    if wrong:
        found.notes.append(f"Their weights differ, too: {', '.join(wrong[:4])}")
    told: set[str] = set()
    for one, other in zip(calls_a, calls_b, strict=False):
        kind, words = _difference(one, other)
        if not kind or other["place"] in told:
            continue
        told.add(other["place"])
        if not found.layer:
            found.layer, found.kind, found.words = other["place"], kind, words
            names = one["place"], other["place"]
            found.share = _share(model_a, model_b, names, batches, call, out_a, found.output)
        elif kind not in ("q and k",) and len(found.others) < 20:
            found.others += [f"{other['place']}. {words}"]
    return found


def with_weights_of(model: nn.Module, other: nn.Module) -> None:
    """Copy weights to another model, by their names.

    Raises:
        CheckError: names or shapes differ.
    """
    try:
        other.load_state_dict(model.state_dict())
    except RuntimeError as error:
        words = " ".join(str(error).split())[:300]
        raise CheckError(f"the two models do not have the same weights: {words}") from None


def differing_weights(one: nn.Module, other: nn.Module) -> list[str]:
    """Name the parameters that both have and that differ."""
    theirs = dict(other.named_parameters())
    return [
        name
        for name, weight in one.named_parameters()
        if name in theirs
        and (theirs[name].shape != weight.shape or not torch.equal(theirs[name], weight))
    ]


def _measured(
    model: nn.Module, batches: list[Any], call: Callable[..., Any], rows: int
) -> tuple[list[Any], list[Tensor]]:
    """Run a model; give what was measured of each softmax, and the outputs."""
    outputs: list[Tensor] = []
    with watched(model, rows) as (_, watcher), torch.no_grad(), restored(model):
        watcher.kept = []
        torch.manual_seed(0)
        for batch in batches:
            outputs += _tensors(call(model, batch))
    return watcher.kept or [], outputs


def _tensors(output: Any) -> list[Tensor]:
    """Give the tensors of an output that are numbers, the first of each kind alone."""
    if isinstance(output, Tensor):
        return [output.detach().float()] if output.is_floating_point() else []
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, list | tuple):
        return [t for each in output[:1] for t in _tensors(each)]
    return []


def _distance(one: list[Tensor], other: list[Tensor]) -> float:
    """Give the difference of outputs, relative to the size of the first."""
    if len(one) != len(other) or any(a.shape != b.shape for a, b in zip(one, other, strict=True)):
        return math.inf
    square = sum(float((a - b).square().sum()) for a, b in zip(one, other, strict=True))
    size = sum(float(a.square().sum()) for a in one)
    return math.sqrt(square / size) if size else 0.0


def _difference(one: Any, other: Any) -> tuple[str, str]:
    """Say by what two softmax calls differ: its kind and words, or nothing."""
    a, b = one["measured"], other["measured"]
    if one["axis"] != other["axis"]:
        names = [
            f"over the {each['axis']}" if each["axis"] else "over the keys" for each in (one, other)
        ]
        return "axis", f"Softmax runs {names[0]} in the first, and {names[1]} in the second."
    if a.allowed.shape != b.allowed.shape:
        return "axis", (
            f"The first has batch × heads × rows × keys = {tuple(a.allowed.shape)}, the second "
            f"{tuple(b.allowed.shape)}."
        )
    if not torch.equal(a.allowed, b.allowed):
        counts = [float(m.allowed.sum(-1).float().mean()) for m in (a, b)]
        return "mask", (
            f"Mask: a query sees {counts[0]:.4g} keys on average in the first, and "
            f"{counts[1]:.4g} in the second."
        )
    scales = [each["scale"] for each in (one, other)]
    if all(scale is not None for scale in scales) and scales[0].shape == scales[1].shape:
        ratio = float((scales[1] / scales[0]).mean())
        if abs(ratio - 1) > CLOSE / 10:
            return "factor", (
                f"Factor: q·k is multiplied by {float(scales[0][0]):.4g} in the first, and by "
                f"{float(scales[1][0]):.4g}, {ratio:.3g} times as much, in the second."
            )
    limit = SAME
    weights = float((a.weights - b.weights).abs().max())
    logits = [_centred(m.logits, m.allowed) for m in (a, b)]
    spread = float(logits[0].square().mean().sqrt()) or 1.0
    gap = float((logits[1] - logits[0]).square().mean().sqrt()) / spread
    if gap < limit and weights < HALF:
        return "", ""
    biases = [_centred(m.level, m.allowed) for m in (a, b)]
    bias_gap = float((biases[1] - biases[0]).square().mean().sqrt()) / spread
    if bias_gap > 0.5 * gap:
        size = float(biases[0].square().sum())
        times = float((biases[0] * biases[1]).sum()) / size if size else math.inf
        rest = biases[1] - times * biases[0] if math.isfinite(times) else biases[1]
        straight = float(rest.square().mean().sqrt()) / spread < 0.05 * bias_gap
        how = f"{times:.3g} times as large in the second" if straight else "another one"
        return "bias", f"Bias: what is added to q·k is {how}."
    if one["order"] != other["order"] and None not in (one["order"], other["order"]):
        return "heads", (
            f"Heads: the keys of grouped heads stand in the order {one['order']} in the first, and "
            f"{other['order']} in the second. Look for repeat in place of repeat_interleave."
        )
    return "q and k", f"q or k differ: the logits by {gap:.2g} of their spread, by no factor."


def _centred(values: Tensor, allowed: Tensor) -> Tensor:
    count = allowed.sum(-1, keepdim=True).clamp(min=1)
    values = torch.where(allowed, values, 0)
    return torch.where(allowed, values - values.sum(-1, keepdim=True) / count, 0)


def _share(
    model_a: nn.Module, model_b: nn.Module, names: tuple[str, str], batches: list[Any],
    call: Callable[..., Any], out_a: list[Tensor], before: float,
) -> float:  # fmt: skip
    """Say how much of the output's difference goes if one module's output is put in."""
    modules = [
        dict(model.named_modules()).get(name)
        for model, name in zip((model_a, model_b), names, strict=True)
    ]
    if None in modules or modules[1] is model_b or not before:
        return math.nan
    kept: list[Any] = []
    outputs: list[Tensor] = []
    one, other = modules
    first = one.register_forward_hook(lambda *given: kept.append(given[2]))  # type: ignore[union-attr]
    try:
        with torch.no_grad(), restored(model_a):
            torch.manual_seed(0)
            for batch in batches:
                call(model_a, batch)
    finally:
        first.remove()
    left = iter(kept)
    second = other.register_forward_hook(lambda *_: next(left))  # type: ignore[union-attr]
    try:
        with torch.no_grad(), restored(model_b):
            torch.manual_seed(0)
            for batch in batches:
                outputs += _tensors(call(model_b, batch))
    except (StopIteration, RuntimeError, TypeError, ValueError):
        return math.nan
    finally:
        second.remove()
    return max(0.0, 1 - _distance(out_a, outputs) / before)
