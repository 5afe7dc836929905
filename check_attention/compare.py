"""Two codes for the same weights: the first layer whose logits differ, and by what."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.again import restored
from check_attention.calls import ROWS, call_with, watched
from check_attention.measure import Kept, centred
from check_attention.words import CLOSE, CheckError

SAME = 1e-3  # logits differ by less of their spread through rounding, in single precision
HALF = 3e-2  # and in half precision


@dataclass(repr=False)
class Comparison:
    """What two codes do otherwise with the same weights and batches."""

    output: float  # the difference of the outputs, relative to their size
    calls: int  # of softmax that were compared
    layer: str = ""  # the first whose logits differ
    kind: str = ""  # all that hold of: axis, shape, mask, cap, factor, heads, q and k, bias, output
    words: str = ""
    share: float = math.nan  # of the output's difference that goes when this layer's is mended
    others: list[str] = field(default_factory=list)  # later layers that differ by themselves
    notes: list[str] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)  # parameters of the same name that differ

    @property
    def same(self) -> bool:
        """Whether no logits and no outputs differ by more than rounding."""
        return not (self.layer or self.notes or self.weights) and self.output < HALF

    def __str__(self) -> str:
        """Say it in sentences."""
        lines = []
        if self.weights:
            more = f" and {len(self.weights) - 4} more" * (len(self.weights) > 4)
            lines.append(
                f"The two have other weights: {', '.join(self.weights[:4])}{more}. What differs "
                "below may come from that. Give them the same first: "
                "model_b.load_state_dict(model_a.state_dict())"
            )
        lines.append(f"The outputs differ by {self.output:.2g} of their size.")
        if self.layer:
            what = "output differs" if self.kind == "output" else "logits differ"
            lines.append(f"First layer whose {what}: {self.layer}. {self.words}")
            if not math.isnan(self.share):
                lines.append(
                    f"With that layer's output put in from the other code, {1 - self.share:.0%} "
                    "of the difference is left."
                )
            lines += [f"Differs by itself, too: {each}" for each in self.others]
        elif not self.notes and not self.weights:
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
    upgrade, a checkpoint and what it was converted to. None are copied here, and those that differ
    are told first. Random numbers are the same for both.

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
    if blind := [name for name, c in (("first", calls_a), ("second", calls_b)) if not c]:
        raise CheckError(f"no attention was seen in the {' and the '.join(blind)} of the two")
    found = Comparison(_distance(out_a, out_b), min(len(calls_a), len(calls_b)))
    if len(calls_a) != len(calls_b):
        found.notes.append(
            f"The first calls softmax {len(calls_a)} times, and the second {len(calls_b)} times."
        )
    found.weights = differing_weights(model_a, model_b)
    for names, differences in _layers_that_differ(calls_a, calls_b):
        if found.layer:
            _note_later_layer(found, names[1], differences)
        else:
            found.layer, found.kind = names[1], ", ".join(differences)
            found.words = " ".join(differences.values())
            found.share = _share(model_a, model_b, names, batches, call, out_a, found.output)
    return found


def _layers_that_differ(
    calls_a: list[Kept], calls_b: list[Kept]
) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Give for each layer that differs its names in both models, and in what it first does."""
    told: set[str] = set()
    for one, other in zip(calls_a, calls_b, strict=False):
        differences = differences_of(one, other)
        if differences and other.place not in told:
            told.add(other.place)
            yield (one.place, other.place), differences


