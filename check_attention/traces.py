"""What is known of a tensor on its way from q and k through softmax to the product with v."""

import dis
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch import Tensor

from check_attention.axes import Axes, Axis, Contraction
from check_attention.stated import Said


@dataclass(frozen=True, eq=False)
class Known:
    """What a tensor that may become q or k was multiplied by: a number, or one for each head."""

    factor: Any = 1.0
    places: int = 0
    is_unit: bool = False  # it was divided by its length
    is_normed: bool = False  # the same, or a norm of a layer came before
    base: Any = None  # the tensor, and its own, before it met a table such as that of cosines
    of_input: float = 1.0  # what the layer that made it was given was multiplied by
    line: str = ""
    others: tuple[Any, ...] = ()  # factors of parts of it, if they differ
    left: float = 1.0  # the share of it that nothing was written over

    def times(self, factor: Any) -> "Known":
        """Multiply it."""
        if isinstance(factor, float) and factor == 1:
            return self
        made = self.signed(factor)
        return replace(made, places=self.places + 1, line=code_line())

    def signed(self, factor: Any) -> "Known":
        """Multiply it by what is no scale: the same in the same number of places."""
        others = tuple(each * factor for each in self.others)
        return replace(self, factor=self.factor * factor, others=others)

    def beside(self, other: "Known") -> "Known":
        """Join it to another one: the same factor, or two that differ.

        A rotation negates one half, so that a sign counts only where all parts have it.
        """
        found = [self.factor, *self.others]
        for each in (other.factor, *other.others):
            at = next((i for i, had in enumerate(found) if alike_factors(had, each)), None)
            if at is None:
                found.append(each)
            elif not alike_factors(found[at], each, signs=True):
                found[at] = abs(found[at])
        return replace(
            self, factor=found[0], others=tuple(found[1:]), places=max(self.places, other.places),
            is_unit=self.is_unit and other.is_unit, line=self.line or other.line,
            is_normed=self.is_normed and other.is_normed,
        )  # fmt: skip


def alike_factors(one: Any, other: Any, signs: bool = False) -> bool:
    """Say whether two factors are the same, but for their signs."""
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        if not (isinstance(one, Tensor) and isinstance(other, Tensor)) or one.shape != other.shape:
            return False
        return bool(torch.allclose(one, other, rtol=1e-4))
    one, other = (one, other) if signs else (abs(one), abs(other))
    return bool(abs(one - other) <= 1e-4 * max(abs(one), abs(other)))


NOTHING = Known()


