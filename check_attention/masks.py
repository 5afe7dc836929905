"""What masks and biases do to logits: keys that should not take part, signs that are wrong."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from check_attention.axes import Axis
from check_attention.measure import Measured, Sums, centred
from check_attention.traces import Call
from check_attention.words import CLOSE

LEAK = 1e-3  # a share of a row's weight that is more than rounding
BIASES = 2**18  # entries of a bias that are kept to compare it with that of other layers
STRAIGHT = 0.999  # of a bias: the share of its variance that the distance explains
# What was seen of a mask, the verdict that it leads to, and the words. Where several were seen, the
# order of Masking.verdict decides.
MASK_WORDS = {
    "later keys alone": (
        "inverted",
        "each query sees later keys alone. Look for a ~ or 1 − that is missing",
    ),
    "own key left out": (
        "strict",
        "The first query has no key at all. triu(1) leaves out later keys alone, triu(0) a "
        "query's own, too",
    ),
    "wrong corner": ("corner", "{corner}"),
    "another sequence's": (
        "fails",
        "sequences hide what is padding in others. For batch · heads masks take "
        "repeat_interleave(heads, 0), and not repeat",
    ),
    "pattern": ("later", "{pattern}"),
    "other regions": (
        "inverted",
        "where a window has several regions, queries see all but their own, and where it has one, "
        "all of it. Negate the mask",
    ),
    "far keys alone": (
        "inverted",
        "each query sees the keys far from its own, and not those near it, nor its own. Look for a "
        "~ that is missing",
    ),
    "border": (
        "border",
        "positions say where documents begin, and the mask has it one token too {border}",
    ),
    "padding alone": ("inverted", "padding takes part, and nothing else. Negate the mask"),
    "other order": (
        "fails",
        "rows of an image stand behind each other among the tokens, and what is hidden has an edge "
        "only if columns do. Flatten the mask as the image is flattened",
    ),
    "along the queries": (
        "fails",
        "it lies along the queries: rows of padding see no key, and all others see "
        "padding. Its tokens are keys: mask[:, None, None, :]",
    ),
    "zeros and ones": ("fails", "{added}"),
    "leak": (
        "fails",
        "keys that it was to leave out get up to {leaked:.0%} of a row's weight{put_there}. Put "
        "−∞ there, before softmax",
    ),
    "first of padding": (
        "fails",
        "the first {left_of_tail} of what looks like padding takes part in each sequence. Look "
        "for <= in place of <",
    ),
    "padding": ("fails", "padded tokens get up to {padded:.0%} of a row's weight"),
    "too late": (
        "later",
        "each query sees {late_keys} after its own: its causal mask begins {late_places} too late",
    ),
    "one in place of another": (
        "later",
        "with one input no query sees a later key, and with another all do, as if one mask "
        "took the place of another. Join them with &",
    ),
    "said to be causal": (
        "later",
        "{says_causal}, and queries see keys that come after them",
    ),
    "dropout": ("dropout", "{dropped}"),
    "zero keys": (
        "zeros",
        "up to {zeros} keys of a sequence are zero vectors, as padding and an empty "
        "cache have them, and get up to {zero_weight:.0%} of a row's weight",
    ),
    "own key of a cache": (
        "strict",
        "That is so where keys come from a cache: look at its length",
    ),
    "nothing wrong": ("", ""),
}


@dataclass
class Share:
    """Of how many rows something could be told, and of how many it holds."""

    told: int = 0
    holds: int = 0

    def add(self, told: Tensor, holds: Tensor) -> None:
        """Count some rows."""
        self.told += int(told.expand_as(holds).sum())
        self.holds += int((told & holds).sum())

    def is_all(self, share: float = 1.0) -> bool:
        """Say whether it holds of all rows, or of a share of them, and of more than two."""
        return self.told > 2 and self.holds >= share * self.told


@dataclass
class Masking:
    """What was seen of masks in all calls of one layer."""

    rows: int = 0  # of self-attention, but the last of each sequence
    later: int = 0  # of them, those that may see a later key
    only_later: Share = field(default_factory=Share)  # those that may see no other
    strict: Share = field(default_factory=Share)  # that see all before their own, and not their own
    # That see all up to some places behind their own:
    too_late: dict[int, Share] = field(default_factory=lambda: {n: Share() for n in (1, 2, 3)})
    leaked: float = 0.0  # the largest share of weight that went to keys that were to be left out
    filled: str = ""  # what was put there
    zeros: int = 0  # keys that are zero vectors and take part
    zero_weight: float = 0.0
    padded: float = 0.0  # the largest share of weight that went to padding
    is_padding_inverted: bool = False
    added: str = ""  # a mask of zeros and ones that was added
    dropped: str = ""  # what is wrong with dropout
    corner: str = ""  # why a causal mask does not end at the last key
    is_elsewhere: bool = False  # in other calls it ends at another one
    is_in_other_order: bool = False  # columns by columns, where tokens are rows by rows
    is_along_queries: bool = False  # rows of padding see nothing, and all others see padding
    hides_tail: bool = False  # no row sees tokens at the end that look like padding
    weight_of_tail: float = 0.0  # that they get
    is_closed: bool = False  # in some call no row sees a later key
    is_open: bool = False  # in some call every row sees all that any row sees
    # With a cache there are fewer rows than keys. Lengths at which no row sees its own key:
    cached_strict: set[tuple[int, int]] = field(default_factory=set)
    is_cached_right: bool = False  # at some length they see it
    says_causal: str = ""
    is_anothers: bool = False  # sequences have the padding of others
    left_of_tail: int = 0  # tokens of each tail that all rows see, where they see no other of it
    pattern: str = ""  # what is wrong with which keys each row sees
    sees_other_regions: bool = False  # rows see all regions but their own
    sees_far_keys: bool = False  # and none that is near
    border: str = ""  # documents begin one token too early or late

    def note_words(self, call: Call) -> None:
        """Note what is known of the mask by how the call was written."""
        scores = call.scores
        self.filled = scores.filled if scores else ""
        self.added = scores.added if scores and scores.added else self.added
        self.corner = self.corner or call.corner
        self.dropped = self.dropped or call.dropped or (scores.dropped if scores else "")
        if call.is_cut:
            self.added = "it is applied after softmax, so that the weights of a row do not sum to 1"

    def look(
        self, found: Measured, places: Tensor, keys: int, meant: Tensor | None,
        k: Tensor | None, padding: Tensor | None, count: int, is_block: bool = False,
    ) -> None:  # fmt: skip
        """Look at some rows of one call.

        Args:
            found: what takes part
            places: which rows these are
            keys: how many there are
            meant: keys that a mask was to leave out, batch × heads × rows × keys
            k: the keys, batch × heads × keys × d
            padding: which tokens the caller says are padding, batch × keys
            count: how many rows there are, of which these are some
            is_block: whether the keys are a block of more, so that others have another mask
        """
        allowed, weights = found.allowed, found.weights
        if keys > max(2, count):
            self.look_at_cache(allowed, places, count, k)
        if count == keys > 2:
            self.look_at_order(allowed, places, is_block)
            if len(places) == keys and not self.pattern:
                self.sees_other_regions |= see_other_regions(allowed)
                self.sees_far_keys |= see_far_keys(allowed)
        if meant is not None:
            given = torch.where(meant & allowed, weights, 0).sum(-1)
            self.leaked = max(self.leaked, float(given.max()))
        if k is not None and k.shape[-2] == keys:
            self.look_at_zero_keys(found, k, count)
        if padding is not None and padding.shape == (allowed.shape[0], keys):
            self.look_at_padding(found, places, padding, count)

    def look_at_zero_keys(self, found: Measured, k: Tensor, count: int) -> None:
        """Look how many keys that are zero vectors take part, and what weight they get."""
        keys = k.shape[-2]
        zero = (k == 0).all(-1)
        at = slice(-1, None) if count == keys else slice(1, None)  # in a cache also a hole
        if not bool(zero[..., at].any()) or bool(zero.all()):
            return
        # At the end alone: a first token of a new model may be zeros, too.
        if count == keys:
            zero = zero.flip(-1).cumprod(-1).flip(-1).bool()
        part = zero[:, :, None, :] & found.allowed
        if bool(part.any()):
            self.zeros = max(self.zeros, int(part.any(2).any(1).sum(-1).max()))
            given = torch.where(part, found.weights, 0).sum(-1)
            self.zero_weight = max(self.zero_weight, float(given.max()))

    def look_at_padding(self, found: Measured, places: Tensor, padding: Tensor, count: int) -> None:
        """Look what weight goes to padding, where a sequence has some and other tokens, too."""
        allowed, weights = found.allowed, found.weights
        some = padding.any(-1) & ~padding.all(-1)
        if not bool(some.any()):
            return
        real = (~padding)[:, None, :] & (weights.sum(-1) > 0).any(1)[..., None]
        given = torch.where(padding[:, None, None, :] & allowed, weights, 0).sum(-1)
        if count == padding.shape[1]:  # what padding itself sees is lost
            given = torch.where(padding[:, None, places], 0, given)
        if bool(real.any()):
            self.padded = max(self.padded, float(given.max()))

    def look_at_order(self, allowed: Tensor, places: Tensor, is_block: bool = False) -> None:
        """Look which keys before and after its own each query sees, of those that any query sees.

        What none sees is padding, and says nothing of the order.
        """
        keys = allowed.shape[-1]
        i, j = places[places < keys - 1], torch.arange(keys, device=allowed.device)
        seen, inner = allowed.any(2), allowed[:, :, places < keys - 1]
        at, known = i[:, None], seen[:, :, None]
        later, usual = (inner & (j > at)).any(-1), (inner & (j < at)).any(-1)
        self.rows += later.numel()
        self.later += int(later.sum())
        told = (known & (j > at)).any(-1) & (i > 0)
        self.only_later.add(told, later & ~usual)
        self.strict.add(seen[:, :, i] & (i > 0), (inner == (known & (j < at))).all(-1))
        reach = int(torch.where(inner, at - j, 0).max()) if inner.numel() else 0
        for more, count in self.too_late.items():
            told = (
                seen[:, :, i] & seen[:, :, (i + more).clamp(max=keys - 1)] & (i < keys - 1 - more)
            )
            told = told & (known & (j > at + more)).any(-1)  # there are keys further on
            is_late = known & (j <= at + more)
            if more == 1 and reach > 2:  # a window that looks further ahead is meant to
                is_late = is_late & (j >= at - reach)
            count.add(told, (inner == is_late).all(-1))
        is_open = bool((inner == inner.any(2, keepdim=True)).all()) and bool(later.any())
        if not is_block:
            self.is_open |= is_open
            self.is_closed |= not bool(later.any())
        if not self.pattern and bool(later.any()) and not is_open:
            self.pattern = pattern_of(inner, known, i)

    def look_at_joined(self, allowed: Tensor, places: Tensor, before: int, count: int) -> None:
        """Look at the order of keys behind others that were joined in front, such as memory.

        Args:
            allowed: the keys that take part
            places: which rows these are
            before: how many keys were joined in front
            count: how many rows there are
        """
        if count < 3:
            return
        seen = torch.arange(count, device=allowed.device) <= places[:, None]
        is_behind = bool(allowed[..., count : count + before].all())
        if is_behind and bool((allowed[..., :count] == seen).all()):
            self.pattern = (
                f"{before} keys were joined in front of the others, and its columns for them "
                "stand behind, so that it lies as many places too far to the left"
            )
            return
        self.look_at_order(allowed[..., before : before + count], places)

    def look_at_tokens(
        self, found: Measured, places: Tensor, count: int, tokens: Tensor, kind: str,
        own: slice,
    ) -> None:  # fmt: skip
        """Look what a mask does with tokens that may be padding.

        Args:
            found: what takes part
            places: which rows these are
            count: how many rows there are, of which these are some
            tokens: some of them, batch × keys
            kind: what they are: "padding"; a "tail" that looks like it; or "either", padding or all
                that is none
            own: which of the keys they are; others were joined
        """
        allowed = found.allowed
        if tokens.shape != (allowed.shape[0], allowed.shape[-1]):
            return
        seen = allowed.any(1).any(1)  # batch × keys
        some = tokens.any(-1) & ~tokens.all(-1)
        if kind != "either":
            is_it = (seen[:, own] == tokens[:, own]).all(-1)
            if kind == "tail":  # lengths tell not on which side padding stands
                is_it &= ~(seen == tokens.flip(-1).logical_not()).all(-1)
            self.is_padding_inverted |= bool((is_it & some).any())
        if count == tokens.shape[1]:
            blind = ~allowed.any(1).any(-1)
            for each in (tokens, ~tokens) if kind == "either" else (tokens,):
                of_rows = each[:, places]
                is_it = (blind == of_rows).all(-1) & of_rows.any(-1) & (seen | ~each).all(-1)
                self.is_along_queries |= bool((is_it & some).any())
        self.look_at_heads(allowed, (tokens, ~tokens) if kind == "either" else (tokens,))
        if kind == "tail" and bool(some.any()):
            gone = ~seen & tokens
            left = (tokens & seen).sum(-1)[gone.any(-1)]
            is_less = len(left) > 1 and int(left[0]) > 0 and bool((left == left[0]).all())
            if is_less and bool((seen | tokens).all()):
                self.left_of_tail = int(left[0])
            hidden = ((seen == ~tokens).all(-1) | ~some).all()
            rows = ~tokens[:, places] if count == tokens.shape[1] else some[:, None]
            given = torch.where(tokens[:, None, None], found.weights, 0).sum(-1).amax(1)
            given = torch.where(rows, given, 0).max()
            self.hides_tail |= bool(hidden)
            self.weight_of_tail = max(self.weight_of_tail, float(given))

    def look_at_documents(self, allowed: Tensor, places: Tensor, starts: Tensor) -> None:
        """Look whether rows see from where their documents begin, or from one token beside it.

        Args:
            allowed: the keys that take part
            places: which rows these are
            starts: where documents begin, batch × tokens
        """
        if starts.shape != (allowed.shape[0], allowed.shape[-1]):
            return
        first = allowed.int().argmax(-1).amin(1)  # batch × rows
        at = torch.arange(starts.shape[1], device=starts.device)

        def first_of(begins: Tensor) -> Tensor:
            """Give for each row where its document begins."""
            return torch.where(begins, at, 0).cummax(1).values[:, places]

        if bool((first == first_of(starts)).all()):
            return
        one, other = torch.ones_like(starts[:, :1]), torch.zeros_like(starts[:, :1])
        moved = {
            "early": (torch.cat([one, starts[:, 2:], other], 1),),
            # The first may then have lost its first token, too.
            "late": tuple(torch.cat([one, each, starts[:, 1:-1]], 1) for each in (other, one)),
        }
        for side, ways in moved.items():
            if any(bool((first == first_of(begins)).all()) for begins in ways):
                self.border = side

    def look_at_heads(self, allowed: Tensor, masks: Iterable[Tensor]) -> None:
        """Look whether heads hide what is padding in another sequence.

        Args:
            allowed: the keys that take part
            masks: what may be padding, batch × keys
        """
        hidden = ~allowed.any(2)  # batch × heads × keys
        for tokens in masks:
            fits = (hidden[:, :, None] == tokens).all(-1)  # batch × heads × batch
            own = fits.diagonal(dim1=0, dim2=2).T  # batch × heads
            masks_used = torch.unique(hidden.flatten(0, 1), dim=0)
            is_fitting = len(masks_used) > 1 and bool(fits.any(-1).all())
            self.is_anothers |= is_fitting and not bool(own.all())

    def look_at_copies(self, allowed: Tensor, k: Tensor | None, tokens: Tensor) -> None:
        """Look whether copies of one sequence, as beams are, hide padding of different ones.

        Args:
            allowed: the keys that take part
            k: the keys, of which several sequences are the same
            tokens: what is padding, fewer sequences × keys
        """
        copies, keys = allowed.shape[0], allowed.shape[-1]
        count = len(tokens)
        if k is None or k.shape[0] != copies or not 1 < count < copies or copies % count:
            return
        if tokens.shape[1] != keys:
            return
        hidden = ~allowed.any(1).any(1)
        if not bool((hidden[:, None] == tokens).all(-1).any(-1).all()):
            return
        kind = torch.unique(k.flatten(1), dim=0, return_inverse=True)[1]
        same = kind[:, None] == kind
        self.is_anothers |= bool((same & (hidden[:, None] != hidden).any(-1)).any())

    def look_at_certain(self, allowed: Tensor, padded: Tensor, real: Tensor) -> None:
        """Look whether rows see what is padding for certain, and nothing that is none for certain.

        Args:
            allowed: the keys that take part
            padded: what is padding, batch × keys
            real: what is none, batch × keys
        """
        if padded.shape != (allowed.shape[0], allowed.shape[-1]):
            return
        seen = allowed.any(1).any(1)
        told = padded.any(-1) & real.any(-1)
        is_it = (seen | ~padded).all(-1) & ~(seen & real).any(-1)
        self.is_padding_inverted |= bool(told.any()) and bool(is_it[told].all())

    def look_at_cache(
        self, allowed: Tensor, places: Tensor, count: int, k: Tensor | None
    ) -> None:  # fmt: skip
        """Look whether a causal mask ends at the last key where there are more keys than rows."""
        keys = allowed.shape[-1]
        i, j = places[:, None], torch.arange(keys, device=allowed.device)
        if bool((allowed == (j < i + keys - count)).all()):
            self.cached_strict.add((count, keys))
        else:
            self.is_cached_right = True
        is_oldest = bool((allowed == (j <= i)).all())
        if is_oldest and k is not None and bool((k[..., count:, :] != 0).any()):
            self.corner = self.corner or (
                f"it lets the last of {count} queries see {count} of {keys} keys, the oldest. "
                "Shift it by the length of the cache"
            )
        elif not bool(allowed.all()):
            self.is_elsewhere = True

    def verdict(self) -> tuple[str, str]:
        """Give the name of what is wrong and the words for it, or nothing."""
        late = self.places_too_late()
        seen = {
            "later keys alone": self.only_later.is_all(0.9),
            "own key left out": self.strict.is_all(),
            "wrong corner": bool(self.corner) and not self.is_elsewhere,
            "another sequence's": self.is_anothers,
            "pattern": bool(self.pattern),
            "border": bool(self.border),
            "other regions": self.sees_other_regions,
            "far keys alone": self.sees_far_keys,
            "padding alone": self.is_padding_inverted,
            "along the queries": self.is_along_queries,
            "other order": self.is_in_other_order,
            "zeros and ones": bool(self.added),
            "leak": self.leaked > LEAK,
            "first of padding": self.left_of_tail > 0,
            "padding": self.padded > LEAK,
            "too late": bool(late),
            "one in place of another": self.is_open and self.is_closed,
            "said to be causal": self.sees_later_against_its_word(),
            "dropout": bool(self.dropped),
            "zero keys": self.zeros > 0,
            "own key of a cache": self.hides_own_key_of_cache(),
            "nothing wrong": True,
        }
        name, words = MASK_WORDS[next(what for what, holds in seen.items() if holds)]
        first = late[0] if late else 0
        numbers = vars(self) | {
            "put_there": f", as it puts {self.filled} there" * bool(self.filled),
            "late_keys": "the key" if late == [1] else f"{first} keys",
            "late_places": f"{first} place{'s' * (late != [1])}",
        }
        return name, words.format(**numbers)

    def places_too_late(self) -> list[int]:
        """Give by how many places a causal mask begins too late, by all rows that tell."""
        return [more for more, count in self.too_late.items() if count.is_all()]

    def sees_later_against_its_word(self) -> bool:
        """Say whether most rows see later keys in a module that says it is causal."""
        return self.rows > 1 and bool(self.says_causal) and self.later > 0.5 * self.rows

    def hides_own_key_of_cache(self) -> bool:
        """Say whether no row sees its own key with a cache, at more lengths or rows than one."""
        lengths = {keys for _, keys in self.cached_strict}
        is_row = any(count > 2 for count, _ in self.cached_strict)
        return not self.is_cached_right and (len(lengths) > 1 or is_row)


def pattern_of(inner: Tensor, known: Tensor, i: Tensor) -> str:
    """Say what is wrong with rows of which some see later keys, if one knows such a fault.

    Args:
        inner: the keys that take part, batch × heads × rows × keys
        known: keys that any row sees, batch × heads × 1 × keys
        i: which rows these are; the last is left out
    """
    j = torch.arange(inner.shape[-1], device=inner.device)
    closed = (inner == (known & (j <= i[:, None]))).all(-1).all(0).all(0)  # of each row
    open_ = (inner == known).all(-1).all(0).all(0) & ~closed
    first = int(open_.sum())
    if 1 < first < len(i) - 2 and bool((open_ | closed).all()) and bool(open_[:first].all()):
        return (
            f"the first {int(i[first])} queries see all keys, and the others none that comes "
            "later. If they are a prefix, its keys should be seen by all: mask[:, :n], and not "
            "mask[:n]"
        )
    window = int(inner[0, 0, -1].sum()) - int((j > i[-1]).sum())
    is_short = 1 < window < len(i) - 2
    if is_short and bool((inner == (known & (j > i[:, None] - window))).all()):
        return (
            f"each query sees all later keys, and of earlier ones the last {window - 1} alone. A "
            "window needs both ends: (i - j < window) & (j <= i)"
        )
    if len(i) == inner.shape[-1] - 1 and blocks_of(inner):
        return (
            "each query sees all that came before and its own block to the end, and blocks differ "
            "from sequence to sequence. If they are documents, join masks with &, not with |"
        )
    return ""


def see_other_regions(allowed: Tensor) -> bool:
    """Say whether rows see the keys of other regions alone, and all of them where there is one.

    In some windows there has to be one region, for a mask between two kinds may be meant; and more
    than a query's own key has to be left out.

    Args:
        allowed: the keys that take part, batch · windows × heads × rows × keys, of all rows
    """
    hidden = ~allowed[:, 0]
    is_one = ~hidden.flatten(1).any(-1)
    some = hidden[~is_one]
    if not bool(is_one.any()) or not len(some):
        return False
    own = some.diagonal(dim1=1, dim2=2).all()
    linked = some.float() @ some.float() > 0  # regions: who shares one with whom
    return bool(own) and bool((linked == some).all()) and bool((some.sum(-1) > 1).any())


def see_far_keys(allowed: Tensor) -> bool:
    """Say whether rows see what lies beyond a window around their own key, and nothing within it.

    Args:
        allowed: the keys that take part, batch × heads × rows × keys, of all rows
    """
    keys = allowed.shape[-1]
    at = torch.arange(keys, device=allowed.device)
    away = (at - at[:, None]).abs().expand_as(allowed)
    told = (~allowed).any(-1) & allowed.any(-1)  # of a row that is hidden as a whole all take part
    if int(told.sum()) < keys:
        return False
    known = allowed[told].any(0)
    window = int(torch.where(allowed, away, keys)[told].min())
    is_it = (allowed == (known & (away >= window)))[told].all()
    return bool(is_it) and 1 < window < keys - 1 and bool((away >= window)[told].any(-1).all())


def blocks_of(inner: Tensor) -> bool:
    """Say whether rows see all keys up to the end of a block of their own, of two or more.

    Blocks that are the same in all sequences may be meant, as frames of a video are, and so may
    one block alone, such as a prefix.
    """
    ends = inner.sum(-1) - 1  # the last key that a row sees, if it sees all before
    keys = inner.shape[-1]
    j = torch.arange(keys, device=inner.device)
    if not bool((inner == (j <= ends[..., None])).all()):
        return False
    one = ends[:, 0]  # batch × rows
    if not bool((ends == one[:, None]).all()) or bool((one == one[:1]).all()):
        return False
    rows = torch.arange(inner.shape[2], device=inner.device)
    starts = torch.cat([rows[:1].expand(len(one), 1), one[:, :-1] + 1], 1)
    is_start = rows == starts  # the first row of a block
    sizes = torch.where(is_start, one - rows + 1, 2)
    return bool((sizes > 1).all()) and bool((is_start.sum(1) > 1).all())


def straight_bias(found: Measured, places: Tensor, offset: int) -> list[float] | None:
    """Give for each head by how much a bias falls with each step of distance, if it does so.

    Args:
        found: what is added to q·k
        places: which rows these are
        offset: how many more keys than rows there are: the last query stands at the last key
    """
    allowed = found.allowed
    j = torch.arange(allowed.shape[-1], device=allowed.device)
    distance = -(places[:, None] + offset - j).abs().float().expand(allowed.shape)
    bias, x = centred(found.level, allowed), centred(distance, allowed)
    square, cross, of_x = (
        values.sum((0, 2, 3)) for values in (bias.square(), bias * x, x.square())
    )
    slope = cross / of_x.clamp(min=1e-30)
    explained = cross * slope / square.clamp(min=1e-30)
    if not bool(((explained > STRAIGHT) & (slope.abs() > 1e-4)).all()):
        return None
    return [float(each) for each in slope]


@dataclass
class Alibi:
    """How slopes compare with those of ALiBi."""

    is_usual: bool = False
    times: float = 1.0  # as large
    is_divided: bool = False  # by √d


def compared_with_alibi(slopes: Sequence[float], d: int, is_divided: bool) -> Alibi:
    """Compare slopes with those of ALiBi, which are powers of two: fields of a row.

    Args:
        slopes: of each head
        d: the size of a head
        is_divided: whether the model means its bias to be divided by √d
    """
    heads = len(slopes)
    usual = [2 ** (-8 * (head + 1) / heads) for head in range(heads)]
    usual = [each * d**-0.5 if is_divided else each for each in usual]
    ratios = [slope / each for slope, each in zip(slopes, usual, strict=True)]
    if heads & (heads - 1) or heads < 2:
        return Alibi()

    def all_near(times: float) -> bool:
        return all(abs(ratio / times - 1) < CLOSE for ratio in ratios)

    if all_near(2) or all_near(3):
        return Alibi(times=round(ratios[0]))
    if not is_divided and d > 1 and all_near(d**-0.5):
        return Alibi(all_near(1), is_divided=True)
    if not is_divided and d > 1 and all_near(d**0.5):
        return Alibi(all_near(1), times=ratios[0])
    return Alibi(all_near(1))


def is_distance(found: Measured, k: Tensor | None) -> bool:
    """Say whether what is added makes a distance of scale·q·k: −scale·k²/2."""
    if k is None or found.scale is None or k.shape[-2] != found.level.shape[-1]:
        return False
    scale = found.scale.to(k)[:, None, None]
    rest = found.level + scale * k.square().sum(-1)[..., None, :] / 2
    spread = [torch.where(found.allowed, t, torch.nan).flatten() for t in (rest, found.level)]
    (low, high), (least, most) = ((t.min(), t.max()) for t in (s[s.isfinite()] for s in spread))
    return bool(high - low < CLOSE * (most - least))


def bias_of(found: Measured) -> Tensor | None:
    """Give what is added to q·k in the first sequence, centred by rows, if it is anything."""
    allowed, level = found.allowed[0], found.level[0]
    if allowed.numel() > BIASES:
        return None
    bias = centred(level, allowed)
    size = float(bias.abs().max()) if bias.numel() else 0.0
    return bias.cpu() if size > 0.05 else None


def compare_biases(found: Iterable[tuple[str, Sums]]) -> None:
    """Note which layers have another bias than most of their kind: the same, times a number."""
    kinds: dict[str, list[Sums]] = {}
    for layer, sums in found:
        if any(bias is not None for bias in sums.biases):
            kinds.setdefault(re.sub(r"\d+", "#", layer), []).append(sums)
    for layers in kinds.values():
        biases = [bias for sums in layers for bias in sums.biases if bias is not None]
        if len(layers) < 3 or len({bias.shape for bias in biases}) > 1:
            continue
        for usual in biases:
            times = [_times(bias, usual) for bias in biases]
            same = [abs(each - 1) < CLOSE for each in times]
            if 2 * sum(same) > len(layers):
                for sums, each, holds in zip(layers, times, same, strict=True):
                    if not holds and each == each:
                        sums.of_layer.is_other_bias = True
                        sums.of_layer.bias_times = each
                break


@dataclass
class Weighed:
    """What a call made of the keys that were made of some tokens."""

    masking: Masking
    tokens: tuple[Axis, ...]  # the axes that these began as
    hidden: Tensor  # that no row sees, batch × keys
    most: Tensor  # the largest weight that each gets, batch × keys
    is_own: bool  # the queries were made of them, too

    def looks_like_padding(self) -> bool:
        """Say whether what is hidden differs from sequence to sequence, and lies at an end of each:
        of each axis, as of images with a border. Tokens that are hidden by chance lie anywhere.
        """
        return self.has_edges(*(axis.size for axis in self.tokens))

    def is_in_other_order(self) -> bool:
        """Say whether it lies so only if the columns of an image stand behind each other."""
        sizes = [axis.size for axis in self.tokens]
        in_a_row = math.prod(sizes)
        ways = (sizes, [in_a_row])
        return (
            len(sizes) == 2
            and not any(self.has_edges(*way) for way in ways)
            and self.has_edges(*sizes[::-1])
        )

    def has_edges(self, *sizes: int) -> bool:
        """Say whether it differs, and has edges if tokens have these axes."""
        differs = bool((self.hidden[:1] != self.hidden).any())
        fits = math.prod(sizes) == len(self.hidden[0])
        return differs and fits and has_edges(~self.hidden.view(-1, *sizes))


def has_edges(real: Tensor) -> bool:
    """Say whether what is real is a rectangle at a corner, in each sequence: batch × each axis."""
    inside = torch.ones_like(real)
    for at in range(1, real.ndim):
        others = [dim for dim in range(1, real.ndim) if dim != at]
        seen = real.amax(others, keepdim=True) if others else real
        changes = seen.diff(dim=at).sum(at)
        if bool((changes > 1).any()):
            return False
        inside &= seen
    return bool((real == inside).all()) and bool(real.flatten(1).any(1).all())


def compare_hidden(found: Iterable[Weighed]) -> None:
    """Note which calls see tokens that a self-attention hides from all rows, as padding is."""
    by_tokens: dict[tuple[Any, ...], list[Weighed]] = {}
    for each in found:
        by_tokens.setdefault((*each.tokens, each.hidden.shape), []).append(each)
    for calls in by_tokens.values():
        hidden = torch.zeros_like(calls[0].hidden)
        for each in calls:
            if each.is_own and each.looks_like_padding():
                hidden |= each.hidden
        for each in calls:
            each.masking.is_in_other_order |= each.is_in_other_order()
            given = torch.where(hidden, each.most, 0)
            each.masking.padded = max(each.masking.padded, float(given.max()))


def compare_padding(found: Iterable[Sums]) -> None:
    """Note which layers see tokens that look like padding, and that others hide."""
    masks: list[Masking] = [sums.masking for sums in found if sums.masking]
    if any(mask.hides_tail for mask in masks):
        for mask in masks:
            mask.padded = max(mask.padded, mask.weight_of_tail)


def _times(bias: Tensor, usual: Tensor) -> float:
    """Give how many times a bias is as large as another, or NaN if it is no multiple of it."""
    cross, square = float((bias * usual).sum()), float(usual.square().sum())
    own = float(bias.square().sum())
    explained = cross**2 / (square * own) if square and own else 0.0
    return cross / square if explained > STRAIGHT else float("nan")