def _note_later_layer(found: Comparison, layer: str, differences: dict[str, str]) -> None:
    """Note in what a layer behind the first that differs does so by itself."""
    # What came before has changed q, k and v, so that they say nothing of this layer.
    passed_on = {"q and k", "output"} | ({"shape"} & {*found.kind.split(", ")})
    own = [words for kind, words in differences.items() if kind not in passed_on]
    if own and len(found.others) < 20:
        found.others += [" ".join([f"{layer}.", *own])]


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
) -> tuple[list[Kept], list[Tensor]]:
    """Run a model; give what was measured of each softmax, and the outputs."""
    outputs: list[Tensor] = []
    with watched(model, rows) as (_, watcher), torch.no_grad(), restored(model):
        watcher.kept = []

        def keep_output(module: nn.Module, _: Any, output: Any) -> None:
            place = watcher.names.get(module)
            for each in reversed(watcher.kept or []):
                if each.place != place or each.output:
                    break
                each.output = _tensors(output)[:1]

        hook = nn.modules.module.register_module_forward_hook(keep_output)
        try:
            torch.manual_seed(0)
            for batch in batches:
                outputs += _tensors(call(model, batch))
        finally:
            hook.remove()
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


def differences_of(one: Kept, other: Kept) -> dict[str, str]:
    """Say in what two softmax calls differ: kinds and words, in the order in which they count."""
    a, b = one.measured, other.measured
    found: dict[str, str] = {}
    _note_axis(one, other, found)
    if a.allowed.shape != b.allowed.shape:  # entry by entry nothing can be compared
        found["shape"] = (
            f"The first has batch × heads × rows × keys = {tuple(a.allowed.shape)}, the second "
            f"{tuple(b.allowed.shape)}."
        )
        _factor(a.scale, b.scale, found)
        _layout(one, other, found)
        return found
    _note_mask_and_cap(one, other, found)
    ratio = _factor(a.scale, b.scale, found)
    limit = HALF if one.is_half or other.is_half else SAME
    _note_logits(one, other, ratio, limit, found)
    if not found:
        _output(one, other, limit, found)
    return found


def _note_axis(one: Kept, other: Kept, found: dict[str, str]) -> None:
    """Note that softmax runs over another axis."""
    if one.of_layer.axis_verdict != other.of_layer.axis_verdict:
        names = [f"over the {each.of_layer.axis_verdict or 'keys'}" for each in (one, other)]
        found["axis"] = f"Softmax runs {names[0]} in the first, and {names[1]} in the second."


def _note_mask_and_cap(one: Kept, other: Kept, found: dict[str, str]) -> None:
    """Note that other keys take part, and that one of the two alone caps its logits."""
    allowed = [each.measured.allowed for each in (one, other)]
    if not torch.equal(*allowed):
        counts = [float(each.sum(-1).float().mean()) for each in allowed]
        found["mask"] = (
            f"Mask: a query sees {counts[0]:.4g} keys on average in the first, and "
            f"{counts[1]:.4g} in the second."
        )
    caps = [each.of_layer.is_capped for each in (one, other)]
    if caps[0] != caps[1]:
        found["cap"] = f"Cap: only the {'first' if caps[0] else 'second'} caps its logits."


def _note_logits(
    one: Kept, other: Kept, ratio: Tensor, limit: float, found: dict[str, str]
) -> None:
    """Note by what logits differ, over the keys that take part in both, but for a factor.

    Where they are no sum of q·k and a bias, q and k are blamed only if nothing else was found.
    """
    a, b = one.measured, other.measured
    both = a.allowed & b.allowed
    if a.is_sum and b.is_sum:
        parts = [centred(m.logits - m.level, both) for m in (a, b)]
        parts[1] = parts[1] / ratio
        _product(one, other, parts, limit, found)
        biases = [centred(m.level, both) for m in (a, b)]
        _bias(biases, _size(parts[0]), limit, found)
    elif not found:
        gap = _gap([centred(m.logits, both) for m in (a, b)])
        if gap > limit:
            found["q and k"] = _words_of_product(gap)


