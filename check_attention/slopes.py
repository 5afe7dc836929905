"""What a logit is multiplied by is measured: what was called between a product and softmax is
computed again in double precision under autograd, and the derivative by the product is the factor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from check_attention.axes import Axes, Axis
from check_attention.traces import Arrangement, Call, Part, same
from check_attention.words import CLOSE

LONGEST = 64  # calls between a product and softmax
AGAIN = 2**16  # logits that are computed again; fewer rows where there would be more
WHOLE = 2**20  # the same where rows cannot be told apart on the way
RAMP = 16.0  # rows whose factors differ by more are no schedule such as log n
CASTS = {"to", "float", "half", "double", "bfloat16", "type", "type_as", "cpu", "cuda"}
# What is the same again, and lets a derivative through though the model does not ask for one.
PASSES = {*CASTS, "detach", "detach_", "contiguous", "clone", "requires_grad_"}


@dataclass(eq=False)
class Step:
    """One call on the way: its arguments, with the step before in place of a tensor.

    It holds what else the call was given, such as a mask, and no logits.
    """

    function: Callable[..., Any] | None  # None for the product
    args: Any
    kwargs: Any
    shape: torch.Size
    depth: int = 0
    versions: list[tuple[Tensor, int]] = field(default_factory=list)
    part: Part | None = None  # of the product: q and k
    axes: Axes = ()  # of the product
    is_done: bool = False  # softmax was given this product
    is_in_place: bool = False


class NoReplayError(Exception):
    """What was called cannot be computed again."""


def version(t: Tensor) -> int:
    """Say how often a tensor was changed in place, as far as that is counted."""
    return -1 if t.is_inference() else t._version


def next_step(
    tape: Any, name: str, function: Any, args: Any, kwargs: Any, result: Tensor
) -> Step | None:
    """Note a call if it was given what comes from a product; None if there is too much of it."""
    before: list[Step] = []
    versions: list[tuple[Tensor, int]] = []
    args = _with_steps(args, tape, before, versions)
    kwargs = {key: _with_steps(each, tape, before, versions) for key, each in kwargs.items()}
    depth = 1 + max((step.depth for step in before), default=0)
    if not before or depth > LONGEST:
        return None
    if name in PASSES or (name == "__get__" and result.shape == args[0].shape):
        function = _same if isinstance(args[0], Step) else function
    is_method = name.endswith("__")
    is_in_place = name == "__setitem__" or (
        name.startswith("__i") if is_method else name[-1:] == "_"
    )
    return Step(function, args, kwargs, result.shape, depth, versions, None, is_in_place)


def _with_steps(
    value: Any, tape: Any, before: list[Step], versions: list[tuple[Tensor, int]]
) -> Any:
    """Give an argument with steps in place of their tensors; add these, and the other tensors.

    A function within another that calls itself would hold all of these until garbage is collected.
    """
    if isinstance(value, Tensor):
        if (step := tape.get(value, None)) is not None:
            before.append(step)
            return step
        versions.append((value, version(value)))
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_with_steps(each, tape, before, versions) for each in value)
    return value


def _same(t: Any, *_: Any, **__: Any) -> Any:
    return t


@dataclass
class Replay:
    """Computes what softmax was given once more, from the products on, or some rows of it."""

    rows: Tensor | None = None
    dim: int = 0  # of the rows, from the right
    size: int = 0  # how many there were
    done: dict[int, Tensor] = field(default_factory=dict)
    starts: list[tuple[Step, Tensor]] = field(default_factory=list)

    def value(self, step: Step) -> Tensor:
        """Compute a step, and all before it.

        Raises:
            NoReplayError: what it was given was changed since, or rows are not what they were.
        """
        if id(step) in self.done:
            return self.done[id(step)]
        if any(version(t) != was for t, was in step.versions):
            raise NoReplayError("what was added was changed since")
        if step.part is not None:
            made = self.started(step)
        else:
            args = [self.given(each) for each in step.args]
            kwargs = {key: self.given(each) for key, each in step.kwargs.items()}
            kwargs = {k: v for k, v in kwargs.items() if k not in ("dtype", "device")}
            if step.is_in_place and isinstance(args[0], Tensor):
                args[0] = args[0].clone()
            made = step.function(*args, **kwargs)  # type: ignore[misc]
            made = args[0] if made is None else made  # t[…] = value
        if not isinstance(made, Tensor) or list(made.shape) != self.cut(step.shape):
            raise NoReplayError("rows do not stay apart")
        self.done[id(step)] = made
        return made

    def started(self, step: Step) -> Tensor:
        """Compute a product again."""
        part: Part = step.part  # type: ignore[assignment]
        c = part.product
        tensors = [part.tensor(0), part.tensor(1)]
        letters = [c.letters[at] for at in part.pair]
        if self.rows is not None:
            if len(c.result) != len(step.shape):
                raise NoReplayError("a dimension of the product was kept")
            row = c.result[self.dim]
            tensors = [
                t.index_select(own.index(row), self.rows) if row in own else t
                for t, own in zip(tensors, letters, strict=True)
            ]
        tensors = [t.double() for t in tensors]
        made = torch.einsum(f"{letters[0]},{letters[1]}->{c.result}", *tensors)
        made = made.reshape(self.cut(step.shape)).requires_grad_()
        self.starts.append((step, made))
        return made

    def given(self, value: Any) -> Any:
        """Give an argument in double precision, and its rows if it has them."""
        if isinstance(value, Step):
            return self.value(value)
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            return type(value)(self.given(each) for each in value)
        if not isinstance(value, Tensor):
            return value
        value = value.detach()
        if self.rows is not None and -self.dim <= value.ndim and value.shape[self.dim] == self.size:
            value = value.index_select(self.dim, self.rows)
        return value.double() if value.is_floating_point() else value

    def cut(self, shape: torch.Size) -> list[int]:
        """Say which shape a result has with the rows that are taken."""
        made = list(shape)
        if self.rows is not None and -self.dim <= len(made) and made[self.dim] == self.size:
            made[self.dim] = len(self.rows)
        return made


@dataclass
class Slopes:
    """By what scores are multiplied, batch × heads × rows × keys; NaN where that is not known."""

    each: Tensor
    of_head: Tensor  # its middle for each head, where scores are small
    is_straight: bool  # the same for all rows and keys of a head
    is_cap: bool  # of one sign, and least where scores are large
    others: list[tuple[Part, float]]  # the sizes of those of other products
    silent: Tensor | None = None  # keys of which the logits are what a mask put there
    rows: Tensor | None = None  # which rows these are, if not all

    @property
    def is_factor(self) -> bool:
        """Whether it is one number for each head, a schedule of the rows, or a cap."""
        return self.is_straight or self.is_cap or self.of_head.ndim > 1


def slopes_of(call: Call, found: Arrangement) -> Slopes | None:
    """Measure what the scores of a call are multiplied by; None if that cannot be done.

    Softmax does not see what is added to a row, so that only derivatives in directions count of
    which the sum over the keys is 0: signs ±1, as many of both.
    """
    step, scores = call.step, call.scores
    if step is None or scores is None or scores.parts[0].start is None:
        return None
    devices = [call.logits.device] if call.logits.device.type == "cuda" else []
    with (
        torch.random.fork_rng(devices=devices),
        torch.inference_mode(False),
        torch.enable_grad(),
    ):
        try:
            return _slopes(call, found, step, scores.parts[0])
        except (NoReplayError, RuntimeError, TypeError, ValueError, IndexError, ArithmeticError):
            return None


def _slopes(call: Call, found: Arrangement, step: Step, part: Part) -> Slopes | None:
    replay, axes, row = _some_rows(call, found, step, part)
    logits = replay.value(step)
    if not _is_the_same(logits, replay.given(call.logits), call.logits.dtype):
        return None
    starts = [made for _, made in replay.starts]
    groups = [found.batch, found.heads, row, found.keys]
    at = next((i for i, (s, _) in enumerate(replay.starts) if s is part.start), None)
    if at is None:
        return None
    dims = [i for i, dim in enumerate(axes) if any(_has(dim, key) for key in found.keys)]
    signs = [_signs(logits, dims, seed) for seed in (0, 1)]
    found_all = [
        torch.autograd.grad(logits, starts, s, retain_graph=True, allow_unused=True) for s in signs
    ]
    own = []
    for s, gradients in zip(signs, found_all, strict=True):
        g = gradients[at]
        if g is None:
            return None
        own.append(_placed(g, found, part, row, replay) / _of_keys(s, axes, groups, found, part))
    one, other = own
    both = one.isfinite() & other.isfinite()
    top = float(torch.where(both, one, 0).abs().max())
    if bool(((one - other).abs() > 1e-6 * top)[both].any()):
        return None  # logits of other heads, rows or keys are mixed in
    each = torch.where(one.isfinite(), one, other)
    values = _of_keys(logits.detach(), axes, groups, found, part)
    raw = _placed(starts[at].detach(), found, part, row, replay)
    others = _others(replay, at, found_all)
    return summary(each, values, raw, others, replay.rows)


def summary(
    each: Tensor, values: Tensor, raw: Tensor, others: list[tuple[Part, float]],
    rows: Tensor | None = None,
) -> Slopes | None:  # fmt: skip
    """Say what slopes have in common.

    Args:
        each: the slopes, batch × heads × rows × keys
        values: the logits
        raw: the products
        others: the sizes of the slopes by other products
        rows: which rows these are
    """
    live = each.isfinite() & (each != 0) & values.isfinite()
    if not bool(live.any()):
        finite = values[values.isfinite()]
        if not finite.numel() or bool(finite.max() > finite.min()):
            return None  # rounded, or masked as a whole
        return Slopes(each, torch.zeros(each.shape[1]), True, False, others, None, rows)
    heads = []
    is_straight = True
    for head in range(each.shape[1]):
        of_head, size = each[:, head][live[:, head]], raw[:, head][live[:, head]].abs()
        if not of_head.numel():
            heads.append(torch.tensor(torch.nan, dtype=each.dtype))
            continue
        is_same = bool((of_head / of_head[0] - 1).abs().max() <= CLOSE)
        is_straight &= is_same
        # A cap has its slope where scores are small.
        few = size.topk(max(1, size.numel() // 5), largest=False).indices
        heads.append((of_head if is_same else of_head[few]).median())
    made = torch.stack(heads).detach()
    made = torch.where(made.isfinite(), made, made[made.isfinite()].median())
    is_cap = False
    if not is_straight:
        share = (each / made[:, None, None])[live]
        is_cap = bool((share > 0).all()) and bool((share <= 1 + CLOSE).all())
        made = _schedule(each, live, made)
    return Slopes(
        each, made, is_straight, is_cap and made.ndim < 2, others, _silent(each, live, values), rows
    )


def _schedule(each: Tensor, live: Tensor, made: Tensor) -> Tensor:
    """Give 2 × heads, the least and the largest, if each row has a factor of its own, as log n."""
    low, high = (torch.where(live, each, far) for far in (torch.inf, -torch.inf))
    least, largest = low.amin((0, 3)), high.amax((0, 3))  # heads × rows
    some = least.isfinite() & largest.isfinite()
    is_by_row = bool(((largest / least - 1).abs() <= CLOSE)[some].all())
    ends = torch.stack([low.amin((0, 2, 3)), high.amax((0, 2, 3))])
    if is_by_row and bool((ends[0] > 0).all()) and bool((ends[1] / ends[0] < RAMP).all()):
        return ends
    return made


def _silent(each: Tensor, live: Tensor, values: Tensor) -> Tensor | None:
    """Find keys whose logits do not depend on q and k, the same ones in all sequences and heads.

    What a bound cuts off depends on the scores, and is not the same everywhere.
    """
    silent = (each == 0) & values.isfinite()
    lead = silent.flatten(0, 1)
    if len(lead) < 2 or not bool(silent.any()) or not bool((lead == lead[:1]).all()):
        return None
    return silent if bool(live.any()) else None


def _some_rows(
    call: Call, found: Arrangement, step: Step, part: Part
) -> tuple[Replay, Any, list[Axis]]:
    """Decide which rows are computed again; give the axes of the logits and of the rows then."""
    every = Replay(), call.axes, found.rows
    count = call.logits.numel()
    if count <= AGAIN:
        return every
    dims = [i for i, dim in enumerate(call.axes) if _has(dim, found.rows[0])]
    is_apart = len(found.rows) == 1 and len(dims) == 1 and len(call.axes[dims[0]]) == 1
    if (
        not is_apart
        or part.start.shape != step.shape
        or not _has(part.start.axes[dims[0]], found.rows[0])
    ):
        if count > WHOLE:
            raise NoReplayError("there are too many")
        return every
    size = found.rows[0].size
    few = min(size, max(2, AGAIN * size // count))
    rows = torch.linspace(0, size - 1, few, device=call.logits.device).round().long().unique()
    row = Axis(len(rows))
    axes = tuple((row,) if i == dims[0] else dim for i, dim in enumerate(call.axes))
    return Replay(rows, dims[0] - len(axes), size), axes, [row]


def _has(dim: Sequence[Axis], axis: Axis) -> bool:
    return any(same(each, axis) for each in dim)


def _is_the_same(again: Tensor, logits: Tensor, dtype: torch.dtype) -> bool:
    """Say whether what was computed again is what softmax was given."""
    if again.shape != logits.shape:
        return False
    again = again.detach()
    is_finite = (again > -1e4) & (logits > -1e4) & again.isfinite() & logits.isfinite()
    if not bool(is_finite.any()):
        return False
    error = (again - logits)[is_finite].abs().max()
    most = torch.where(is_finite, logits, 0).abs().max().clamp(min=1)
    return bool(error <= (0.1 if torch.finfo(dtype).bits == 16 else 1e-3) * most)


def _signs(logits: Tensor, dims: Sequence[int], seed: int) -> Tensor:
    """Give ±1 as often as −1 along the keys, with a 0 where their number is odd."""
    chance = torch.Generator().manual_seed(seed)
    count = torch.Size([logits.shape[dim] for dim in dims]).numel()
    along = torch.ones(count, dtype=torch.float64)
    along[1::2] = -1
    along[count - count % 2 :] = 0
    along = along[torch.randperm(count, generator=chance)]
    shape = [size if dim in dims else 1 for dim, size in enumerate(logits.shape)]
    rest = [1 if dim in dims else size for dim, size in enumerate(logits.shape)]
    by_row = torch.randint(0, 2, rest, generator=chance).double() * 2 - 1
    return (along.reshape(shape) * by_row).to(logits.device)


def _of_keys(t: Tensor, axes: Any, groups: Any, found: Arrangement, part: Part) -> Tensor:
    """Arrange what is shaped as the logits, without columns that the product did not have."""
    placed = found.place(t, axes, groups)
    before = sum(axis.before for axis in found.keys)
    count = torch.Size([a.root.size if a.before or a.after else a.size for a in found.keys]).numel()
    return placed[..., before : before + count]


def _placed(t: Tensor, found: Arrangement, part: Part, row: list[Axis], replay: Replay) -> Tensor:
    """Arrange what is shaped as the product."""
    axes = part.start.axes
    keys = [a.root if a.before or a.after else a for a in found.keys]
    rows = [a.root if a.before or a.after else a for a in found.rows]
    if replay.rows is not None:
        axes = tuple((*row,) if _has(dim, rows[0]) else dim for dim in axes)
        rows = row
    return found.place(t, axes, [found.batch, found.heads, rows, keys])


def _others(
    replay: Replay, at: int, found: Sequence[Sequence[Tensor | None]]
) -> list[tuple[Part, float]]:
    """Give the sizes of the slopes by other products, as far as each entry is used once."""
    made = []
    for number, (step, _) in enumerate(replay.starts):
        pair = [gradients[number] for gradients in found]
        if number == at or step.is_done or any(g is None for g in pair):
            continue
        one, other = (g.abs() for g in pair if g is not None)
        used = (one > 0) & (other > 0)
        if bool(used.any()):
            middle = one[used].median()
            alike = ((one[used] / middle - 1).abs() < 1e-3) & (
                (other[used] / middle - 1).abs() < 1e-3
            )
            if float(alike.double().mean()) > 0.9:
                made.append((step.part, float(middle)))
    return made


def slopes_by_row(change: Callable[[Tensor], Tensor], raw: Tensor) -> Slopes | None:
    """Measure what a function of each score by itself multiplies it by: a kernel's score_mod."""
    devices = [raw.device] if raw.device.type == "cuda" else []
    with (
        torch.random.fork_rng(devices=devices),
        torch.inference_mode(False),
        torch.enable_grad(),
    ):
        try:
            start = raw.detach().double().requires_grad_()
            made = change(start)
            (each,) = torch.autograd.grad(made, start, torch.ones_like(made))
        except (RuntimeError, TypeError, ValueError):
            return None
        return summary(each, made.detach(), start.detach(), [])