@dataclass(frozen=True, eq=False)
class Part:
    """A product of q and k, or the other way round, with the axes of every letter."""

    product: Contraction
    pair: tuple[int, int]  # which of its tensors
    known: tuple[Known, Known]
    axes_of: dict[str, tuple[Axis, ...]]
    given: tuple[Axes, Axes] = ((), ())  # the axes that the two had before; () if not known
    weight: float = 1.0  # in a sum of several
    start: Any = None  # the Step (slopes.py) that is this product

    def axes(self, which: int) -> Axes:
        """Give the axes of one of the two."""
        at = self.pair[which]
        letters, shape = self.product.letters[at], self.product.tensors[at].shape
        return tuple(
            self.axes_of[letter] if size > 1 else ()
            for letter, size in zip(letters, shape, strict=True)
        )

    def tensor(self, which: int) -> Tensor:
        """Give one of the two."""
        return self.product.tensors[self.pair[which]].detach()

    @property
    def summed(self) -> set[Axis]:
        """The axes over which q·k sums."""
        letters = self.product.summed(*self.pair)
        return {axis for letter in letters for axis in self.axes_of[letter]}

    def alone(self, which: int) -> list[tuple[Axis, ...]]:
        """Give the axes that one of the two had before, and that it alone brings to the scores."""
        own, others = (self.product.letters[self.pair[at]] for at in (which, 1 - which))
        return [
            dim
            for x, dim in zip(own, self.given[which], strict=False)
            if x not in others and x in self.product.result
        ]

    def tokens(self, which: int) -> list[Axis]:
        """Give those of them that no layer made, as far as one knows."""
        return [axis for dim in self.alone(which) for axis in dim if not axis.is_feature]

    def of_keys(self, keys: Sequence[Axis]) -> int:
        """Say which of the two is k, by the axes of the keys: the first, 0, or the second, 1."""
        return 0 if {self.side(axis) for axis in keys} == {"first"} else 1

    def side(self, axis: Axis) -> str:
        """Say whether an axis of the scores is of "first", "second", "both", or of neither."""
        for letter, axes in self.axes_of.items():
            if axis.root in axes:
                has = [self.product.has(at, letter) for at in self.pair]
                return "both" if all(has) else "first" if has[0] else "second"
        return ""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores that softmax may be given: what made them, and what was done to them since."""

    part: Part
    is_learned: bool = False  # one of the two is a parameter
    biases: tuple[Tensor, ...] = ()  # what was added
    repeated: int = 0  # how often the same bias was added again
    # What masks were to leave out, true or far below 0, with its axes and what was put there.
    left_out: tuple[tuple[Tensor, Axes, float], ...] = ()
    filled: str = ""
    added: str = ""  # a mask of zeros and ones that was added
    dropped: str = ""  # what is wrong with dropout
    joined: tuple["Scores", ...] = ()  # along the keys, each with its own q and k
    lines: dict[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class Call:
    """One softmax, however it is written, until its weights meet v."""

    place: str
    said: Said  # by the module at work
    logits: Tensor
    axes: Axes
    scores: Scores | None
    over: set[Axis] | None  # the axes over which the weights sum to 1; None until that is known
    form: str
    is_named: bool  # in a module that is called an attention
    lines: dict[str, str] = field(default_factory=dict)  # where in the code: file:line
    base: float = 1.0  # what logits count times: ln 2 before exp2
    alias: dict[Axis, Axis] = field(default_factory=dict)
    keys: set[Axis] | None = None  # what the product with v sums over
    is_made: bool = False  # by a layer, and by no product of q and k
    is_done: bool = False
    is_cut: bool = False  # a mask set some of its weights to zero
    is_filled: bool = False  # the same, whether or not they were divided by their sum since
    is_log: bool = False  # what it gave are logarithms
    is_joined: bool = False  # its result was added to that of another softmax
    dropped: str = ""  # what is wrong with dropout
    is_used: bool = False  # by something else than v, or by something that is not followed
    after: float = 1.0
    has_nan: bool = True  # whether the weights that meet v have NaN
    cause: str = ""
    crossed: str = ""  # what is wrong with the axis of v
    corner: str = ""  # what is wrong with a causal mask
    v: Tensor | None = None  # as long as it is looked at
    met: Tensor | None = None  # the weights that v met, as long
    shift: Tensor | None = None  # what was subtracted from rows before exp
    is_rescaled: bool = False  # its weights, or their product with v, by a factor for each row
    output: tuple[float, float] | None = None
    sums: Any = None  # the Sums (measure.py) of its layer, once it was measured
    step: Any = None  # the Step (slopes.py) that gave its logits
    slopes: Any = None  # the Slopes (slopes.py) that were measured of it
    summands: list[Part] = field(default_factory=list)  # products that make its q and k longer
    lowest: float = 0.0  # of its logits

    def own(self, axes: set[Axis]) -> set[Axis]:
        """Give the axes of this call for those of weights that it was joined to."""
        return {self.alias.get(axis, axis) for axis in axes}


def key_piece(call: Call) -> tuple[Any, ...]:
    """Give what two calls have in common whose keys are pieces of the same; () if they are none.

    Their queries are the same, and their keys lie in one tensor, as many in each piece.
    """
    if call.scores is None or call.over is None or call.over != call.keys:
        return ()
    part = call.scores.part
    letters = [part.product.letters[at] for at in part.pair]
    for which, own in enumerate(letters):
        q, k = part.tensor(1 - which), part.tensor(which)
        for x, dim in zip(own, part.given[which], strict=False):
            is_alone = x not in letters[1 - which] and x in part.product.result
            is_key = is_alone and any(axis in call.keys for axis in part.axes_of[x])
            if is_key and len(dim) == 1 and dim[0].is_cut and dim[0].size < dim[0].root.size:
                own_root = (dim[0].root, k.untyped_storage().data_ptr())
                return (*own_root, q.data_ptr(), q.shape, dim[0].size)
    return ()


class Weights:
    """The weights of a call: alive as long as a tensor is that was made from them."""

    def __init__(self, call: Call) -> None:
        self.call = call


@dataclass(frozen=True, eq=False)
class Trace:
    """What is known of one tensor."""

    axes: Axes | None = None
    known: Known = NOTHING
    scores: Scores | None = None
    weights: tuple[Weights, ...] = ()  # it is the weights of these calls
    outer: Contraction | None = None  # a product entry by entry, which may be summed later
    total: tuple[Weights, frozenset[Axis]] | None = None  # the sum of a softmax that is written out
    mixed: Call | None = None  # the product of weights and v
    is_owned: bool = False  # made of parameters and buffers alone
    is_nested: bool = False  # a product of nested tensors
    is_sigmoid: bool = False  # of scores
    is_lost: bool = False  # made of scores, in a way that is not followed
    view_line: str = ""  # where it was viewed or repeated last
    is_by_entry: bool = False  # scores were written there one after another


TAKEN = 8192  # entries of an output that are looked at to tell it from another
ROWS_AT = 2  # batch, heads, rows, keys
WEAK = -10.0  # what is added to leave a key out should be far below this
UNKNOWN = Trace()
OWNED = Trace(is_owned=True)


def code_line() -> str:
    """Say in which line of the caller's code we are, as file:line."""
    frame: Any = sys._getframe(1)
    ours = __name__.partition(".")[0]
    while frame:
        name = _package_of(frame)
        if name not in ("torch", ours, "contextlib") and "importlib" not in name:
            return _named(Path(frame.f_code.co_filename), frame.f_lineno)
        frame = frame.f_back
    return ""


