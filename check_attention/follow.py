"""What a function of PyTorch does to what is known of its tensors: axes, factors and scores."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.axes import (
    Axes,
    Axis,
    broadcast,
    exchanged,
    fresh,
    mixed_up,
    regrouped,
    resized_axes,
    viewed,
)  # fmt: skip
from check_attention.measure import GAP
from check_attention.stated import is_number
from check_attention.traces import (
    NOTHING,
    UNKNOWN,
    Known,
    Scores,
    Trace,
    alike_factors,
    code_line,
    is_zero_one,
    same,
    words_of_added,
)
from check_attention.words import CLOSE, LOW

TIMES = {"mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply", "multiply_"}
OVER = {"div", "div_", "__truediv__", "__itruediv__", "true_divide", "divide", "divide_"}
PLUS = {"add", "add_", "__add__", "__radd__", "__iadd__"}
MINUS = {"sub", "sub_", "__sub__", "__isub__", "subtract"}
TRIANGLES = {"tril", "triu", "tril_", "triu_"}  # zeros in place of what they leave out
MIXES = {"linear", "conv2d"}  # of scores: talking heads
NORMS = {"layer_norm", "rms_norm", "group_norm"}
WIDENS = {"cat", "concat", "concatenate", "pad"}  # scores by a sink
FILLS = {"masked_fill", "masked_fill_", "where"}
VIEWS = {
    "__get__", "permute", "transpose", "transpose_", "movedim", "moveaxis", "swapaxes", "swapdims",
    "t", "unsqueeze", "unsqueeze_", "squeeze", "squeeze_", "expand", "expand_as", "broadcast_to",
    "__getitem__", "narrow", "select", "split", "split_with_sizes", "chunk", "tensor_split",
    "unbind", "adjoint",
}  # fmt: skip
SHAPES = {"view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "ravel"}
REPEATS = {"repeat", "repeat_interleave"}
# What else leaves a factor, or what scores came from, as it is.
KEEPS_FACTOR = {
    "contiguous", "to", "float", "double", "half", "bfloat16", "type", "type_as", "clone",
    "repeat", "repeat_interleave", "stack", "detach", "__rsub__", "view_as_complex",
    "view_as_real", "clamp", "clip", "clamp_", "dropout", "dropout_", "nan_to_num",
    "nan_to_num_", "neg", "tanh", "normalize", "cuda", "cpu", "hardtanh", "alpha_dropout",
    "requires_grad_", "roll", "flip", "tril", "triu", "tril_", "triu_", "reciprocal",
    "__rdiv__", "masked_scatter", "maximum", "minimum",
}  # fmt: skip
KEEPS = {
    *TIMES, *OVER, *PLUS, *MINUS, *MIXES, *NORMS, *WIDENS, *FILLS, *VIEWS, *SHAPES,
    *KEEPS_FACTOR,
}  # fmt: skip


ROUNDING = 1e-4  # by which factors of two tensors may differ, in single precision
LOOKED_AT = 256  # entries of two tensors, to see whether one is the other, times a number


def axes_after(
    name: str, func: Any, result: Any, args: Any, kwargs: Any, given: list[Tensor],
    traces: list[Trace],
) -> list[Axes | None]:  # fmt: skip
    """Give the axes of each tensor of a result."""
    made = [result] if isinstance(result, Tensor) else list(result)
    first = traces[0].axes
    if name in VIEWS and args and args[0] is given[0]:
        if first is None:
            return [None] * len(made)
        found = viewed(func, args, kwargs, first)
        if found is not None and len(found) == len(made):
            return list(found)
        return [resized_axes(first, each.shape) for each in made]
    if not isinstance(result, Tensor):
        return [None] * len(made)
    if name in SHAPES:
        if first is None:
            return [None]
        shape = result.shape
        return [regrouped(first, shape) or exchanged(first, shape) or mixed_up(first, shape)]
    if func is torch.nn.functional.unfold and first is not None:  # patches of an image
        return [(first[0], *fresh(result.shape)[1:])] if given[0].ndim > 3 else [None]
    if name == "pad":
        return [_padded_axes(result, args, kwargs, first)]
    if name in WIDENS:
        return [_joined_axes(result, args, kwargs, traces)]
    if name == "stack":
        if first is None:
            return [None]
        dim = kwargs.get("dim", args[1] if len(args) > 1 else 0) % result.ndim
        return [(*first[:dim], fresh(result.shape[dim : dim + 1])[0], *first[dim:])]
    if name == "view_as_complex" and first is not None:
        return [first[:-1]]
    if name == "view_as_real" and first is not None:
        return [(*first, (Axis(2, True),))]
    return [_axes_by_entry(name, result, given, traces)]


def _axes_by_entry(
    name: str, result: Tensor, given: list[Tensor], traces: list[Trace]
) -> Axes | None:
    """Give the axes of what is made entry by entry; those of scores and weights come first."""
    first = traces[0].axes
    pairs = [(t.shape, trace.axes) for t, trace in zip(given, traces, strict=True) if trace.axes]
    fitting = [(shape, axes) for shape, axes in pairs if len(shape) <= result.ndim]
    scored = [
        (t.shape, trace.axes)
        for t, trace in zip(given, traces, strict=True)
        if (trace.scores or trace.weights) and trace.axes is not None
    ]
    if not fitting:
        return None
    ordered = scored + [pair for pair in fitting if pair not in scored]
    if any(shape == result.shape for shape, _ in fitting) or name in TIMES | OVER | PLUS | MINUS:
        if scored and scored[0][0] == result.shape:
            return scored[0][1]
        return broadcast(ordered, result.shape)
    is_like = name in KEEPS or "pool" in name or name == "interpolate"
    return resized_axes(first, result.shape) if first is not None and is_like else None


def _padded_axes(result: Tensor, args: Any, kwargs: Any, axes: Axes | None) -> Axes | None:
    """Give the axes of what was padded: an axis is longer, and knows by how much."""
    if axes is None or len(axes) != result.ndim:
        return None
    pads = kwargs.get("pad", args[1] if len(args) > 1 else ())
    made = list(axes)
    for back in range(len(pads) // 2):
        before, after = pads[2 * back], pads[2 * back + 1]
        dim = made[-1 - back]
        if len(dim) == 1 and (before or after) and min(before, after) >= 0:
            (axis,) = dim
            size = axis.size + before + after
            made[-1 - back] = (axis.resized(size, axis.before + before, axis.after + after),)
    sizes = [torch.Size([a.size for a in dim]).numel() for dim in made]
    return tuple(made) if sizes == list(result.shape) else resized_axes(axes, result.shape)


def _joined_axes(result: Tensor, args: Any, kwargs: Any, traces: list[Trace]) -> Axes | None:
    """Give the axes of what was joined: one is longer, and knows by how much."""
    pieces = args[0] if args else kwargs.get("tensors", ())
    dim = kwargs.get("dim", args[1] if len(args) > 1 else 0) % result.ndim
    if len(traces) != len(pieces):
        return None
    full = [i for i, each in enumerate(pieces) if each.ndim == result.ndim]  # [] of a new cache
    pieces, traces = [pieces[i] for i in full], [traces[i] for i in full]
    at = next((i for i, t in enumerate(traces) if t.scores or t.weights), None)
    if at is None:  # what is whole comes before a piece, such as one of which a sink has its shape
        dims = {i: t.axes[dim] for i, t in enumerate(traces) if t.axes is not None}
        whole = [i for i, had in dims.items() if had and not any(axis.is_cut for axis in had)]
        at = next(iter(whole or dims), None)
    if at is None:
        return None
    axes = traces[at].axes
    if axes is None or len(axes) != result.ndim:
        return None
    before = sum(each.shape[dim] for each in pieces[:at])
    after = sum(each.shape[dim] for each in pieces[at + 1 :])
    had = axes[dim] or fresh([pieces[at].shape[dim]])[0] or (Axis(1),)
    if heads := _stacked_heads(traces, dim):
        merged = tuple(axis for axis in had if axis.size > 1)
        return (*axes[:dim], (heads, *merged), *axes[dim + 1 :])
    if len(had) > 1 and not any(axis.is_feature for axis in had):  # rows and columns of an image
        had = (Axis(pieces[at].shape[dim]),)
    if len(had) == 1:
        size = result.shape[dim]
        new = had[0].resized(size, had[0].before + before, had[0].after + after)
        return (*axes[:dim], (new,), *axes[dim + 1 :])
    return resized_axes(axes, result.shape)


def _stacked_heads(traces: list[Trace], dim: int) -> Axis | None:
    """Say whether pieces of one axis of features were laid behind each other along another."""
    count = len(traces)
    every = [axis for trace in traces for dim_of in trace.axes or () for axis in dim_of]
    if any(axis.is_cut and not axis.is_feature for axis in every):
        return None  # pieces of the tokens
    for at in range(len(traces[0].axes or ())):
        pieces = [trace.axes[at] if trace.axes else () for trace in traces]
        if at == dim or any(len(piece) != 1 or not piece[0].is_cut for piece in pieces):
            continue
        root, size = pieces[0][0].root, pieces[0][0].size
        are_alike = root.is_feature and all(same(piece[0], pieces[0][0]) for piece in pieces)
        if are_alike and root.size > size and root.size % (size * count) == 0:
            return Axis(count, True, root.width)
    return None


def known_after(name: str, args: Any, given: list[Tensor], traces: list[Trace]) -> Known:
    """Say what a tensor has been multiplied by, as q or k."""
    if name in TIMES | OVER and len(args) == 2:
        by = {id(t): trace for t, trace in zip(given, traces, strict=True)}
        return _known_of_product(name, args[0], args[1], by)
    if name == "normalize":
        return Known(is_unit=True, is_normed=True)
    if name in NORMS:
        return Known(is_normed=True)
    if name in MIXES:
        return NOTHING  # q and k are made anew
    if name == "neg":
        return traces[0].known.signed(-1.0)
    if name.endswith("_as"):  # another tensor tells a shape or a kind alone
        return traces[0].known
    all_known = [t.known for t in traces if t.known is not NOTHING]
    if not all_known:
        return NOTHING
    if name in WIDENS or name in ("stack", "where"):
        pieces = zip(given, traces, strict=True)
        all_known = [trace.known for t, trace in pieces if _is_piece(t, trace)]
        known = all_known[0]
        for other in all_known[1:]:
            known = known.beside(other)
        return known
    known = all_known[0]
    if name in PLUS | MINUS and any(isinstance(a, int | float) and a for a in args):
        return NOTHING  # 1 + β·log(…): no factor of what it multiplies
    for other in all_known[1:]:
        if other is not known and not _equal(other, known):
            return NOTHING
        known = known.beside(other)
    return known


def turned_after(result: Any, traces: list[Trace]) -> Known:
    """Say what a rotation has multiplied a vector by: its length, if it changes all alike.

    Each of two summands is a product with a table: q·cos + turned(q)·sin.
    """
    bases = [trace.known.base for trace in traces]
    if len(bases) != 2 or any(base is None or base[0].shape != result.shape for base in bases):
        return NOTHING
    t, known = bases[0]
    before, after = (each.norm(dim=-1).flatten() for each in _some_rows(t, result))
    rounding = 2 * _last_digit(t, result) + 10 * ROUNDING
    factor = _one_number((after / before)[before > 0], rounding, 2)
    if factor is None:
        return NOTHING
    turned: Known = known if abs(factor - 1) <= rounding else known.times(factor)
    return turned


def measured_after(result: Any, given: list[Tensor], traces: list[Trace]) -> Known:
    """Say what a tensor has been multiplied by, where names do not: as it is entry by entry."""
    for t, trace in zip(given, traces, strict=True):
        if trace.axes is not None and not (trace.is_owned or trace.scores or trace.weights):
            factor = ratio_of(result, t)
            if factor is not None:
                return trace.known if abs(factor - 1) < ROUNDING else trace.known.times(factor)
    return NOTHING


def ratio_of(result: Any, t: Tensor) -> float | None:
    """Give the factor by which one tensor is the other, on some of its entries; or None."""
    if not isinstance(result, Tensor) or result is t or result.shape != t.shape or t.ndim < 2:
        return None
    if not (result.is_floating_point() and t.is_floating_point()) or t.numel() < 8:
        return None
    x, y = _some_rows(t, result)
    rounding = 4 * _last_digit(t, result) + ROUNDING
    factor = _ratio(x, y, rounding)
    if factor is None and x.shape[-2] > 1:  # the same vector may be added to all rows
        x, y = (each[..., 1:, :] - each[..., :1, :] for each in (x, y))
        factor = _ratio(x, y, 10 * rounding)
    return factor


def _ratio(x: Tensor, y: Tensor, rounding: float) -> float | None:
    """Give the number by which all entries differ, or None."""
    x, y = (each.flatten()[:LOOKED_AT] for each in (x, y))
    is_large = x.abs() > 1e-2 * x.abs().max()
    return _one_number(y[is_large] / x[is_large], rounding, 4)


def _some_rows(*tensors: Tensor) -> Iterator[Tensor]:
    """Give some rows of tensors of one shape, the same ones of all."""
    some = tuple(slice(None, None, max(1, size // 4)) for size in tensors[0].shape[:-1])
    return (t.detach()[some].float() for t in tensors)


def _last_digit(*tensors: Tensor) -> float:
    """Give what the coarsest of some tensors rounds by."""
    return max(torch.finfo(t.dtype).eps for t in tensors)


def _one_number(ratios: Tensor, rounding: float, least: int) -> float | None:
    """Give the number that at least so many ratios all are, but for rounding; or None."""
    if ratios.numel() < least:
        return None
    number = float(ratios.median())
    is_same = number != 0 and bool(((ratios / number - 1).abs() <= rounding).all())
    return number if is_same else None


def _is_piece(t: Tensor, trace: Trace) -> bool:
    """Say whether a tensor that is joined to others may be a part of q or k: no padding."""
    if trace.known is not NOTHING:
        return True
    if trace.is_owned or not t.is_floating_point():
        return False
    return trace is not UNKNOWN or bool((t != 0).any())


def _equal(one: Known, other: Known) -> bool:
    return one.is_unit == other.is_unit and alike_factors(one.factor, other.factor)


def _known_of_product(name: str, one: Any, other: Any, traces: dict[int, Trace]) -> Known:
    """Say what a product or quotient of two has been multiplied by.

    A gain that differs along the vector belongs to it, and so does all that came before: only
    what follows a norm is a scale. One that is the same everywhere is a number.
    """

    def known_of(t: Any) -> Known:
        return traces[id(t)].known if id(t) in traces else NOTHING

    if not isinstance(one, Tensor) or is_number(one):
        one, other = other, one
        if name in OVER or not isinstance(one, Tensor) or is_number(one):
            return NOTHING  # a number over a tensor, or of numbers alone
    if is_number(other):
        number = float(other)
        if name in OVER:
            number = 1 / number if number else 1.0
        return known_of(one).times(number)
    if isinstance(other, Tensor) and other.is_complex() and name in TIMES:
        sizes = other.detach().abs()  # a rotation, if they are 1
        if bool(((sizes / sizes.flatten()[0] - 1).abs() < ROUNDING).all()):
            return known_of(one).times(round(float(sizes.flatten()[0]), 6))
    if not isinstance(other, Tensor) or not other.is_floating_point():
        return known_of(one)
    if name in TIMES and other.numel() > one.numel():
        one, other = other, one
    known, also = known_of(one), known_of(other)
    if other.numel() > 1 and other.shape == (*one.shape[:-1], 1):
        return Known(is_unit=name in OVER, is_normed=True)
    is_row = 1 < other.numel() == other.shape[-1]
    if is_row or isinstance(other, nn.Parameter):
        gain = other.detach().float()
        return _after_gain(known, also, 1 / gain if name in OVER else gain)
    if other.shape[-1] == 1 < one.shape[-1] and 1 < other.numel() < one.numel():
        return known.times(_of_rows(other.detach().float(), name in OVER))
    factor = also.factor if isinstance(also.factor, float) else 1.0
    made = known.times(1 / factor if name in OVER else factor)
    return replace(made, base=(one, known)) if name in TIMES and one.shape[-1] > 1 else made


def _after_gain(known: Known, also: Known, gain: Tensor) -> Known:
    """Say what a vector has been multiplied by after a gain, of which `also` is known."""
    first = float(gain.flatten()[0])
    if bool(((gain - first).abs() <= 1e-6 * abs(first)).all()):
        return known.times(first)
    if gain.ndim > 2 and gain.shape[-2:] == (1, 1):
        return known.times(gain.flatten())  # one for each head
    if also.places:  # numbers made it: a scale that is learned for each coordinate
        return known.times(float(gain.square().mean().sqrt()))
    return Known(is_unit=known.is_unit, is_normed=known.is_normed)


def _of_rows(gain: Tensor, is_over: bool) -> float:
    """Give a factor that each row has for itself: 1, if it begins there, as with log n."""
    gain = (1 / gain if is_over else gain)[gain != 0]
    if gain.numel() and float(gain[0]) > float(gain[-1]) * (1 + CLOSE):
        return float(gain.mean())  # later rows have more keys, and never need less
    is_among = gain.numel() and float(gain.min()) <= 1 + CLOSE and float(gain.max()) >= 1 - CLOSE
    return 1.0 if is_among or not gain.numel() else float(gain.mean())


def gain_of(other: Any, is_over: bool) -> float | None:
    """Give a factor, if it is one number."""
    if not is_number(other):
        return None
    number = float(other)
    return (1 / number if number else None) if is_over else number


# Scores ------------------------------------------------------------------------------------------


def kept_scores(
    name: str, args: Any, kwargs: Any, given: list[Tensor], traces: list[Trace]
) -> Scores | None:
    """Say what is known of what is made from scores: which keys are left out, and what is added.

    By what they are multiplied is measured.
    """
    at = [i for i, trace in enumerate(traces) if trace.scores]
    if not at:
        return None
    tensor, trace = given[at[0]], traces[at[0]]
    scores: Scores = trace.scores  # type: ignore[assignment]
    if len(at) > 1:
        others = [t.scores for t in (traces[i] for i in at[1:]) if t.scores]
        if name in ("cat", "concat", "concatenate"):
            return replace(scores, joined=(*scores.joined, *others))
        # Logits of the layer before may be added, too.
        return next((s for s in (scores, *others) if not _is_done(s)), scores)
    if name in PLUS | MINUS:
        is_less = name in MINUS and args[0] is tensor
        return _added(scores, args, tensor, trace, -1 if is_less else 1)
    if name in TIMES and len(args) == 2:
        other = args[args[0] is tensor]
        if isinstance(other, Tensor) and trace.axes is not None and is_zero_one(other):
            return leave_out(scores, other == 0, tensor, trace, 0.0, "a factor of 0")
    if name in TRIANGLES and trace.axes is not None:
        return leave_out(scores, ~triangle(name, args, kwargs), tensor, trace, 0.0)
    if name in FILLS:
        return _filled(scores, name, args, kwargs, tensor, trace)
    return scores


def triangle(name: str, args: Any, kwargs: Any) -> Tensor:
    """Say what of rows × columns tril or triu keeps."""
    kept = torch.ones(args[0].shape[-2:], dtype=torch.bool, device=args[0].device)
    diagonal = args[1] if len(args) > 1 else kwargs.get("diagonal", 0)
    return kept.tril(diagonal) if name.startswith("tril") else kept.triu(diagonal)


def _is_done(scores: Scores) -> bool:
    """Say whether softmax was given the product before."""
    start = scores.part.start
    return start is not None and bool(start.is_done)


def leave_out(
    scores: Scores, mask: Tensor, tensor: Tensor, trace: Trace, value: float, words: str = ""
) -> Scores:
    """Note which keys were to be left out, and by what."""
    try:
        mask = mask.expand(tensor.shape)
    except RuntimeError:
        return scores
    left_out = (*scores.left_out, (mask, trace.axes or (), value))
    if value <= LOW and not words:
        lines = {"mask": code_line()} | scores.lines
        return replace(scores, left_out=left_out, lines=lines)
    lines = scores.lines | {"mask": code_line()}
    return replace(scores, left_out=left_out, filled=words or f"{value:.3g}", lines=lines)


def _added(scores: Scores, args: Any, tensor: Tensor, trace: Trace, sign: int) -> Scores:
    """Note what is added to scores: a bias, or a mask of zeros and ones."""
    other = next((a for a in args if isinstance(a, Tensor) and a is not tensor), None)
    if other is None or other.numel() < 2:
        return scores
    made = replace(scores, lines=scores.lines | {"bias": code_line()})
    if trace.axes is not None:
        made = leave_out(
            made, other.detach() if sign > 0 else -other.detach().float(), tensor, trace, -math.inf
        )
    if words := words_of_added(other if sign > 0 else -other.float()):
        return replace(made, added=words)
    again = any(each.shape == other.shape and torch.equal(each, other) for each in scores.biases)
    biases = (*scores.biases, other.detach())
    again = again and bool(((other != 0) & (other.abs() < GAP)).any())  # a mask may come twice
    return replace(made, biases=biases, repeated=scores.repeated + again)


def _filled(
    scores: Scores, name: str, args: Any, kwargs: Any, tensor: Tensor, trace: Trace
) -> Scores:
    """Note which keys a mask was to leave out, unless what it puts there does so for certain."""
    given = list(args)
    if name == "where":
        condition, one, other = (*given, None, None)[:3]
        if one is None:
            one, other = kwargs.get("input"), kwargs.get("other")
        if condition is tensor or not isinstance(condition, Tensor):
            return scores
        if isinstance(given[0], Tensor) and given[0] is tensor:
            return scores
        mask, value = (~condition, other) if one is tensor else (condition, one)
    else:
        mask = kwargs.get("mask", given[1] if len(given) > 1 else None)
        value = kwargs.get("value", given[2] if len(given) > 2 else None)
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or trace.axes is None:
        return scores
    if isinstance(value, Tensor):
        if value.numel() != 1:
            return scores
        value = float(value)
    if not isinstance(value, int | float):
        return scores
    if mask.shape[-1:] == (1,) != tensor.shape[-1:] and value > LOW:
        return scores  # whole rows, which have no key
    return leave_out(scores, mask, tensor, trace, float(value))
