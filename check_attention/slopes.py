"""What a logit is multiplied by is measured: what was called between a product and softmax is
computed again in double precision under autograd, and the derivative by the product is the factor.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from check_attention.again import gradients_asked
from check_attention.axes import Axes, Axis
from check_attention.follow import SHAPES
from check_attention.traces import Arrangement, Call, MisfitError, Part, code_line, same
from check_attention.words import CLOSE, LOW

LONGEST = 64  # calls between a product and softmax
AGAIN = 2**16  # logits that are computed again; fewer rows where there would be more
WHOLE = 2**22  # the same where rows cannot be told apart on the way
RAMP = 16.0  # rows whose factors differ by more are no schedule such as log n
FEW = 2**13  # entries that are looked at to see what a single call does
EXACT = 1e-9  # two numbers that double precision tells apart
CASTS = {"to", "float", "half", "double", "bfloat16", "type", "type_as", "cpu", "cuda"}
# What is the same again, and lets a derivative through though the model does not ask for one.
PASSES = {*CASTS, "detach", "detach_", "contiguous", "clone", "requires_grad_"}


@dataclass(eq=False)
class Fill:
    """A mask that made a new tensor of scores."""

    result: Callable[[], Tensor | None]
    line: str
    is_used: bool = False


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
    before: list["Step"] = field(default_factory=list)
    line: str = ""
    is_half: bool = False  # in 16 bits
    is_regrouped: bool = False  # it has another shape alone, which depends on the rows taken
    fills: list[Fill] = field(default_factory=list)  # of the product


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
    if not before or depth > LONGEST or name.endswith("_like") or name.startswith("new_"):
        return None  # the last two take a shape alone
    # Dropout is random; t.data is the same as t.
    is_same = name in PASSES or name.startswith("dropout") or _property(function) == "data"
    if is_same and isinstance(args[0], Step):
        function = _same
    is_method = name.endswith("__")
    is_in_place = name == "__setitem__" or (
        name.startswith("__i") if is_method else name[-1:] == "_"
    )
    return Step(
        function, args, kwargs, result.shape, depth, versions, is_in_place=is_in_place,
        before=before, line=code_line(), is_half=result.element_size() == 2,
        is_regrouped=name in SHAPES and isinstance(args[0], Step),
    )  # fmt: skip


def _property(function: Any) -> str:
    """Give the name of a property of tensors, such as mT, if a function gets one."""
    name: str = getattr(getattr(function, "__self__", None), "__name__", "")
    return name


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
            if step.is_regrouped:
                made = args[0].reshape(self.cut(step.shape))
            else:
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
        return made.clone()  # which may be written over

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
    """By what scores are multiplied on their way to softmax."""

    of_head: Tensor  # for each head, or for all; 2 × heads, the least and the largest, if by row
    is_straight: bool = True  # the same for all rows and keys of a head
    is_capped: bool = False
    cap: float = 0.0  # what bounds the scores
    behind_cap: list[float] = field(default_factory=list)  # factors of what was bounded
    is_mixed: bool = False  # logits of other heads, rows or keys are mixed in
    is_bias_scaled: bool = False  # something was added before a factor
    places: int = 1  # steps that multiply
    factors: list[float] = field(default_factory=list)  # theirs
    line: str = ""  # of the last of them
    joined: list[tuple[Part, float]] = field(default_factory=list)  # summands, relative to q·k
    others: list[tuple[Part, float]] = field(default_factory=list)  # the sizes of those of others
    earlier: list[tuple[Part, float]] = field(default_factory=list)  # and of other softmaxes'
    silent: Tensor | None = None  # keys of which the logits are what a mask put there


def slopes_of(call: Call, found: Arrangement) -> Slopes:
    """Measure what the scores of a call are multiplied by.

    Softmax does not see what is added to a row, so that only derivatives in directions count of
    which the sum over the keys is 0: signs ±1, as many of both.

    Raises:
        NoReplayError: that cannot be done; says why.
    """
    if call.step is None:
        raise NoReplayError("there are too many calls")
    why = "there are too many logits"
    with gradients_asked():
        for chosen in _rows_to_take(call, found):
            try:
                return _slopes(call, found, *chosen)
            except (
                NoReplayError, MisfitError, RuntimeError, TypeError, ValueError, IndexError,
                ArithmeticError,
            ) as error:  # fmt: skip
                why = str(error).partition("\n")[0]
    raise NoReplayError(why)


def _slopes(call: Call, found: Arrangement, replay: Replay, axes: Axes, row: list[Axis]) -> Slopes:
    step, scores = call.step, call.scores
    part: Part = scores.part  # type: ignore[union-attr]
    logits = replay.value(step)
    is_random = bool(scores.dropped)  # type: ignore[union-attr]
    way = _way(step, part.start)
    is_half = any(each.is_half for each in way)
    if not (is_random or _is_the_same(logits, replay.given(call.logits), is_half)):
        raise NoReplayError("it gives other logits")
    starts = [made for _, made in replay.starts]
    at = next((i for i, (s, _) in enumerate(replay.starts) if s is part.start), None)
    if at is None:
        raise NoReplayError("q·k is not among what it is made of")
    groups = [found.batch, found.heads, row, found.keys]
    dims = [i for i, dim in enumerate(axes) if any(_has(dim, key) for key in found.keys)]
    signs = [_signs(logits, dims, seed) for seed in (0, 1)]
    values = [replay.done[id(each)] for each in way]
    by_all = torch.autograd.grad(
        logits, [*starts, *values], signs[0], retain_graph=True, allow_unused=True
    )
    again = torch.autograd.grad(logits, starts, signs[1], allow_unused=True)
    by_start = [by_all[: len(starts)], again]
    if any(g[at] is None for g in by_start):
        raise NoReplayError("it does not depend on q·k")
    made = _changes(way, values, by_all[len(starts) :], call.base)
    made.joined, made.others, made.earlier = _others(replay, at, by_start)
    for each, _ in replay.starts:
        each.is_done = True
    one, other = (
        _placed(g[at], found, part, row, replay) / _of_keys(s, axes, groups, found)
        for g, s in zip(by_start, signs, strict=True)
    )
    both = one.isfinite() & other.isfinite()
    top = float(torch.where(both, one, 0).abs().max())
    if bool(((one - other).abs() > 1e-6 * top)[both].any()):
        made.is_mixed, made.is_straight = True, False
        return made
    slopes = torch.where(one.isfinite(), one, other)
    raw = _placed(starts[at].detach(), found, part, row, replay)
    return summary(slopes, _of_keys(logits.detach(), axes, groups, found), raw, made)


def _way(step: Step, start: Step) -> list[Step]:
    """Give the steps from a product to softmax, first to last, the product itself left out."""
    known: dict[int, bool] = {id(start): True}
    made = []
    while step is not start:
        made.append(step)
        leading = [each for each in step.before if _leads(each, known)]
        step = max(leading, key=lambda each: each.shape.numel())
    return [*made, start][::-1]


def _leads(step: Step, known: dict[int, bool]) -> bool:
    """Say whether a step was made from one of which that is known."""
    if id(step) not in known:
        known[id(step)] = any(_leads(each, known) for each in step.before)
    return known[id(step)]


def _changes(
    way: Sequence[Step], values: Sequence[Tensor], gradients: Sequence[Tensor | None], base: float
) -> Slopes:
    """Say what each step does to what it is given, entry by entry.

    Args:
        way: from the product to softmax
        values: what each gave
        gradients: the derivatives of logits by these, times signs ±1
        base: what logits count times
    """
    made = Slopes(torch.ones(1, dtype=torch.float64), places=0)
    pairs = zip(pairwise(values), pairwise(gradients), strict=True)
    for step, ((given, value), (g, after)) in zip(way[1:], pairs, strict=True):
        if g is not None and after is not None and g.shape == after.shape:
            _note_change(made, step, (_few(given), _few(value)), (_few(g), _few(after)), base)
    return made


def _note_change(
    made: Slopes, step: Step, values: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor],
    base: float,
) -> None:  # fmt: skip
    """Note what one step does: bound, multiply, negate, or add something behind a factor.

    Args:
        made: what it is noted in
        step: that does it
        values: entries of what it was given, and of what it gave
        gradients: derivatives of logits by these
        base: what logits count times
    """
    (given, value), (g, after) = values, gradients
    live = (after != 0) & after.isfinite() & g.isfinite()
    given, value, share = given[live], value[live], g[live] / after[live]
    if cap := _cap_of(given, value, share):
        made.cap, made.is_capped = cap, True
        return
    some = share != 0  # else a mask has overwritten it
    if not bool(some.any()):
        return
    factor = share[some].median()
    size = abs(float(factor))
    error = float((share[some] / factor - 1).abs().max())
    if error > CLOSE:
        made.places += 1  # a factor of its own for each head or row
    elif abs(size - 1) > CLOSE:
        made.places += 1
        made.factors.append(float(factor))
        made.behind_cap += [size] * made.is_capped
        made.of_head, made.cap = made.of_head * factor, made.cap * size
    elif float(factor) < 0:
        made.of_head = -made.of_head
    elif error <= EXACT and abs(size - 1) <= EXACT:
        change = (value - given)[some]
        is_bias = len(step.before) < 2 and bool(change.max() - change.min() > EXACT)
        since = float(after[live].abs().median()) * base
        made.is_bias_scaled |= is_bias and abs(since - 1) > 0.2
        return
    made.line = step.line or made.line


def _few(t: Tensor) -> Tensor:
    """Give some entries of a tensor, the same ones of all that have its shape."""
    t = t.detach().reshape(-1)
    return t[:: max(1, t.numel() // FEW)]


def _cap_of(given: Tensor, value: Tensor, share: Tensor) -> float:
    """Give the bound of a function whose slope falls as that of tanh, or is 0 from there on.

    tanh has the slope 1 − tanh². 0 if it is no such function.

    Args:
        given: what it was given
        value: what it gave
        share: its slope
    """
    top = float(share.max()) if share.numel() else 0.0
    lost = 1 - share / top if top > 0 else torch.zeros_like(share)
    some = lost > max(EXACT, 1e-3 * float(lost.max())) if lost.numel() else lost > 0
    if not bool(some.any()) or float(share.min()) < 0:
        return 0.0
    given, value = given[some] * top, value[some]
    bounds = value.square() / lost[some]
    middle = bounds.median()
    is_bound = (value * given > 0) & (value.abs() <= given.abs() * (1 + CLOSE))
    is_alike = (bounds / middle - 1).abs() < 0.05
    holds = bool((is_bound & is_alike).double().mean() > 0.9)
    return float(middle.sqrt()) if holds else 0.0


def summary(each: Tensor, values: Tensor, raw: Tensor, made: Slopes) -> Slopes:
    """Say what slopes have in common.

    Args:
        each: the slopes, batch × heads × rows × keys; NaN where they are not known
        values: the logits
        raw: the products
        made: what is known besides

    Raises:
        NoReplayError: they have nothing in common.
    """
    live = each.isfinite() & (each != 0) & values.isfinite()
    # What a mask puts far below the rest is rounded, and no measure of anything.
    live &= values > values.masked_fill(~live, -torch.inf).amax(-1, keepdim=True) + LOW
    if not bool(live.any()):
        finite = values[values.isfinite()]
        if not finite.numel() or bool(finite.max() > finite.min()):
            raise NoReplayError("logits are rounded, or masked as a whole")
        made.of_head = torch.zeros(each.shape[1], dtype=each.dtype)
        return made
    of_heads, is_straight = _slopes_of_heads(each, live, raw)
    made.of_head = of_heads
    made.is_straight &= is_straight
    made.silent = _silent(each, values)
    if made.is_straight:
        return made
    made.of_head = _schedule(each, live, of_heads)
    if made.of_head.ndim < 2:
        share = (each / of_heads[:, None, None])[live]
        if not bool((share > 0).all()) or not bool((share <= 1 + CLOSE).all()):
            raise NoReplayError("what it does to q·k is no factor, and no cap")
        made.is_capped = True
    return made


def _slopes_of_heads(each: Tensor, live: Tensor, raw: Tensor) -> tuple[Tensor, bool]:
    """Give a slope for each head, and say whether it is that of all its rows and keys.

    A head of which nothing is known has that of the others.
    """
    heads, is_straight = [], True
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
    found = torch.stack(heads).detach()
    usual = found[found.isfinite()].median()
    return torch.where(found.isfinite(), found, usual), is_straight


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


def _silent(each: Tensor, values: Tensor) -> Tensor | None:
    """Find keys whose logits do not depend on q and k, the same ones in all heads.

    What a bound cuts off depends on the scores, and is not the same in all heads, or in all
    sequences where there is one head.
    """
    silent = (each == 0) & values.isfinite()
    lead = silent if each.shape[1] > 1 else silent.transpose(0, 1)
    if lead.shape[1] < 2 or not bool(silent.any()) or not bool((lead == lead[:, :1]).all()):
        return None
    return silent


def _rows_to_take(call: Call, found: Arrangement) -> Iterator[tuple[Replay, Axes, list[Axis]]]:
    """Give a replay of some rows, and one of all, as far as they are not too many.

    With each come the axes of the logits, and of the rows, as they are then.
    """
    count = call.logits.numel()
    start = call.scores.part.start  # type: ignore[union-attr]
    at = _dim_of(call.axes, found.rows)
    if count > AGAIN and at is not None and at == _dim_of(start.axes, found.rows):
        size = torch.Size([axis.size for axis in found.rows]).numel()
        few = min(size, max(2, AGAIN * size // count))
        even = torch.linspace(0, size - 1, few, device=call.logits.device).round().long()
        rows = torch.unique(even)
        row = Axis(len(rows))
        axes = tuple((row,) if i == at + len(call.axes) else d for i, d in enumerate(call.axes))
        yield Replay(rows, at, size), axes, [row]
    if count <= WHOLE:
        yield Replay(), call.axes, found.rows


def _dim_of(axes: Axes, rows: Sequence[Axis]) -> int | None:
    """Say which dimension has all rows, and nothing else, from the right."""
    for at, dim in enumerate(axes):
        if rows and len(dim) == len(rows) and all(_has(dim, row) for row in rows):
            return at - len(axes)
    return None


def _has(dim: Sequence[Axis], axis: Axis) -> bool:
    return any(same(each, axis) for each in dim)


def _is_the_same(again: Tensor, logits: Tensor, is_half: bool) -> bool:
    """Say whether what was computed again is what softmax was given, as far as it is finite."""
    if again.shape != logits.shape:
        return False
    again, of_numbers = again.detach(), 2**-8 if is_half else 2**-23
    is_finite = again.isfinite() & logits.isfinite()
    scores = torch.where(is_finite & (logits > 10 * LOW), logits, 0)
    most = float(scores.abs().max().clamp(min=1))
    rounding = (0.1 if is_half else 1e-3) * most + 8 * of_numbers * logits.abs()
    return not bool(((again - logits).abs() > rounding)[is_finite].any())


def _signs(logits: Tensor, dims: Sequence[int], seed: int) -> Tensor:
    """Give 1 as often as −1 along the keys, with a 0 where their number is odd; 1 for one key."""
    chance = torch.Generator().manual_seed(seed)
    count = torch.Size([logits.shape[dim] for dim in dims]).numel()
    along = torch.ones(count, dtype=torch.float64)
    along[1::2] = -1
    if count > 1:
        along[count - count % 2 :] = 0
    along = along[torch.randperm(count, generator=chance)]
    shape = [size if dim in dims else 1 for dim, size in enumerate(logits.shape)]
    rest = [1 if dim in dims else size for dim, size in enumerate(logits.shape)]
    by_row = torch.randint(0, 2, rest, generator=chance).double() * 2 - 1
    return (along.reshape(shape) * by_row).to(logits.device)


def _of_keys(t: Tensor, axes: Any, groups: Any, found: Arrangement) -> Tensor:
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
) -> tuple[list[tuple[Part, float]], list[tuple[Part, float]], list[tuple[Part, float]]]:
    """Give the slopes by other products: of summands of q·k, relative to its own, and of the rest;
    and of those that a softmax was given before.

    Of the last two only the size is known, as far as each entry is used once.
    """
    joined: list[tuple[Part, float]] = []
    others: list[tuple[Part, float]] = []
    earlier: list[tuple[Part, float]] = []
    main = found[0][at]
    for number, (step, _) in enumerate(replay.starts):
        one, other = (gradients[number] for gradients in found)
        part = step.part
        if number == at or part is None or one is None or other is None or main is None:
            continue
        is_same = not step.is_done and one.shape == main.shape
        if is_same and bool(((one != 0) == (main != 0)).all()):
            weights = one[main != 0] / main[main != 0]
            if weights.numel() and bool(((weights / weights[0] - 1).abs() < 1e-6).all()):
                joined.append((part, float(weights[0])))
                continue
        one, other = one.abs(), other.abs()
        used = (one > 0) & (other > 0)
        if bool(used.any()):
            middle = one[used].median()
            alike = ((one[used] / middle - 1).abs() < 1e-3) & (
                (other[used] / middle - 1).abs() < 1e-3
            )
            if float(alike.double().mean()) > 0.9:
                (earlier if step.is_done else others).append((part, float(middle)))
    return joined, others, earlier


def slopes_by_row(change: Callable[[Tensor], Tensor], raw: Tensor, scale: float) -> Slopes:
    """Measure what a function of each score by itself multiplies it by: a kernel's score_mod.

    Raises:
        NoReplayError: that cannot be done; says why.
    """
    with gradients_asked():
        try:
            start = raw.detach().double().requires_grad_()
            made = change(start)
            (each,) = torch.autograd.grad(made, start, torch.ones_like(made))
        except (RuntimeError, TypeError, ValueError) as error:
            raise NoReplayError(str(error).partition("\n")[0]) from error
        made, start, seen = made.detach(), start.detach(), made.isfinite()
        cap = _cap_of(start[seen], made[seen], each[seen])
        found = Slopes(torch.ones(1), is_capped=cap > 0, cap=cap)
        found = summary(each, made, start, found)
        found.of_head = found.of_head * scale
        return found
