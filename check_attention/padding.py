"""What a batch says of its padding: by an argument's name, by lengths, or by what stands there."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

NO_LENGTHS = ("prompt", "prefix", "start", "context")  # of a part of the sequence
PADDED = ("attention_mask", "key_padding_mask", "src_key_padding_mask")  # what true means is known


@dataclass
class Padding:
    """Which tokens are padding, batch × tokens, by how many tokens there are."""

    known: dict[int, Tensor] = field(default_factory=dict)
    either: dict[int, Tensor] = field(default_factory=dict)  # true is padding, or is none
    tail: dict[int, Tensor] = field(default_factory=dict)  # what looks like padding
    starts: dict[int, Tensor] = field(default_factory=dict)  # where documents begin, by positions
    # What is known of the tokens of one input, by its id; and of which numbers of tokens there are
    # several inputs, with other padding.
    own: dict[int, tuple[str, Tensor]] = field(default_factory=dict)
    doubtful: set[int] = field(default_factory=set)

    def note(self, kind: str, tokens: Tensor, source: Tensor | None = None) -> None:
        """Note which tokens are padding, of all inputs that have so many, or of one."""
        count = tokens.shape[1]
        if source is not None and id(source) not in self.own:
            of_others = [each for _, each in self.own.values() if each.shape[1] == count]
            if any(
                each.shape != tokens.shape or not torch.equal(each, tokens) for each in of_others
            ):
                self.doubtful.add(count)
            self.own[id(source)] = kind, tokens
        getattr(self, kind).setdefault(count, tokens)

    @property
    def is_any(self) -> bool:
        """Whether anything is known of padding, or looks like it."""
        return bool(self.known or self.either or self.tail)

    def of(
        self, count: int, before: int = 0, after: int = 0, source: int = 0
    ) -> Iterator[tuple[str, Tensor]]:
        """Give what is known of so many tokens, of which some were joined since on either side.

        Args:
            count: how many there are
            before: of them, those that were joined in front
            after: of them, those that were joined behind
            source: the id of the input that the others were made of, if that is known
        """
        if count - before - after in self.doubtful:
            if source in self.own:
                kind, tokens = self.own[source]
                yield kind, nn.functional.pad(tokens, (before, after))
            return
        for kind in ("tail", "known", "either"):
            tokens = getattr(self, kind).get(count - before - after)
            if tokens is None or (kind == "either" and (before or after)):
                continue
            yield kind, nn.functional.pad(tokens, (before, after))

    def at_other_rate(self, count: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Give what is padding and what is none of so many tokens, for certain, where several of a
        batch's were made one, as by a convolution with strides, or each was made several.
        """
        for tokens in (*self.known.values(), *self.tail.values()):
            if tokens.shape[1] in self.doubtful:
                continue
            if count % tokens.shape[1] == 0:
                times = count // tokens.shape[1]
                for each in (tokens.repeat_interleave(times, 1), tokens.repeat(1, times)):
                    yield each, ~each
            rate = tokens.shape[1] / count
            at, length = torch.arange(count, device=tokens.device), (~tokens).sum(1)[:, None]
            is_end = torch.equal(tokens, torch.arange(len(tokens[0]), device=at.device) >= length)
            if rate > 1.5 and is_end:
                yield (at - 2) * rate >= length, (at + 2) * rate <= length


def padding_of(model: nn.Module, positional: Iterable[Any], named: Mapping[str, Any]) -> Padding:
    """Say which tokens of a batch are padding."""
    made = Padding()
    given = _by_name(model, positional, named)
    tensors = [t for t in given.values() if isinstance(t, Tensor) and not t.is_nested]
    contents = [t for t in tensors if t.ndim > 1 and t.dtype != torch.bool]
    masks = {
        name: t
        for name, t in given.items()
        if isinstance(t, Tensor) and not t.is_nested and t.ndim == 2 and t.shape[1] > 1
    }
    for name in PADDED:
        mask = masks.get(name)
        if mask is not None and mask.dtype != torch.float32:
            is_kept = name == "attention_mask"
            made.note("known", mask == 0 if is_kept else mask != 0)
    for name, mask in masks.items():
        _read_mask(name, mask, contents, made)
    for name, lengths in given.items():
        is_one = isinstance(lengths, Tensor) and not lengths.is_nested and lengths.ndim == 1
        if is_one and not (lengths.is_floating_point() or lengths.dtype == torch.bool):
            is_called_so = "len" in name and not any(word in name for word in NO_LENGTHS)
            _read_lengths(lengths, contents, made, is_called_so)
    for t in contents:
        _read_tail(t, made)
    for t in tensors:
        if not (t.is_floating_point() or t.dtype == torch.bool):
            _read_positions(t if t.ndim > 1 else t[None], made)
    return made


