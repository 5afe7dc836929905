"""What is measured of some rows of logits, and how it adds up to what is said of a head."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from check_attention.rows import Row
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

    def __init__(self, **about: Any) -> None:
        self.sums: dict[str, Tensor] = {}
        self.scales: list[Tensor] = []  # distinct ones
        self.lengths: list[int] = []  # how many keys their calls had
        self.about = about  # the fields of a row that are the same for all heads

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

    @property
    def noted(self) -> Iterator[tuple[Tensor, int]]:
        """Scales, and how many keys their calls had."""
        return zip(self.scales, self.lengths, strict=True)

    def rows(self, layer: str) -> Iterator[Row]:
        """Yield what each head did."""
        s = self.sums
        nothing = torch.full_like(s["rows"], math.nan)
        count = torch.where(s["rows"] > 0, s["rows"], math.nan)

        def mean(name: str) -> Tensor:
            return s[name] / count if name in s else nothing

        def root(name: str) -> Tensor:
            return mean(name).clamp(min=0).sqrt()

        share = 1 / mean("concentration")
        columns = {
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
            "max_spread": s["max variance"].sqrt(),
            "freezes": (2 * mean("log keys")).sqrt(),
            "sharing": share * mean("keys"),
            "sharing_qk": mean("keys") / mean("concentration of q·k"),
            "sharing_root": mean("keys") / mean("concentration with the root"),
            "share": share,
            "largest": mean("largest"),
            "sink": mean("sink"),
            "entropy": mean("entropy"),
            "min_entropy": -s["max order"],
            "max_logit": s["max logit"],
            "max_qk": s.get("max q·k", nothing),
        }
        columns |= dict.fromkeys(("scale", "q_norm", "k_norm"), nothing)
        if "qq" in s:
            of_q, of_k = s["of q"] / s["calls"], s["of k"] / s["calls"]
            columns["q_norm"] = (s["qq"] / s["queries"]).sqrt() / of_q.abs()
            one, other = (
                s[name].sum() / s[count].sum()
                for name, count in (("qq", "queries"), ("kk", "all keys"))
            )
            columns["lopsided"] = (one / other).sqrt() * (of_k / of_q).abs()
            columns["k_norm"] = (s["kk"] / s["all keys"]).sqrt() / of_k.abs()
        if self.scales:
            columns["scale"] = self.scales[0]
        for name in ("max_spread", "min_entropy", "max_logit", "max_qk"):
            columns[name] = columns[name].where(s["rows"] > 0, math.nan)
        known = {each.name for each in fields(Row)}
        if masking := self.about.get("masking"):
            verdict, detail = masking.verdict()
            self.about |= {"mask_verdict": verdict, "mask_detail": detail}
            self.about["later"] = masking.later / masking.rows if masking.rows else math.nan
        may_be_divided = self.about.get("may_be_divided", False)
        about = {name: value for name, value in self.about.items() if name in known}
        for head in range(len(count)):
            numbers: Any = {name: float(column[head]) for name, column in columns.items()}
            for name in ("rows", "not_finite", "empty", "first_broken"):
                numbers[name] = int(numbers[name])
            numbers["is_even"] = bool(numbers["is_even"])
            if len(self.scales) > 1:
                each = {float(scale[head]): n for scale, n in self.noted}
                numbers["scales"] = sorted(each)
                numbers["lengths"] = [each[scale] for scale in numbers["scales"]]
            of_head = dict(about)
            for name in ("bias_slope",):
                if isinstance(of_head.get(name), list):
                    of_head[name] = of_head[name][head]
            if may_be_divided and numbers["spread_bias"] > CLOSE:
                of_head["is_bias_divided"] = True
            row = Row(layer, head, **of_head, **numbers)
            row.judge()
            yield row


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


def uneven(t: Tensor) -> Tensor:
    """Say for each head by how much a length differs from the mean at most, relative to it."""
    lengths = t.norm(dim=-1)
    mean = lengths.mean((0, 2), keepdim=True).clamp(min=1e-30)
    return (lengths / mean - 1).abs().amax((0, 2))


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
    heads = logits.shape[1]
    allowed = logits != -math.inf
    level = logits
    if scored:
        q, k = scored.q.float(), scored.k.float()
        score = q @ k.transpose(-1, -2)
        part = scored.scale[:, None, None] * score
        level = logits - part if scored.is_sum else logits
    is_sum = bool(scored and scored.is_sum)
    allowed = above_gap(level, allowed, GAP if is_sum else 2 * GAP)
    broken = logits.isnan() | (logits == math.inf)
    keys = allowed.sum(-1)
    is_odd = broken.any(-1)
    empty = (logits == -math.inf).all(-1) & is_broken
    if sink is not None:
        empty &= (sink == -math.inf).all(-1)
    counts = (keys > 1) & ~is_odd
    least = (keys - 1).clamp(min=1)
    logits = logits.masked_fill(~allowed, -math.inf)

    def total(values: Tensor) -> Tensor:
        return torch.where(counts, values, 0).sum((0, 2))

    def largest(values: Tensor) -> Tensor:
        return torch.where(counts, values, -math.inf).amax((0, 2))

    def centred(values: Tensor) -> Tensor:
        mean = torch.where(allowed, values, 0).sum(-1) / keys.clamp(min=1)
        return torch.where(allowed, values - mean[..., None], 0)

    def size(values: Tensor) -> Tensor:
        return torch.where(allowed, values, 0).abs().amax(-1)

    weights = logits.softmax(-1).nan_to_num(0)
    middle = centred(logits)
    variance = middle.square().sum(-1) / least
    entropy = torch.special.entr(weights).sum(-1)
    at = torch.arange(logits.shape[2], device=logits.device) if places is None else places
    first = torch.where(is_odd | empty, -at.float(), -math.inf).amax((0, 2))
    found = {
        "rows": total(torch.ones_like(variance)),
        "not finite": broken.sum((0, 2, 3)),
        "empty": empty.sum((0, 2)),
        "max -broken": first.clamp(min=NO_ROW),
        "keys": total(keys.float()),
        "log keys": total(keys.clamp(min=1).float().log()),
        "variance": total(variance),
        "max variance": largest(variance),
        "concentration": total(keys * weights.square().sum(-1)),
        "largest": total(weights.amax(-1)),
        "entropy": total(entropy),
        "max order": largest(-entropy),
        "max logit": largest(size(logits)),
    }
    if sink is not None:
        lost = sink.float().logsumexp(-1) - logits.logsumexp(-1)
        found["sink"] = total(lost.sigmoid())
    if scored:
        of_q, of_k = scored.factors
        q, k = (t.nan_to_num(0, 0, 0) if bool(is_odd.any()) else t for t in (q, k))
        scale = scored.scale[:, None]
        found |= {
            "calls": torch.ones(heads),
            "of q": of_q,
            "of k": of_k,
            "qq": q.square().mean(-1).sum((0, 2)),
            "kk": k.square().mean(-1).sum((0, 2)),
            "queries": torch.full((heads,), q.shape[0] * q.shape[2]),
            "all keys": torch.full((heads,), k.shape[0] * k.shape[2]),
            "max q·k": largest(size(part)),
            "max uneven": torch.maximum(*(uneven(t) for t in (q, k))),
        }
        product = centred(score)
        if not sums.about.get("is_mixed"):
            alone = part.masked_fill(~allowed, -math.inf).softmax(-1)
            found["concentration of q·k"] = total(keys * alone.square().sum(-1))
            found["variance of q·k"] = total(scale.square() * product.square().sum(-1) / least)
        if scored.is_sum:
            added = middle - scale[..., None] * product
            found["variance of bias"] = total(added.square().sum(-1) / least)
            right = (sums.about["d"] or 1) ** -0.5 / (of_q * of_k)
            if bool(((scored.scale / right - 1).abs() > CLOSE).any()):
                mended = (level + right[:, None, None] * score).masked_fill(~allowed, -math.inf)
                sharp = mended.softmax(-1).nan_to_num(0)
                found["variance with the root"] = total(
                    centred(mended.masked_fill(~allowed, 0)).square().sum(-1) / least
                )
                found["concentration with the root"] = total(keys * sharp.square().sum(-1))
    sums.add(found)
    if not scored:
        return Measured(allowed, logits, level, weights)
    whole = (scored.scale * scored.factors[0] * scored.factors[1]).detach().cpu().double()
    sums.note_scale(whole, logits.shape[-1])
    return Measured(allowed, logits, level, weights, whole, is_sum)
