"""What is measured of some rows of logits, and how it adds up to what is said of a head."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from check_attention.rows import OfLayer, Row
from check_attention.words import CLOSE

GAP = 50.0  # a key that a mask puts so far below the rest of its row is none: e^(−50) is no weight
EMPTY = 5e3  # a row that lies so far below all others has no key: −10⁴ was added to all of it
NO_ROW = -1e9
SCALES_KEPT = 8  # distinct scales of one layer that are told


@dataclass
class Scored:
    """Where some rows of logits come from: q and k as batch × heads × length × d."""

    q: Tensor
    k: Tensor
    scale: Tensor  # for each head, what q·k was multiplied by since
    factors: tuple[Tensor, Tensor]  # for each head, what q and k had been multiplied by before
    is_sum: bool = True  # logits are scale·q·k and what was added: no cap, no mixing of heads


class Sums:
    """Sums over the calls of one layer, a number for each head, in double precision."""

    def __init__(self, of_layer: OfLayer, is_made: bool = False) -> None:
        self.of_layer = of_layer
        self.is_made = is_made  # by a layer, and by no product of q and k
        self.sums: dict[str, Tensor] = {}
        self.scales: list[Tensor] = []  # distinct ones
        self.lengths: list[int] = []  # how many keys their calls had
        self.order: list[int] | None = None  # in which grouped heads share keys
        self.masking: Any = None  # a Masking, once a mask was looked for
        self.biases: list[Tensor | None] = []  # what the first call adds to q·k, if that is kept
        self.bias_slopes: list[float] = []  # of a bias that falls with the distance, of each head
        self.is_bias_divided = False  # it was scaled with q·k
        self.may_be_divided = False  # so is what was added, if it is any bias

    def add(self, found: dict[str, Tensor]) -> None:
        """Add what was found in one call, all of it or nothing; keep the largest of each max."""
        found = {name: value.cpu().double() for name, value in found.items()}
        for name, value in found.items():
            join = torch.maximum if name.startswith("max ") else torch.add
            self.sums[name] = join(self.sums[name], value) if name in self.sums else value

    def note_scale(self, scale: Tensor, length: int = 0) -> None:
        """Keep a scale, if none like it was seen before."""
        scale = scale.detach().cpu().double()
        new = all(bool((scale - s).abs().gt(CLOSE / 10 * s.abs()).any()) for s in self.scales)
        if new and len(self.scales) < SCALES_KEPT:
            self.scales.append(scale)
            self.lengths.append(length)

    def other_order(self, order: list[int] | None) -> tuple[str, str] | None:
        """Say whether grouped heads share keys in another order than in the calls before."""
        if self.order is None or order is None:
            self.order = self.order or order
            return None
        if order == self.order or len({*order}) != len({*self.order}):
            return None
        return "grouped", (
            f"heads use keys {self.order} in one call, and {order} in another. Repeat them in the "
            "same order, with and without a cache"
        )

    @property
    def noted(self) -> Iterator[tuple[Tensor, int]]:
        """Scales, and how many keys their calls had."""
        return zip(self.scales, self.lengths, strict=True)

    def rows(self, layer: str) -> Iterator[Row]:
        """Yield what each head did."""
        columns = self.columns() | self.lengths_of_vectors()
        of_layer, masking = self.of_layer, self.masking
        if masking:
            of_layer.mask_verdict, of_layer.mask_detail = masking.verdict()
            of_layer.later = masking.later / masking.rows if masking.rows else math.nan
        for head in range(len(self.sums["rows"])):
            numbers: Any = {name: float(column[head]) for name, column in columns.items()}
            for name in ("rows", "not_finite", "empty", "first_broken"):
                numbers[name] = int(numbers[name])
            numbers["is_even"] = bool(numbers["is_even"])
            numbers["is_bias_divided"] = self.is_bias_divided or (
                self.may_be_divided and numbers["spread_bias"] > CLOSE
            )
            if self.bias_slopes:
                numbers["bias_slope"] = self.bias_slopes[head]
            of_head = self.scales_of(head) | numbers
            row = Row(layer=layer, head=head, **vars(of_layer), **of_head)
            row.judge()
            yield row

    def scales_of(self, head: int) -> dict[str, Any]:
        """Give the scales that a head had, and the keys of their calls, if it had several."""
        if len(self.scales) < 2:
            return {}
        keys_of = {float(scale[head]): n for scale, n in self.noted}
        scales = sorted(keys_of)
        return {"scales": scales, "lengths": [keys_of[scale] for scale in scales]}

    def columns(self) -> dict[str, Tensor]:
        """Give fields of a row, a number for each head: means over the rows that were counted."""
        s = self.sums
        nothing = torch.full_like(s["rows"], math.nan)
        count = torch.where(s["rows"] > 0, s["rows"], math.nan)

        def mean(name: str) -> Tensor:
            return s[name] / count if name in s else nothing

        def root(name: str) -> Tensor:
            return mean(name).clamp(min=0).sqrt()

        share = 1 / mean("concentration")
        return {
            "rows": s["rows"],
            "not_finite": s["not finite"],
            "is_even": s.get("max uneven", torch.ones_like(s["rows"])) < CLOSE,
            "empty": s["empty"],
            "first_broken": torch.where(s["max -broken"] > NO_ROW, -s["max -broken"], -1),
            "keys": mean("keys"),
            "spread": root("variance"),
            "spread_qk": root("variance of q·k"),
            "spread_bias": root("variance of bias"),
            "spread_root": root("variance with the root"),
            "max_spread": s["max variance"].sqrt().where(s["rows"] > 0, math.nan),
            "freezes": (2 * mean("log keys")).sqrt(),
            "sharing": share * mean("keys"),
            "sharing_qk": mean("keys") / mean("concentration of q·k"),
            "sharing_root": mean("keys") / mean("concentration with the root"),
            "share": share,
            "largest": mean("largest"),
            "sink": mean("sink"),
            "entropy": mean("entropy"),
            "min_entropy": (-s["max order"]).where(s["rows"] > 0, math.nan),
            "max_logit": s["max logit"].where(s["rows"] > 0, math.nan),
            "max_qk": s.get("max q·k", nothing).where(s["rows"] > 0, math.nan),
            "scale": self.scales[0] if self.scales else nothing,
        }

    def lengths_of_vectors(self) -> dict[str, Tensor]:
        """Give how long q and k are before their factors, a number for each head."""
        s = self.sums
        if "qq" not in s:
            return dict.fromkeys(("q_norm", "k_norm"), torch.full_like(s["rows"], math.nan))
        of_q, of_k = s["of q"] / s["calls"], s["of k"] / s["calls"]
        q, k = s["qq"].sum() / s["queries"].sum(), s["kk"].sum() / s["all keys"].sum()
        return {
            "q_norm": (s["qq"] / s["queries"]).sqrt() / of_q.abs(),
            "k_norm": (s["kk"] / s["all keys"]).sqrt() / of_k.abs(),
            "lopsided": (q / k).sqrt() * (of_k / of_q).abs(),
        }


def taken(count: int, wanted: int, bad: Tensor) -> Tensor:
    """Give some of `count` places, evenly spaced, with the first and the last, and bad ones."""
    wanted = max(1, min(count, wanted))
    even = torch.linspace(0, count - 1, wanted, device=bad.device).round().long()
    return torch.unique(torch.cat([even, bad.nonzero()[:wanted, 0]]))  # type: ignore[no-any-return]


def above_gap(level: Tensor, allowed: Tensor, gap: float) -> Tensor:
    """Leave out the keys that a mask puts far below the others of their row, as −100 does.

    A bias that falls with the distance has no gap, however low it gets. What counts is the distance
    from the rest of the row, as softmax does not see what is added to all of it.
    """
    low, high = (level.masked_fill(~allowed, far) for far in (math.inf, -math.inf))
    top = high.amax(-1)
    finite = top.isfinite()
    if bool(finite.any()):  # rows that were masked as a whole by a number
        highest = top[finite].amax()
        allowed = allowed & ~(finite & (top < highest - EMPTY))[..., None]
    wide = top - low.amin(-1) > gap
    if not bool(wide.any()):
        return allowed
    some = high[wide]
    ordered = some.sort(-1, descending=True).values
    # What large numbers lose in rounding is no gap.
    rounding = 4 * torch.finfo(level.dtype).eps * ordered[:, 1:].abs()
    rounding = rounding.where(rounding.isfinite(), torch.zeros_like(rounding))
    is_gap = ordered[:, :-1] - ordered[:, 1:] > gap + rounding
    edge = ordered.gather(-1, is_gap.int().argmax(-1, keepdim=True))
    allowed = allowed.clone()
    allowed[wide] &= (some >= edge) | ~is_gap.any(-1, keepdim=True)
    return allowed


@dataclass
class Measured:
    """What other questions need of the rows that were measured: batch × heads × rows × keys."""

    allowed: Tensor  # the keys that take part
    logits: Tensor  # −∞ where a key does not take part
    level: Tensor  # logits without scale·q·k: what a bias and a mask add
    weights: Tensor
    scale: Tensor | None = None  # of each head, all factors together
    is_sum: bool = False  # logits are scale·q·k and level


@dataclass
class Kept:
    """One softmax call, as it is compared with that of another model."""

    place: str
    of_layer: OfLayer
    measured: Measured
    is_half: bool  # in 16 bits
    order: list[int] | None  # of grouped heads
    output: list[Tensor] = field(default_factory=list)  # of the module, at its last call


def uneven(t: Tensor) -> Tensor:
    """Say for each head by how much a length differs from the mean at most, relative to it."""
    lengths = t.norm(dim=-1)
    mean = lengths.mean((0, 2), keepdim=True).clamp(min=1e-30)
    most: Tensor = (lengths / mean - 1).abs().amax((0, 2))
    return most


def centred(values: Tensor, allowed: Tensor) -> Tensor:
    """Take the mean over the keys that take part away from each row; 0 for all others."""
    count = allowed.sum(-1, keepdim=True).clamp(min=1)
    values = torch.where(allowed, values, 0)
    return torch.where(allowed, values - values.sum(-1, keepdim=True) / count, 0)


class Counted:
    """Some rows of logits, batch × heads × rows × keys, and what of them is counted."""

    def __init__(self, allowed: Tensor, is_odd: Tensor) -> None:
        self.allowed = allowed
        self.keys = allowed.sum(-1)
        self.counts = (self.keys > 1) & ~is_odd  # one key alone has no spread

    def total(self, values: Tensor) -> Tensor:
        """Sum a number of each row over the rows of each head."""
        return torch.where(self.counts, values, 0).sum((0, 2))

    def largest(self, values: Tensor) -> Tensor:
        """Give the largest of a number of each row, for each head."""
        return torch.where(self.counts, values, -math.inf).amax((0, 2))

    def centred(self, values: Tensor) -> Tensor:
        """Take the mean over the keys away, as softmax does not see it."""
        return centred(values, self.allowed)

    def variance(self, values: Tensor) -> Tensor:
        """Give the variance of each row, over the keys that take part."""
        return self.centred(values).square().sum(-1) / (self.keys - 1).clamp(min=1)

    def size(self, values: Tensor) -> Tensor:
        """Give the largest |value| of each row."""
        return torch.where(self.allowed, values, 0).abs().amax(-1)

    def softmax(self, logits: Tensor) -> Tensor:
        """Give weights, 0 where a row has no key."""
        return logits.masked_fill(~self.allowed, -math.inf).softmax(-1).nan_to_num(0)

    def concentration(self, weights: Tensor) -> Tensor:
        """Give the number of keys over the number of those that take part, of each row."""
        return self.keys * weights.square().sum(-1)


def measure(
    sums: Sums, logits: Tensor, scored: Scored | None = None, sink: Tensor | None = None,
    places: Tensor | None = None, is_broken: bool = True,
) -> Measured:  # fmt: skip
    """Add some rows of one call.

    Args:
        sums: what they are added to
        logits: what softmax sees, batch × heads × rows × keys
        scored: where they come from, if that is known
        sink: logits of what takes weight and is no key, batch × heads × rows × any number
        places: which rows these are
        is_broken: whether the weights were NaN where softmax makes them so
    """
    logits = logits.float()
    is_sum = bool(scored and scored.is_sum)
    score = scored.q.float() @ scored.k.float().transpose(-1, -2) if scored else None
    level = logits
    if scored and score is not None and scored.is_sum:
        level = logits - scored.scale[:, None, None] * score
    allowed = above_gap(level, logits != -math.inf, GAP if is_sum else 2 * GAP)
    broken = logits.isnan() | (logits == math.inf)
    rows = Counted(allowed, broken.any(-1))
    empty = (logits == -math.inf).all(-1) & is_broken
    if sink is not None:
        empty &= (sink == -math.inf).all(-1)
    logits = logits.masked_fill(~allowed, -math.inf)
    weights = logits.softmax(-1).nan_to_num(0)
    found = of_what_is_broken(broken, empty, places) | of_softmax(rows, logits, weights)
    if sink is not None:
        lost = sink.float().logsumexp(-1) - logits.logsumexp(-1)
        found["sink"] = rows.total(lost.sigmoid())
    if scored and score is not None:
        found |= of_vectors(scored, has_odd_rows=bool(broken.any()))
        found |= of_product(rows, scored, score, is_mixed=sums.of_layer.is_mixed)
        if is_sum:
            found |= of_what_is_added(rows, logits, level, scored, score, sums.of_layer.d or 1)
    sums.add(found)
    if not scored:
        return Measured(allowed, logits, level, weights)
    whole = (scored.scale * scored.factors[0] * scored.factors[1]).detach().cpu().double()
    sums.note_scale(whole, logits.shape[-1])
    return Measured(allowed, logits, level, weights, whole, is_sum)


def of_what_is_broken(broken: Tensor, empty: Tensor, places: Tensor | None) -> dict[str, Tensor]:
    """Count logits that are not finite and rows without a key, and find the first such row."""
    at = torch.arange(broken.shape[2], device=broken.device) if places is None else places
    first = torch.where(broken.any(-1) | empty, -at.float(), -math.inf).amax((0, 2))
    return {
        "not finite": broken.sum((0, 2, 3)),
        "empty": empty.sum((0, 2)),
        "max -broken": first.clamp(min=NO_ROW),
    }


def of_softmax(rows: Counted, logits: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """Measure how far rows spread, and how their weights are shared out."""
    variance = rows.variance(logits)
    entropy = torch.special.entr(weights).sum(-1)
    return {
        "rows": rows.total(torch.ones_like(variance)),
        "keys": rows.total(rows.keys.float()),
        "log keys": rows.total(rows.keys.clamp(min=1).float().log()),
        "variance": rows.total(variance),
        "max variance": rows.largest(variance),
        "concentration": rows.total(rows.concentration(weights)),
        "largest": rows.total(weights.amax(-1)),
        "entropy": rows.total(entropy),
        "max order": rows.largest(-entropy),
        "max logit": rows.largest(rows.size(logits)),
    }


def of_vectors(scored: Scored, has_odd_rows: bool) -> dict[str, Tensor]:
    """Measure how long q and k are."""
    heads = len(scored.scale)
    both = (scored.q.float(), scored.k.float())
    q, k = (t.nan_to_num(0, 0, 0) for t in both) if has_odd_rows else both
    return {
        "calls": torch.ones(heads),
        "of q": scored.factors[0],
        "of k": scored.factors[1],
        "qq": q.square().mean(-1).sum((0, 2)),
        "kk": k.square().mean(-1).sum((0, 2)),
        "queries": torch.full((heads,), q.shape[0] * q.shape[2]),
        "all keys": torch.full((heads,), k.shape[0] * k.shape[2]),
        "max uneven": torch.maximum(uneven(q), uneven(k)),
    }


def of_product(rows: Counted, scored: Scored, score: Tensor, is_mixed: bool) -> dict[str, Tensor]:
    """Measure scale·q·k by itself; of heads that are mixed since, only how large it is."""
    scale = scored.scale[:, None]
    part = scale[..., None] * score
    found = {"max q·k": rows.largest(rows.size(part))}
    if is_mixed:
        return found
    alone = part.masked_fill(~rows.allowed, -math.inf).softmax(-1)
    return found | {
        "concentration of q·k": rows.total(rows.concentration(alone)),
        "variance of q·k": rows.total(scale.square() * rows.variance(score)),
    }


def of_what_is_added(
    rows: Counted, logits: Tensor, level: Tensor, scored: Scored, score: Tensor, d: int
) -> dict[str, Tensor]:
    """Measure what is added to scale·q·k, and what 1/√d would make of a row with another scale."""
    added = rows.centred(logits) - scored.scale[:, None, None] * rows.centred(score)
    found = {"variance of bias": rows.total(rows.variance(added))}
    right = d**-0.5 / (scored.factors[0] * scored.factors[1])
    if bool(((scored.scale / right - 1).abs() > CLOSE).any()):
        mended = level + right[:, None, None] * score
        found["variance with the root"] = rows.total(rows.variance(mended))
        found["concentration with the root"] = rows.total(rows.concentration(rows.softmax(mended)))
    return found
