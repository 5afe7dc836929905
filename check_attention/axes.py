"""What the axes of tensors stand for, followed through views; products of tensors in letters."""

import math
import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor


@dataclass(eq=False, frozen=True, slots=True)
class Axis:
    """One axis of a tensor, or a part of one that a view has split. It is no other, even if equal.

    What is cut from an axis, or longer by what was joined to it, keeps its root.
    """

    size: int
    is_feature: bool = False  # made by a layer's weights, and not by tokens or sequences
    width: int = 0  # of what the layer's weights multiplied
    is_by_head: bool = False  # each head has weights of its own, and width is that of a head
    whole: "Axis | None" = None  # what it is a part of, or was
    before: int = 0  # entries that were joined in front of it, and are none of its own
    after: int = 0
    is_cut: bool = False  # a piece of a longer one, as split and slices give it
    is_mixture: bool = False  # a view has put some of the tokens and some of the features there
    is_exchanged: bool = False  # a view has taken it for the one beside, as no transpose would

    @property
    def root(self) -> "Axis":
        """The axis that this began as."""
        return self.whole or self

    def anew(self) -> "Axis":
        """Give another axis that was made in the same way."""
        return Axis(self.size, self.is_feature, self.width, self.is_by_head)

    def resized(self, size: int, before: int = 0, after: int = 0) -> "Axis":
        """Give a part of this axis, or a longer one."""
        return replace(self, size=size, whole=self.root, before=before, after=after)


# For each dimension of a tensor the axes that are merged there; none where the size is 1.
Axes = tuple[tuple[Axis, ...], ...]


def fresh(shape: Sequence[int]) -> Axes:
    """Give axes of which nothing is known."""
    return tuple((Axis(size),) if size != 1 else () for size in shape)


def roots(axes: Axes, dims: Sequence[int] | None = None) -> set[Axis]:
    """Give what some dimensions, or all, began as."""
    chosen = axes if dims is None else [axes[dim] for dim in dims]
    return {axis.root for dim in chosen for axis in dim}


