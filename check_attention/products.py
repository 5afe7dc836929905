"""Products in letters: what stands in them for q and k, and which axes they bring."""

from typing import Any

import torch
from torch import Tensor

from check_attention.axes import Axes, Axis, Contraction
from check_attention.traces import Trace


def keeps_all(c: Contraction, at: int) -> bool:
    """Say whether a product with a parameter leaves weights as many as they were."""
    return torch.Size([c.size(x) for x in c.result]).numel() == c.tensors[at].numel()


def in_place_axes(c: Contraction, at: int, traces: list[Trace]) -> Axes | None:
    """Give the axes of scores whose heads a product has mixed."""
    axes = traces[at].axes
    if axes is None:
        return None
    by_letter = dict(zip(c.letters[at], axes, strict=True))
    gone = [x for x in c.letters[at] if x not in c.result]
    new = [x for x in c.result if x not in by_letter]
    if len(gone) != len(new):
        return None
    by_letter |= {x: by_letter[y] for x, y in zip(new, gone, strict=True)}
    return tuple(by_letter[x] for x in c.result)


def queries_and_keys(c: Contraction, traces: list[Trace]) -> tuple[int, int] | None:
    """Say which two tensors may be q and k: those that a sum joins."""
    floats = [at for at, t in enumerate(c.tensors) if t.is_floating_point()]
    chosen = [at for at in floats if not traces[at].is_owned]
    if len(chosen) < 2:
        chosen = floats
    pairs = [
        (one, other)
        for i, one in enumerate(chosen)
        for other in chosen[i + 1 :]
        if c.summed(one, other)
    ]
    if not pairs or all(traces[at].is_owned for at in pairs[0]):
        return None
    one, other = pairs[0]
    rest = [t for at, t in enumerate(c.tensors) if at not in (one, other)]
    if any(t.numel() > 1 for t in rest):
        return None
    if c.result and not any(c.has(other, x) or c.has(one, x) for x in c.result):
        return None
    return one, other


def axes_of_letters(c: Contraction, traces: list[Trace]) -> dict[str, tuple[Axis, ...]]:
    """Give the axes of every letter; what weights alone bring are features."""
    found: dict[str, tuple[Axis, ...]] = {}
    width = 1
    for at, trace in enumerate(traces):
        if trace.is_owned:
            for other in range(len(traces)):
                for x in c.summed(at, other) if other != at else "":
                    width *= c.size(x)
    has_weights = any(t.is_owned for t in traces) and not all(t.is_owned for t in traces)
    by_head = [
        any(c.has(at, x) and any(c.has(other, x) for other in range(len(traces)) if other != at)
            for x in c.result)
        for at in range(len(traces))
    ]  # fmt: skip
    for at, (t, trace) in enumerate(zip(c.tensors, traces, strict=True)):
        axes = trace.axes or (None,) * t.ndim
        for x, size, dim in zip(c.letters[at], t.shape, axes, strict=True):
            if size == 1:
                found.setdefault(x, ())
                continue
            is_feature = trace.is_owned and has_weights
            made = Axis(size, is_feature, width * is_feature, is_feature and by_head[at])
            new = dim if dim is not None else (made,)
            new = new or (Axis(size),)
            had = found.get(x)
            if not had or (
                any(a.is_feature for a in new)
                and not any(a.is_feature for a in had)
                and not (trace.is_owned and x in "".join(c.letters[:at]))
            ):
                found[x] = new
    return found


def other_axis_of_v(c: Contraction, at: int, traces: list[Trace], summed: list[str]) -> str:
    """Say whether weights of channels meet tokens of v, or the other way round."""
    own = traces[at].axes or ()
    parts = [w.call.scores.part for w in traces[at].weights if w.call.scores]
    for x in summed:
        mine = own[c.letters[at].index(x)]
        is_known = any(a.is_feature for p in parts for a in (*p.summed, *mine))
        for other, trace in enumerate(traces):
            if not is_known or other == at or x not in c.letters[other] or not trace.axes:
                continue
            theirs = trace.axes[c.letters[other].index(x)]
            if not any(a.is_feature for dim in trace.axes for a in dim):
                continue
            kinds = [{a.is_feature for a in dim} for dim in (mine, theirs)]
            if kinds in ([{True}, {False}], [{False}, {True}]):
                names = ["channels" if True in kind else "tokens" for kind in kinds]
                return (
                    f"softmax shares {names[0]} out, and the product with v sums over "
                    f"{names[1]}; there are {c.size(x)} of both here. Look for a transpose "
                    "too many"
                )
    return ""


def with_features(axes: Axes, shape: Any, dim: int, width: int = 0) -> Axes:
    """Give axes of which one is made by a layer's weights."""
    size = shape[dim]
    made = (Axis(size, True, width),) if size > 1 else ()
    return (*axes[:dim], made, *axes[dim + 1 :])


def alike_or_dropped(axes: Axes, dims: list[int], result: Tensor) -> Axes | None:
    """Give the axes after a sum over some dimensions."""
    if result.ndim == len(axes):
        return tuple(() if at in dims else dim for at, dim in enumerate(axes))
    left = tuple(dim for at, dim in enumerate(axes) if at not in dims)
    return left if len(left) == result.ndim else None


def in_letters(
    letters: str, axes_of: dict[str, tuple[Axis, ...]], shape: Any, kept: list[int]
) -> Axes:
    """Give the axes of a product; dimensions that were summed over and kept have the size 1."""
    left = iter(letters)
    return tuple(
        () if at in kept else (axes_of[next(left)] if size > 1 else (next(left), ())[1])
        for at, size in enumerate(shape)
    )