def _by_name(
    model: nn.Module, positional: Iterable[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Give arguments by their names, or by their places where these are not known."""
    positional = list(positional)
    try:
        given = inspect.signature(model.forward).bind(*positional, **named).arguments
    except (TypeError, ValueError):
        return {str(at): each for at, each in enumerate(positional)} | dict(named)
    for at, each in enumerate(given.pop("args", ())):
        given[str(at)] = each
    given |= given.pop("kwargs", {})
    for each in [*given.values()]:
        if isinstance(each, Mapping):  # a batch as a whole
            given |= {str(name): inner for name, inner in each.items()}
    return given


def _read_mask(name: str, mask: Tensor, contents: list[Tensor], made: Padding) -> None:
    """Read a mask: true may mean padding, or what is none."""
    is_mask = mask.dtype == torch.bool or bool(((mask == 0) | (mask == 1)).all())
    if is_mask and _ends_rows(mask.bool()):
        others = [t for t in contents if t is not mask]
        for tokens in (mask.bool(), ~mask.bool()):
            if blank := [t for t in others if _is_blank(t, tokens)]:
                for t in blank:
                    made.note("known", tokens, t)
                return
    if "mask" not in name:
        return
    # What it means is known where a sequence has no padding.
    full = [rows for rows in mask if bool((rows == rows[0]).all())]
    if full and len(full) < len(mask) and len({bool(rows[0]) for rows in full}) == 1:
        made.note("known", mask.bool() != bool(full[0][0]))
    elif not full and mask.dtype in (torch.int32, torch.int64) and "pad" not in name:
        made.note("known", mask == 0)  # whole numbers count what is there
    elif not full:
        made.note("either", mask.bool())


def _ends_rows(mask: Tensor) -> bool:
    """Say whether each row of a mask changes once at most, and some row does."""
    changes = (mask[:, 1:] != mask[:, :-1]).sum(-1)
    return bool((changes <= 1).all()) and bool(changes.any())


def _is_blank(t: Tensor, tokens: Tensor) -> bool:
    """Say whether one and the same stands at some tokens of a batch, and something else besides.

    Args:
        t: batch × tokens, or batch × tokens × …
        tokens: which, batch × tokens
    """
    if t.shape[:2] != tokens.shape or not bool(tokens.any()) or bool(tokens.all()):
        return False
    rows, tokens = t.reshape(*t.shape[:2], -1), tokens.to(t.device)
    blank, rest = rows[tokens], rows[~tokens]
    is_same = (rest == blank[:1]).all(-1)
    return bool((blank == blank[:1]).all()) and float(is_same.float().mean()) < 0.5


def _read_lengths(
    lengths: Tensor, contents: list[Tensor], made: Padding, is_called_so: bool
) -> None:
    """Read numbers of tokens, one for each sequence: known, if nothing stands behind so many, or
    before the place of so many; else they have to be called lengths.
    """
    for t in contents:
        count = t.shape[1]
        fits = len(lengths) == len(t) and bool(((lengths > 0) & (lengths <= count)).all())
        if not fits or count < 2:
            continue
        at = torch.arange(count, device=lengths.device)  # lengths may be on the processor
        places = lengths[:, None]
        for tokens in (at >= places, at < count - places, at < places):
            if _is_blank(t, tokens):
                made.note("known", tokens, t)
                break
        else:  # they may be numbers of something else
            differ = bool((lengths < count).any()) and bool((lengths != lengths[0]).any())
            if is_called_so and differ:
                made.note("tail", at >= lengths[:, None])


def _read_positions(t: Tensor, made: Padding) -> None:
    """Read positions that begin again at 0, as of several documents in one sequence."""
    if t.ndim != 2 or t.shape[1] < 2:
        return
    goes_on, begins = t[:, 1:] == t[:, :-1] + 1, t[:, 1:] == 0
    if bool((begins & (t[:, :-1] == 0)).any()):
        return  # padding, and positions from 1
    if bool((t[:, 0] == 0).all()) and bool((goes_on | begins).all()) and bool(begins.any()):
        made.starts.setdefault(t.shape[1], t == 0)


def _read_tail(t: Tensor, made: Padding) -> None:
    """Find what looks like padding: one number, or zeros, at one end of sequences, and nowhere
    else, more of it in some than in others.
    """
    if t.shape[0] < 2 or t.shape[1] < 2:
        return
    if t.ndim == 2 and not t.is_floating_point():
        if int(t.max()) < 2:
            return  # a mask
        found = [t == number for number in torch.unique(t[:, [0, -1]])]
    elif t.ndim == 3 and t.is_floating_point():
        found = [(t == 0).all(-1)]
    else:
        return
    for is_it in found:
        for flip in (True, False):
            turned = is_it.flip(1) if flip else is_it
            at_end = turned.cumprod(1).bool()
            counts = at_end.sum(1)
            is_chance = int(counts.max()) < 3 and int((counts > 1).sum()) < 2  # the same twice
            if (
                bool((turned == at_end).all())
                and not is_chance
                and bool((counts != counts[0]).any())
            ):
                made.note("tail", is_it, t)