def regrouped(axes: Axes, shape: Sequence[int]) -> Axes | None:
    """Give the axes after a view to another shape, or None if they cannot be told apart."""
    left = [axis for dim in axes for axis in dim]
    made = []
    for size in shape:
        dim = []
        while size > 1:
            if not left:
                return None
            axis = left[0]
            if size % axis.size == 0:
                dim.append(left.pop(0))
                size //= axis.size
            elif axis.size % size == 0:
                # A piece of the tokens that is cut by a view is no longer what a slice gave.
                axis = replace(axis, is_cut=axis.is_cut and axis.is_feature)
                dim.append(axis.resized(size))
                left[0] = axis.resized(axis.size // size)
                size = 1
            else:
                return None
        made.append(tuple(dim))
    return None if left else tuple(made)


def exchanged(axes: Axes, shape: Sequence[int]) -> Axes | None:
    """Give the axes after a view of batch × tokens × … as tokens × batch × …, or None.

    A transpose was meant: so every row of the result has tokens of several sequences.
    """
    sizes = [math.prod(axis.size for axis in dim) for dim in axes]
    if len(sizes) < 3 or sizes[0] == sizes[1] or min(sizes[:2]) < 2:
        return None
    is_it = [*shape] == [sizes[1], sizes[0], *sizes[2:]]
    if not is_it or any(axis.is_feature for dim in axes[:2] for axis in dim):
        return None
    return (*((Axis(size, is_exchanged=True),) for size in shape[:2]), *axes[2:])


def mixed_up(axes: Axes, shape: Sequence[int]) -> Axes | None:
    """Give the axes after a view that cuts tokens where no axis can be split, or None.

    13 tokens of 5 heads become 13 rows of the whole width: no row has whole tokens. Of such axes
    nothing is known but where tokens and features are mixed.
    """
    old = [axis for dim in axes for axis in dim]
    before = _extents([axis.size for axis in old])
    after = _extents(list(shape))
    touched = [
        {at for at, (low, high) in enumerate(before) if low < end and start < high}
        for start, end in after
    ]
    times = Counter(at for each in touched for at in each)
    made = []
    for size, each in zip(shape, touched, strict=True):
        of_features = [at for at in each if old[at].is_feature]
        of_tokens = [at for at in each if not old[at].is_feature]
        is_cut = any(times[at] > 1 for at in of_tokens) or any(
            times[at] > 1 and at < min(of_tokens, default=0) < max(of_features)
            for at in of_features
        )
        is_mixture = bool(of_features and of_tokens) and is_cut
        made.append((Axis(size, is_mixture=is_mixture),) if size > 1 else ())
    return tuple(made) if any(axis.is_mixture for dim in made for axis in dim) else None


def _extents(sizes: list[int]) -> list[tuple[int, int]]:
    """Give for each dimension how far apart its entries lie in memory, and where they end."""
    found, stride = [], 1
    for size in reversed(sizes):
        found.append((stride, stride * size))
        stride *= size
    return found[::-1]


STRIDES = (1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117, 1000121)  # primes


def viewed(function: Callable[..., Any], args: Any, kwargs: Any, axes: Axes) -> list[Axes] | None:
    """Give the axes of what a view of a tensor gives, by trying it on strides that tell them apart.

    Nothing is allocated for it. None, if it cannot be tried.
    """
    shape = args[0].shape
    if len(shape) > len(STRIDES):
        return None
    probe = torch.empty_strided(shape, STRIDES[: len(shape)], device="meta")
    try:
        found = function(probe, *args[1:], **kwargs)
    except Exception:
        return None
    made = []
    for view in [found] if isinstance(found, Tensor) else found:
        dims: list[tuple[Axis, ...]] = []
        for size, stride in zip(view.shape, view.stride(), strict=True):
            at = next((i for i, s in enumerate(STRIDES[: len(shape)]) if stride % s == 0), None)
            if size == 1 or at is None or stride == 0:
                dims.append(() if size == 1 else (Axis(size),))
            elif size == shape[at]:
                dims.append(axes[at])
            else:
                dims.append(_cut(axes[at], size))
        made.append(tuple(dims))
    return made


def _cut(dim: tuple[Axis, ...], size: int) -> tuple[Axis, ...]:
    """Give the axes of a part of a dimension, or of a longer one."""
    if size == 1:
        return ()
    if not dim:
        return (Axis(size),)
    features = all(axis.is_feature for axis in dim)
    axis = replace(dim[0].resized(size), is_feature=features, is_cut=True)
    return (axis,)


def fitted(axes: Axes | None, shape: Sequence[int]) -> Axes | None:
    """Give axes if their sizes are those of a shape."""
    if axes is None or len(axes) != len(shape):
        return None
    sizes = [math.prod(axis.size for axis in dim) for dim in axes]
    if sizes != list(shape):
        return None
    return tuple(tuple(axis for axis in dim if axis.size != 1) for dim in axes)


def resized_axes(axes: Axes, shape: Sequence[int]) -> Axes | None:
    """Give the axes of a result of as many dimensions, some of which are shorter or longer."""
    if len(axes) != len(shape):
        return None
    return tuple(
        dim if math.prod(axis.size for axis in dim) == size else _cut(dim, size)
        for dim, size in zip(axes, shape, strict=True)
    )


def broadcast(given: Sequence[tuple[Sequence[int], Axes]], shape: Sequence[int]) -> Axes:
    """Give the axes of what is made of several tensors entry by entry: features are preferred."""
    made: list[tuple[Axis, ...]] = []
    for back, size in enumerate(reversed(shape), 1):
        dims = [axes[-back] for had, axes in given if len(had) >= back and had[-back] == size > 1]
        known = [dim for dim in dims if dim]
        made.append(max(known, key=lambda dim: any(a.is_feature for a in dim), default=()))
        if size != 1 and not made[-1]:
            made[-1] = (Axis(size),)
    return tuple(reversed(made))


# Products in letters ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Contraction:
    """A product of tensors, a letter for each dimension: what is in no result is summed over."""

    tensors: tuple[Tensor, ...]
    letters: tuple[str, ...]
    result: str
    factor: float = 1.0

    def size(self, letter: str) -> int:
        """Give the length of a dimension."""
        return max(
            tensor.shape[letters.index(letter)]
            for tensor, letters in zip(self.tensors, self.letters, strict=True)
            if letter in letters
        )

    def summed(self, one: int, other: int) -> str:
        """Give the letters that are summed over between two of the tensors."""
        return "".join(
            letter
            for letter in self.letters[one]
            if letter in self.letters[other] and letter not in self.result
        )

    def has(self, which: int, letter: str) -> bool:
        """Say whether one of the tensors differs along a dimension."""
        letters = self.letters[which]
        return letter in letters and self.tensors[which].shape[letters.index(letter)] > 1


def contraction(name: str, args: Any, kwargs: Any) -> Contraction | None:
    """Say what a function multiplies; None, if it is no product of two tensors or more."""
    if name == "einsum":
        return _einsum(args)
    if name == "tensordot":
        return _tensordot(*args, **kwargs)
    given = flat([*args, *kwargs.values()])  # multi_dot has a list
    tensors = [each for each in given if isinstance(each, Tensor)]
    factor = 1.0
    if name in ("baddbmm", "addmm", "addbmm", "baddbmm_", "addmm_"):
        tensors = tensors[1:3]
        factor = float(kwargs.get("alpha", 1.0))
    if len(tensors) < 2:
        return None
    one, other = tensors[:2]
    if name == "__rmatmul__":
        one, other = other, one
    if name == "linear":
        other_letters = "zy" if other.ndim == 2 else "y"
        lead = string.ascii_lowercase[: one.ndim - 1]
        result = lead + ("z" if other.ndim == 2 else "")
        return Contraction((one, other), (lead + "y", other_letters), result, factor)
    if name in ("inner", "linalg_vecdot", "vecdot"):
        return _rowwise(name, one, other, kwargs.get("dim", -1))
    if name == "linalg_multi_dot" and len(tensors) > 2:
        return None
    many = max(one.ndim, other.ndim, 2) - 2
    lead = string.ascii_lowercase[:many]
    left = lead[many - max(one.ndim - 2, 0) :] + ("xy" if one.ndim > 1 else "y")
    right = lead[many - max(other.ndim - 2, 0) :] + ("yz" if other.ndim > 1 else "y")
    result = lead + "x" * (one.ndim > 1) + "z" * (other.ndim > 1)
    if name == "addbmm":
        result = result[1:]
    return Contraction((one, other), (left, right), result, factor)


def _rowwise(name: str, one: Tensor, other: Tensor, dim: int) -> Contraction | None:
    """Read a sum over the last axis of both: of all pairs of rows, or of those that match."""
    letters = string.ascii_letters
    if name == "inner":
        if one.ndim < 1 or other.ndim < 1:
            return None
        left, right = letters[1 : one.ndim], letters[one.ndim : one.ndim + other.ndim - 1]
        return Contraction((one, other), (left + "a", right + "a"), left + right)
    many = max(one.ndim, other.ndim)
    sides = [letters[many - t.ndim : many] for t in (one, other)]
    gone = letters[dim % many]
    return Contraction((one, other), (sides[0], sides[1]), letters[:many].replace(gone, ""))


def _einsum(args: Any) -> Contraction | None:
    """Read an equation with or without an arrow, with dots, or lists of numbers."""
    if not args:
        return None
    if isinstance(args[0], str):
        flat = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
        tensors, equation = tuple(flat), args[0].replace(" ", "")
    else:
        tensors = tuple(args[0 : len(args) // 2 * 2 : 2])
        sides = [_subscripts(numbers) for numbers in args[1::2]]
        equation = ",".join(sides) + ("->" + _subscripts(args[-1]) if len(args) % 2 else "")
    inputs, arrow, result = equation.partition("->")
    letters = inputs.split(",")
    if len(letters) != len(tensors) or not all(isinstance(t, Tensor) for t in tensors):
        return None
    spare = [letter for letter in string.ascii_letters if letter not in equation]
    extra = [
        max(0, tensor.ndim - len(side.replace("...", ""))) if "..." in side else 0
        for tensor, side in zip(tensors, letters, strict=True)
    ]
    dots = spare[: max(extra)]
    letters = [
        side.replace("...", "".join(dots[len(dots) - more :]))
        for side, more in zip(letters, extra, strict=True)
    ]
    if arrow:
        result = result.replace("...", "".join(dots))
    else:
        every = "".join(letters)
        result = "".join(dots) + "".join(
            sorted(each for each in {*every} if every.count(each) == 1 and each not in dots)
        )
    if any(len({*side}) != len(side) for side in letters):
        return None  # a diagonal
    return Contraction(tensors, tuple(letters), result)


def _subscripts(numbers: Any) -> str:
    return "".join("..." if n is Ellipsis else string.ascii_letters[n] for n in numbers)


def _tensordot(a: Tensor, b: Tensor, dims: Any = 2, **_: Any) -> Contraction:
    if isinstance(dims, int):
        dims = [*range(a.ndim - dims, a.ndim)], [*range(dims)]
    of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in dims)
    letters = string.ascii_letters
    left = letters[: a.ndim]
    right = list(letters[a.ndim : a.ndim + b.ndim])
    for one, other in zip(of_a, of_b, strict=True):
        right[other % b.ndim] = left[one % a.ndim]
    both = "".join(right)
    result = "".join(letter for letter in left + both if (letter in left) != (letter in both))
    return Contraction((a, b), (left, both), result)


def flat(values: Any) -> Iterator[Any]:
    """Give what is in lists, tuples and mappings within each other."""
    for value in values:
        if isinstance(value, Mapping):
            yield from flat(value.values())
        elif isinstance(value, list | tuple):
            yield from flat(value)
        else:
            yield value