def _named(path: Path, line: int) -> str:
    """Name a line by its file, or by its cell in a notebook; nothing, if it is our own demo's.

    A notebook's kernel keeps cells as files that are called by a number, and knows which they are.
    """
    if path.stem == "check-attention":
        return ""
    if "ipykernel" in str(path):
        kernel = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        compiler = getattr(kernel, "compile", None)
        cell = getattr(compiler, "_filename_map", {}).get(str(path))
        return f"cell [{cell}], line {line}" if cell else f"a cell's line {line}"
    return f"{path.name}:{line}"


def _package_of(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def is_thrown_away() -> bool:
    """Say whether the code that calls a function of PyTorch, directly, does nothing with what it
    gives: a statement by itself.
    """
    frame: Any = sys._getframe(1)
    ours = __name__.partition(".")[0]
    while frame and _package_of(frame) == ours:
        frame = frame.f_back
    is_own = frame and _package_of(frame) != "torch"
    return bool(is_own) and _pops(frame.f_code, frame.f_lasti)


@lru_cache(maxsize=256)
def _pops(code: CodeType, at: int) -> bool:
    """Say whether the instruction behind one of a function drops what it has left."""
    instructions = [*dis.get_instructions(code)]
    behind = next((i for i in instructions if i.offset > at), None)
    return behind is not None and behind.opname == "POP_TOP"


def has_nan(t: Tensor) -> bool:
    """Say whether a tensor has NaN: its sum has, without another tensor of its size."""
    return bool(t.detach().sum(dtype=torch.float32).isnan())


def digest(result: Tensor) -> tuple[float, float]:
    """Give the size of some of what came out, and a number that tells it from anything else."""
    values = result.detach().flatten()
    values = values[:: max(1, values.numel() // TAKEN)].float().nan_to_num(0, 0, 0)
    ramp = torch.arange(values.numel(), device=values.device).sin()
    count = max(1, values.numel())
    return float(values.square().sum() / count) ** 0.5, float((values * ramp).sum()) / count**0.5


def mask_value(mask: Tensor) -> float | None:
    """Give what a tensor has besides zeros, if it has zeros and one other number."""
    if mask.numel() < 2 or mask.requires_grad:
        return None
    if mask.dtype == torch.bool:
        return 1.0 if bool(mask.any()) and not bool(mask.all()) else None
    low, high = two_values(mask)
    if low == high or (low and high):
        return None
    return high or low


def two_values(mask: Tensor) -> tuple[float, float]:
    """Give the two values that a tensor has, or 0 and 0 if it has more of them or fewer."""
    low, high = mask.aminmax()
    if bool(low == high) or not bool(((mask == low) | (mask == high)).all()):
        return 0.0, 0.0
    return float(low), float(high)


def is_zero_one(mask: Tensor) -> bool:
    """Say whether a tensor has zeros and ones, both and nothing else."""
    return mask_value(mask) == 1


def words_of_added(mask: Tensor) -> str:
    """Say why a mask that is added leaves nothing out, or an empty text."""
    if mask.dtype == torch.bool:
        is_weak, values = mask_value(mask) is not None, (0.0, 1.0)
    elif mask.numel() < 2 or mask.requires_grad:
        return ""
    else:
        low, high = two_values(mask)
        gap = high - low
        is_weak = 0 < gap <= -WEAK or (low >= 0 and 0 < gap <= -100 * WEAK)
        values = (low, high) if high else (0.0, low)
    if not is_weak:
        return ""
    one, other = values
    return f"it adds {one:.3g} and {other:.3g} to the scores, where it should add 0 and −∞"


class MisfitError(Exception):
    """A tensor that does not have the axes of the call."""


@dataclass
class Arrangement:
    """Which axes are batch, heads, rows and keys."""

    batch: list[Axis]
    heads: list[Axis]
    rows: list[Axis]
    keys: list[Axis]
    split: int = 0  # heads that are merged with the batch in one axis, and no view told apart

    def place(
        self, tensor: Tensor, axes: Axes, groups: Sequence[Sequence[Axis]],
        chosen: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """Bring a tensor to one dimension for each group; what it lacks has the size 1.

        Args:
            tensor: any
            axes: its own
            groups: axes, by root, in the order that is wanted
            chosen: which entries of the third group to take, the rows
        """
        had: list[Axis | None] = []
        for dim in axes:
            had += self.as_grouped(dim, groups) if dim else [None]
        t = tensor.reshape([axis.size if axis else 1 for axis in had])
        t = self.in_order(t, had, [axis for group in groups for axis in group])
        if chosen is not None:
            t = self.some_rows(t, groups, chosen)
        return self.merged(t, groups, chosen is not None)

    @staticmethod
    def in_order(t: Tensor, had: list[Axis | None], wanted: Sequence[Axis]) -> Tensor:
        """Give a tensor one dimension for each axis that is wanted, of size 1 for what it lacks.

        Args:
            t: with a dimension for each axis that it has
            had: these axes; None where the size is 1
            wanted: axes, by root

        Raises:
            MisfitError: it has an axis that is not wanted.
        """
        had, order = [*had], []
        for axis in wanted:
            at = next((i for i, each in enumerate(had) if same(each, axis)), None)
            if at is None:
                t = t.unsqueeze(-1)
                had.append(None)
                at = t.ndim - 1
            order.append(at)
        rest = [at for at in range(t.ndim) if at not in order]
        if any(t.shape[at] != 1 for at in rest):
            raise MisfitError("of one of its dimensions it is not clear what it stands for")
        return t.permute([*order, *rest]).reshape([t.shape[at] for at in order])

    @staticmethod
    def some_rows(t: Tensor, groups: Sequence[Sequence[Axis]], chosen: Tensor) -> Tensor:
        """Merge the axes of the rows, and take some of these, unless it has none."""
        at = sum(len(group) for group in groups[:ROWS_AT])
        count = len(groups[ROWS_AT])
        if count > 1:
            t = t.reshape([*t.shape[:at], -1, *t.shape[at + count :]])
        return t.index_select(at, chosen) if count and t.shape[at] > 1 else t

    def merged(self, t: Tensor, groups: Sequence[Sequence[Axis]], has_chosen: bool) -> Tensor:
        """Merge the dimensions of each group into one."""
        shape, at = [], 0
        for number, group in enumerate(groups):
            count = 1 if has_chosen and number == ROWS_AT and len(group) > 1 else len(group)
            dims = t.shape[at : at + count]
            # Merging an axis that is missing (1) with others needs it in full.
            if any(size == 1 for size in dims) and not all(size == 1 for size in dims):
                full = [axis.size for axis in group] if count == len(group) else list(dims)
                t = t.expand([*t.shape[:at], *full, *t.shape[at + count :]])
                dims = t.shape[at : at + count]
            shape.append(int(torch.Size(dims).numel()))
            at += count
        t = t.reshape(shape)
        if self.split:
            every = torch.Size([axis.size for axis in self.batch]).numel()
            t = t.expand(every, *t.shape[1:]).reshape(-1, self.split, *t.shape[2:])
        return t

    @staticmethod
    def as_grouped(dim: Sequence[Axis], groups: Sequence[Sequence[Axis]]) -> list[Axis | None]:
        """Split axes as later views have split them."""
        every = [axis for group in groups for axis in group]
        found: list[Axis | None] = []
        for axis in dim:
            parts = [each for each in every if each.root is axis.root]
            sizes = torch.Size([each.size for each in parts]).numel() if parts else 0
            if parts and axis not in parts and sizes == axis.size:
                found += parts
            else:
                found.append(axis)
        return found


def same(one: Axis | None, other: Axis) -> bool:
    """Say whether two axes are the same, or two of the same root and size."""
    return one is other or (one is not None and one.root is other.root and one.size == other.size)