def _factor(one: Tensor | None, other: Tensor | None, found: dict[str, str]) -> Tensor:
    """Give how many times a factor is as large in the second, for each head, and note it."""
    if one is None or other is None or bool((one == 0).any()):
        return torch.ones(1, 1, 1)
    if one.shape != other.shape:  # another number of heads
        one, other = one[:1], other[:1]
    ratio = other / one
    at = int((ratio - 1).abs().argmax())
    if abs(float(ratio[at]) - 1) < CLOSE / 10:
        return torch.ones(1, 1, 1)
    where = "" if bool(((ratio / ratio[at] - 1).abs() < CLOSE / 10).all()) else f" of head {at}"
    found["factor"] = (
        f"Factor: q·k{where} is multiplied by {float(one[at]):.4g} in the first, and by "
        f"{float(other[at]):.4g}, {float(ratio[at]):.3g} times as much, in the second."
    )
    return ratio.float().where(ratio != 0, torch.ones_like(ratio).float())[:, None, None]


def _layout(one: Kept, other: Kept, found: dict[str, str]) -> bool:
    """Note that heads are wrong in one of the two, by their axes; say whether they are."""
    faults = [each.of_layer.layout_fault for each in (one, other)]
    if faults[0] == faults[1]:
        return False
    at = 0 if faults[0] else 1
    detail = (one, other)[at].of_layer.layout_detail
    found["heads"] = f"Heads, in the {('first', 'second')[at]}: {detail}."
    return True


def _product(
    one: Kept, other: Kept, parts: list[Tensor], limit: float, found: dict[str, str]
) -> None:  # fmt: skip
    """Note by what q·k differs, but for a factor: the order of heads, or q and k themselves."""
    gap = _gap(parts)
    if _layout(one, other, found) or gap < limit:
        return
    orders = one.order, other.order
    if orders[0] != orders[1] and None not in orders:
        found["heads"] = (
            f"Heads: the keys of grouped heads stand in the order {orders[0]} in the first, and "
            f"{orders[1]} in the second. Look for repeat in place of repeat_interleave."
        )
    elif order := _order_of_heads(parts, limit):
        found["heads"] = (
            f"Heads: those of the first stand in the order {order} in the second. Look at how the "
            "width is taken apart, or how weights were converted."
        )
    else:
        found["q and k"] = _words_of_product(gap)


def _words_of_product(gap: float) -> str:
    return f"q or k differ: the logits by {gap:.2g} of their spread, by no factor."


def _order_of_heads(parts: list[Tensor], limit: float) -> list[int]:
    """Say as which heads of the second those of the first stand there; nothing, if they do not."""
    one, other = parts
    order = []
    for head in range(one.shape[1]):
        gaps = [_gap([one[:, head], other[:, at]]) for at in range(other.shape[1])]
        order.append(min(range(len(gaps)), key=gaps.__getitem__))
        if gaps[order[-1]] > limit:
            return []
    return order if sorted(order) == [*range(one.shape[1])] else []


def _bias(biases: list[Tensor], spread: float, limit: float, found: dict[str, str]) -> None:
    """Note by what that differs which is added to q·k."""
    gap = _size(biases[1] - biases[0]) / (spread or 1.0)
    if gap < limit:
        return
    size = float(biases[0].square().sum())
    times = float((biases[0] * biases[1]).sum()) / size if size else math.inf
    rest = biases[1] - times * biases[0] if math.isfinite(times) else biases[1]
    is_multiple = _size(rest) / (spread or 1.0) < 0.05 * gap
    how = f"{times:.3g} times as large in the second" if is_multiple else "another one"
    found["bias"] = f"Bias: what is added to q·k is {how}."


def _output(one: Kept, other: Kept, limit: float, found: dict[str, str]) -> None:
    """Note that the same weights give another output: v, or how its heads are merged."""
    results = [each.output for each in (one, other)]
    if one.place != other.place or not all(results):
        return
    gap = _distance(*results)
    if limit < gap < math.inf:
        found["output"] = (
            f"Its weights are the same, and what comes out differs by {gap:.2g} of its size. Look "
            "at v, at the order of its heads, and at how they are merged."
        )


def _size(values: Tensor) -> float:
    """Give the root mean square."""
    return float(values.square().mean().sqrt())


def _gap(pair: list[Tensor]) -> float:
    """Give the difference of two, relative to the first."""
    return _size(pair[1] - pair[0]) / (_size(pair[0]) or 1.0)


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
