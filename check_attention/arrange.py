"""Which axes of a call are batch, heads, rows and keys; and the measuring of a call."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from check_attention.axes import Axes, Axis, Contraction, contraction, fitted
from check_attention.masks import (
    Masking,
    Weighed,
    bias_of,
    compared_with_alibi,
    is_distance,
    straight_bias,
)  # fmt: skip
from check_attention.measure import Kept, Measured, Scored, Sums, measure, taken
from check_attention.products import axes_of_letters
from check_attention.rows import OfLayer
from check_attention.slopes import NoReplayError, Slopes, slopes_by_row, slopes_of
from check_attention.traces import (
    Arrangement,
    Call,
    Known,
    MisfitError,
    Part,
    Scores,
    Trace,
    alike_factors,
    code_line,
    digest,
    has_nan,
    words_of_added,
)  # fmt: skip
from check_attention.words import CLOSE, LOW

ENTRIES = 2**24  # logits that are held at once; fewer rows where there would be more
Rows = Callable[[Tensor, Tensor], Tensor]  # of scale·q·k and places: the logits
LogitsOf = Callable[[Arrangement, Axes, list[int]], Rows]  # of a call, its axes and its shape


class Look:
    """Arranges calls, measures them, and judges what their axes say."""

    def __init__(self, watcher: Any) -> None:
        self.watcher = watcher  # a Watcher (watcher.py), which is defined by means of this

    # Axes

    def arranged(self, call: Call, keys: set[Axis]) -> Arrangement:
        """Tell batch, heads, rows and keys apart.

        What a layer's weights made is heads, or keys and rows if they are exchanged. Where nothing
        is known of that, the number of heads that the module says decides, and then the place.
        """
        every = [axis for dim in call.axes for axis in (dim or (Axis(1),))]
        of_keys = [axis for axis in every if axis.root in keys]
        rest = [axis for axis in every if axis.root not in keys]
        if not of_keys:
            raise MisfitError("its weights and v have no axis in common that softmax had")
        scores = call.scores
        if scores is None:
            return self.by_place(call, rest, of_keys)
        part = scores.part
        of_k = {part.side(axis) for axis in of_keys}
        query = {"first": "second", "second": "first"}.get(next(iter(of_k)), "first")
        alone = [axis for axis in rest if part.side(axis) == query]
        shared = [axis for axis in rest if axis not in alone]
        features_keys = all(axis.is_feature for axis in of_keys)
        is_known = any(axis.is_feature for axis in (*part.summed, *rest, *of_keys))
        if is_known and features_keys and all(axis.is_feature for axis in part.summed):
            # Both are made of features: heads stand where tokens should.
            real = [axis for axis in shared if axis.size > 1]
            heads = real[-1:]
            return Arrangement([a for a in shared if a not in heads], heads, alone, of_keys)
        if is_known and features_keys:
            heads = [axis for axis in shared if axis.is_feature]
            return Arrangement([a for a in shared if a not in heads], heads, alone, of_keys)
        if is_known:
            heads = [axis for axis in rest if axis.is_feature]
            batch = [axis for axis in shared if axis not in heads]
            return Arrangement(batch, heads, [a for a in alone if a not in heads], of_keys)
        return self.by_number(call, shared, alone, of_keys)

    def by_number(
        self, call: Call, shared: list[Axis], alone: list[Axis], keys: list[Axis]
    ) -> Arrangement:
        """Find heads by the number that the module says."""
        own, said = call.said.heads_here, call.said.heads_around
        if len(shared) > 2:  # windows and groups stand beside heads
            for stop in range(len(shared), 1, -1):
                for start in range(stop - 1, 0, -1):
                    if torch.Size([a.size for a in shared[start:stop]]).numel() == said:
                        heads = shared[start:stop]
                        return Arrangement(shared[:start] + shared[stop:], heads, alone, keys)
        if len(alone) > 1 and not any(axis.size == said for axis in shared):
            # Keys that heads share: one axis of the queries alone is heads.
            of_size = [axis for axis in alone if axis.size == said]
            heads = of_size[-1:] or (alone[:1] if len(shared) < 2 else [])
            if heads:
                return Arrangement(shared, heads, [a for a in alone if a not in heads], keys)
        if len(shared) > 1:
            return Arrangement(shared[:1], shared[1:], alone, keys)
        if shared and own and shared[0].size % own == 0:
            return Arrangement(shared, [], alone, keys, split=own)
        return Arrangement(shared, [], alone, keys)

    def by_place(self, call: Call, rest: list[Axis], keys: list[Axis]) -> Arrangement:
        """Find heads and rows of logits whose q and k were not seen."""
        if len(rest) < 2:
            return Arrangement([], [], rest, keys)
        lead, rows = rest[:-1], rest[-1]
        said = call.said.heads_around
        if len(rest) == 3 and lead[1].size != said == rows.size:  # batch × rows × heads × keys
            return Arrangement(lead[:1], [rows], [lead[1]], keys)
        return self.by_number(call, lead, [rows], keys)

    def over_last(self, call: Call) -> bool:
        """Say whether softmax runs over the last axis, as attention mostly does."""
        return bool(call.axes[-1]) and {a.root for a in call.axes[-1]} == call.over

    def is_of_tokens(self, call: Call, keys: set[Axis]) -> bool:
        """Say whether keys are made of the input, and not of parameters alone."""
        scores = call.scores
        if scores is None:
            return True
        part = scores.part
        owned = [self.watcher.trace(part.product.tensors[at]).is_owned for at in part.pair]
        sides = {part.side(axis) for dim in call.axes for axis in dim if axis.root in keys}
        return not any(
            is_owned and side in sides
            for is_owned, side in zip(owned, ("first", "second"), strict=True)
        )

    # One call

    def measure(self, call: Call) -> None:
        """Measure some rows of a call, all those that are not finite among them."""
        keys = call.keys if call.keys is not None and call.scores else call.over
        if keys is None:
            raise MisfitError(f"its weights are {call.form} of scores, and met no v")
        if not keys and not call.over:
            keys = self.single_key(call)
        if not any(axis.root in keys for dim in call.axes for axis in dim):
            keys = self.same_size(call, keys)
        found = self.arranged(call, keys)
        groups = [found.batch, found.heads, found.rows, found.keys]
        count = torch.Size([axis.size for axis in found.rows]).numel()
        columns = torch.Size([axis.size for axis in found.keys]).numel()
        if columns == 1 and "exp" in call.form:
            return  # of a row that is computed in pieces, the last may be one key
        lead = call.logits.numel() // max(1, count * columns)
        logits = found.place(call.logits, call.axes, groups)
        peak = logits.amax(-1).float()
        bad = ~peak.isfinite()
        if not call.has_nan:
            bad &= peak != -torch.inf
        places = taken(count, self.few(lead, columns), bad.flatten(0, 1).any(0))
        logits = logits[:, :, places] * call.base
        call.lowest = float(logits.amin()) if logits.numel() else 0.0
        if call.scores:
            self.measure_slopes(call, found)
        scores, shown, sink = call.scores, logits, None
        q = k = None
        if scores is not None:
            q, k, before = self.of_scores(call, found, places)
            if k is not None and k.shape[2] != columns:
                shown = logits[..., before : before + k.shape[2]]
                sink = torch.cat([logits[..., :before], logits[..., before + k.shape[2] :]], -1)
        self.add(call, found, places, count, shown, sink, q, k)
        if sink is not None and k is not None and call.sums is not None:
            self.judge_columns(call, found, places, logits, before, k.shape[2])
        call.met = None

    def judge_columns(
        self, call: Call, found: Arrangement, places: Tensor, logits: Tensor, before: int,
        count: int,
    ) -> None:  # fmt: skip
        """Say whether v meets another column of the weights than that of its key."""
        met = self.weights_met(call, found, places)
        if met is None or "softmax" not in call.form:
            return
        weights = logits.float().softmax(-1)
        others = [start for start in range(weights.shape[-1] - count + 1) if start != before]
        for start in (before, *others):
            piece = weights[..., start : start + count]
            if met.shape != piece.shape or not torch.allclose(met, piece, atol=1e-3):
                continue
            if start != before:
                call.sums.of_layer.axis_verdict = "crossed"
                call.sums.of_layer.axis_detail = (
                    f"v's first key gets column {start} of the weights, and its own is {before}: a "
                    "column that is no key's was kept, and that of a key was dropped"
                )
            return

    def weights_met(self, call: Call, found: Arrangement, places: Tensor) -> Tensor | None:
        """Give the weights that v met, batch × heads × rows × keys, if their axes are known."""
        axes = self.watcher.trace(call.met).axes
        if call.met is None or axes is None:
            return None
        own = {axis.root for axis in found.keys}
        keys = [axis for dim in axes for axis in dim if axis.root in own]
        groups = [found.batch, found.heads, found.rows, keys]
        try:
            return found.place(call.met.detach(), axes, groups, places).float()
        except (MisfitError, RuntimeError):
            return None

    def measure_slopes(self, call: Call, found: Arrangement) -> None:
        """Measure by what q·k is multiplied; forget where the call's scores come from if not."""
        try:
            call.slopes = slopes_of(call, found)
            call.summands = self.summands(call)
        except NoReplayError as error:
            call.scores = None
            self.watcher.left_out(
                f"In {call.place} what is done between q·k and {call.form} was computed again, and "
                f"{error}: nothing is known of the scale"
            )
        call.step = None  # and what it holds

    def single_key(self, call: Call) -> set[Axis]:
        """Give an axis to the keys of a call where each row has one."""
        axis = Axis(1)
        at = max((at for at, dim in enumerate(call.axes) if not dim), default=0)
        call.axes = (*call.axes[:at], (axis,), *call.axes[at + 1 :])
        call.keys = call.over = {axis}
        return {axis}

    def same_size(self, call: Call, keys: set[Axis]) -> set[Axis]:
        """Find axes of the call that are as long as those that met v, if theirs were lost."""
        sizes = {axis.size for axis in keys}
        return {
            a.root
            for dim in call.axes
            for a in dim
            if a.size in sizes and a.root in (call.over or ())
        }

    def few(self, lead: int, keys: int) -> int:
        """Say how many rows can be held at once."""
        most: int = self.watcher.most
        return min(most, max(2, ENTRIES // max(1, lead * keys)))

    def of_scores(
        self, call: Call, found: Arrangement, places: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None, int]:
        """Give q and k as batch × heads × length × d, and the number of columns before the keys."""
        scores: Scores = call.scores  # type: ignore[assignment]
        before = sum(axis.before for axis in found.keys)
        q_all, k_all = [], []
        for part in (scores.part, *call.summands):
            which = part.of_keys(found.keys)
            summed = sorted(part.summed, key=lambda axis: axis.size)
            keys = self.original(part, found.keys)
            rows = self.original(part, found.rows)
            q = found.place(
                part.tensor(1 - which), part.axes(1 - which),
                [found.batch, found.heads, rows, summed], places,
            )  # fmt: skip
            k = found.place(
                part.tensor(which), part.axes(which), [found.batch, found.heads, keys, summed]
            )
            q_all.append(q.float() * part.weight)
            k_all.append(k.float())
        leads = [t.shape[:2] for t in (*q_all, *k_all)]
        shape = torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
        q_all = [t.expand(*shape, *t.shape[2:]) for t in q_all]
        k_all = [t.expand(*shape, *t.shape[2:]) for t in k_all]
        k = torch.cat(k_all, -1) if len(k_all) > 1 else k_all[0]
        for more in scores.joined:
            joined = self.joined_keys(call, more, found)
            k = torch.cat([k, joined.expand(*shape, *joined.shape[2:])], 2)
        q = torch.cat(q_all, -1) if len(q_all) > 1 else q_all[0]
        return q, k, before

    @staticmethod
    def summands(call: Call) -> list[Part]:
        """Find other products that are added to q·k entry by entry: its q and k are longer."""
        first: Part = call.scores.part  # type: ignore[union-attr]
        scale = float(call.slopes.of_head.mean()) * call.base
        made = []
        for part, weight in call.slopes.joined:
            own = [_times_root(first, scale), _times_root(part, scale * weight)]
            if abs(weight - 1) > CLOSE and all(abs(each - 1) < CLOSE for each in own):
                continue  # two attentions whose scores are added, each with heads of its own size
            if not _is_longer(part, first):
                continue
            # The letters of the second, as those of the first that stand in the same place.
            alike = dict(zip(part.product.result, first.product.result, strict=True))
            axes_of = {
                x: first.axes_of[alike[x]] if x in alike else own_axes
                for x, own_axes in part.axes_of.items()
            }
            made.append(replace(part, axes_of=axes_of, weight=weight))
        return made

    @staticmethod
    def joined_keys(call: Call, more: Scores, found: Arrangement) -> Tensor:
        """Give the keys of scores that were joined to others, as long as the first scale asks."""
        first, part = call.scores.part, more.part  # type: ignore[union-attr]
        letters = part.product.letters[part.pair[1]]
        keys: list[Axis] = []
        axes = []
        for letter in letters:
            own = part.axes_of[letter]
            is_key = bool(own) and part.side(own[0]) == "second"
            keys += own if is_key else ()
            axes.append(own if is_key else first.axes_of.get(letter, own))
        groups = [found.batch, found.heads, keys, list(first.summed)]
        k = found.place(part.tensor(1), tuple(axes), groups).float()
        return k * (size_of(call, more) / abs(float(call.slopes.of_head.mean())))

    @staticmethod
    def original(part: Part, axes: list[Axis]) -> list[Axis]:
        """Give axes as the product made them, without what was joined to them since."""
        made = []
        for axis in axes:
            is_longer = bool(axis.before or axis.after)
            if is_longer and axis.root.size + axis.before + axis.after != axis.size:
                raise MisfitError("its scores were cut and joined after the product")
            made.append(axis.root if is_longer else axis)
        return made

    def add(
        self, call: Call, found: Arrangement, places: Tensor, count: int, logits: Tensor,
        sink: Tensor | None, q: Tensor | None, k: Tensor | None,
    ) -> None:  # fmt: skip
        """Add some rows to the sums of their layer."""
        heads, keys = logits.shape[1], logits.shape[3]
        scores = call.scores
        if scores is None or q is None or k is None:
            sums = self.watcher.sums(call, heads, 0)
            sums.of_layer.length, sums.of_layer.positions = keys, count
            measured = measure(sums, logits, None, sink, places, call.has_nan)
            self.judge(call, found, sums, measured, places, count, keys, None, None)
            return
        part = scores.part
        which = part.of_keys(found.keys)
        of_q, of_k = part.known[1 - which], part.known[which]
        q, k, padded = self.unpadded(q, k)
        d = q.shape[-1]
        slopes: Slopes = call.slopes
        factors = (_each(of_q.factor, heads, q), _each(of_k.factor, heads, k))
        scale = self.scale_of(call, heads, d**-0.5 / (factors[0] * factors[1]))
        if slopes.line:
            call.lines = call.lines | {"scale": slopes.line}
        sums = self.watcher.sums(call, heads, d)
        layer = sums.of_layer
        layer.length, layer.positions, layer.padded = keys, count, padded
        layer.factors = [float(scale.mean()), of_q.factor, of_k.factor]
        layer.is_cap_first |= any(abs(each * d**0.5 - 1) < CLOSE for each in slopes.behind_cap)
        note_product(layer, call, of_q, of_k)
        note_axes(layer, call, found)
        if layout := layout_of(call, part, k, count) or sums.other_order(head_order(k)):
            layer.layout_fault, layer.layout_detail = layout
        self.judge_sequences(call, part, which, sums)
        is_sum = slopes.is_straight and not slopes.is_capped
        scored = Scored(q, k, scale, factors, is_sum)
        measured = measure(sums, logits, scored, sink, places, call.has_nan)
        if is_sum and "exp" in call.form:
            call.shift = measured.level.amax(-1)
        for each in self.other_scales(call, heads, scale, factors):
            sums.note_scale(each)
        self.judge(call, found, sums, measured, places, count, keys, k, d)

    def other_scales(
        self, call: Call, heads: int, scale: Tensor, factors: tuple[Tensor, Tensor]
    ) -> list[Tensor]:
        """Give scales, a number for each head, of what is joined to q·k, added, or a part of it."""
        of_q, of_k = factors
        made = []
        for more in call.scores.joined:  # type: ignore[union-attr]
            on_q, on_k = (_each(known.factor, heads, of_q) for known in more.part.known)
            made.append(_each(size_of(call, more) * call.base, heads, of_q) * on_q * on_k)
        for each in self.second_products(call, scale * of_q * of_k):
            made.append(_each(each, heads, of_q))
        for each in self.more_scales(call, float(scale.mean())):
            made.append(_each(each, heads, of_q))
        return made

    @staticmethod
    def scale_of(call: Call, heads: int, right: Tensor) -> Tensor:
        """Give what q·k is multiplied by, for each head; where rows differ, 1/√d if among them.

        Args:
            call: whose slopes are known
            heads: how many there are
            right: what makes 1/√d for each head
        """
        made = (call.slopes.of_head * call.base).to(right)
        if made.ndim > 1:
            least, largest = made
            is_among = (least <= right * (1 + CLOSE)) & (right * (1 - CLOSE) <= largest)
            made = torch.where(is_among, right, made.mean(0))
        each: Tensor = made if made.numel() == heads else made.mean().expand(heads)
        return each

    def second_products(self, call: Call, main: Tensor) -> list[float]:
        """Give the scale of other products that are added, where they have none and q·k has, or
        where they, or the logits of the layer before, are divided by √d once more than q·k.
        """
        made = []
        slopes: Slopes = call.slopes
        own_scale = abs(float(slopes.of_head.mean()))
        taken = {id(part.product) for part in call.summands}
        beside = [
            (p, abs(weight) * own_scale) for p, weight in slopes.joined
            if id(p.product) not in taken
        ]  # fmt: skip
        for part, size in [*slopes.others, *slopes.earlier, *beside]:
            tensors = [part.product.tensors[at] for at in part.pair]
            factors = [known.factor for known in part.known]
            is_own = any(self.watcher.trace(t).is_owned for t in tensors)
            if is_own or any(isinstance(each, Tensor) for each in factors):
                continue
            whole = abs(size * call.base * factors[0] * factors[1])
            own = main.abs()
            root = math.prod(axis.size for axis in part.summed) ** 0.5
            is_twice = bool(((own / root / whole - 1).abs() < CLOSE).all())
            is_bare = abs(whole - 1) < CLOSE and (part, size) not in slopes.earlier
            if is_twice or is_bare:
                made += [whole] * bool(((own - whole).abs() > CLOSE * whole).all())
        return made

    def more_scales(self, call: Call, scale: float) -> list[Any]:
        """Give the scales of parts of q, of k or of their product that have another one."""
        first: Part = call.scores.part  # type: ignore[union-attr]
        of_q, of_k = first.known
        made = [
            scale * one * other
            for one in (of_q.factor, *of_q.others)
            for other in (of_k.factor, *of_k.others)
        ][1:]
        for part in call.summands:
            tensors = [part.product.tensors[at] for at in part.pair]
            if not any(self.watcher.trace(t).is_owned for t in tensors):
                one, other = (known.factor for known in part.known)
                made.append(scale * part.weight * one * other)
        main = scale * of_q.factor * of_k.factor
        rotary = self.watcher.rotary  # the factor of a rotation that a part of q may not have
        passing = [main, main * rotary, main * rotary**2, main / rotary, main / rotary**2]
        return [each for each in made if not any(alike_factors(each, one) for one in passing)]

    def unpadded(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor, int]:
        """Leave out coordinates that are zeros in all queries or in all keys."""
        first, last = q[:1, :, :1], k[:1, :, :1]  # few have a zero there by chance
        if q.shape[-1] < 2 or not bool(((first == 0).flatten(0, 2).all(0)).any()) | bool(
            ((last == 0).flatten(0, 2).all(0)).any()
        ):
            return q, k, 0
        zero = (q == 0).flatten(0, -2).all(0) | (k == 0).flatten(0, -2).all(0)
        if bool(zero.all()):
            return q, k, 0
        kept = ~zero
        return q[..., kept], k[..., kept], int(zero.sum())

    def judge(
        self, call: Call, found: Arrangement, sums: Sums, measured: Measured, places: Tensor,
        count: int, keys: int, k: Tensor | None, d: int | None,
    ) -> None:  # fmt: skip
        """Look at masks and biases of a call that was measured, and at its axes."""
        call.sums = sums
        layer = sums.of_layer
        layer.after = call.after
        layer.cause = layer.cause or call.cause
        if call.output:
            layer.output, layer.digest = call.output
        self.look_at_mask(call, found, measured, places, count, keys, k)
        if call.scores and d and not (call.slopes.is_capped or call.slopes.is_mixed):
            self.look_at_bias(call, measured, places, count, k, d)
        if call.scores and call.scores.repeated:
            layer.bias_times = 1.0 + call.scores.repeated
        self.judge_axis(call)
        if self.watcher.kept is not None:
            self.watcher.kept.append(
                Kept(
                    call.place, replace(layer), measured,
                    is_half=torch.finfo(call.logits.dtype).bits == 16,
                    order=head_order(k) if k is not None else None,
                )
            )  # fmt: skip

    def look_at_mask(
        self, call: Call, found: Arrangement, measured: Measured, places: Tensor, count: int,
        keys: int, k: Tensor | None,
    ) -> None:  # fmt: skip
        """Note which keys take part, and what was to leave some of them out."""
        masking: Masking = call.sums.masking or Masking(says_causal=call.said.causal)
        call.sums.masking = masking
        seen = measured.logits
        largest = float(seen.abs().where(seen.isfinite(), 0).max()) if seen.numel() else 0.0
        meant = self.meant(call, found, places, keys, largest)
        masking.note_words(call)
        layer: OfLayer = call.sums.of_layer
        if layer.is_over_channels or layer.rows_are_heads:
            return
        has_zero_key = getattr(call.said.module, "add_zero_attn", 0)
        plain = None if has_zero_key else k
        filled = self.as_filled(call, found, places, measured)
        before, after = self.joined_columns(call, found, keys)
        padding = {}
        if filled:
            padding = dict(self.watcher.padding.of(keys, before, after, self.source(call, found)))
        measured = filled or measured
        of_keys = self.tokens_of_keys(call, found)
        is_block = any(axis.is_cut and axis.size < axis.root.size for axis in of_keys)
        masking.look(measured, places, keys, meant, plain, padding.get("known"), count, is_block)
        if before and before + count + after == keys:
            masking.look_at_joined(measured.allowed, places, before, count)
        if filled:
            own = slice(before, keys - after)
            self.look_at_padding(call, found, filled, places, count, plain, padding, own)

    def look_at_padding(
        self, call: Call, found: Arrangement, measured: Measured, places: Tensor, count: int,
        k: Tensor | None, padding: dict[str, Tensor], own: slice,
    ) -> None:  # fmt: skip
        """Note what a mask does with padding, and with documents that stand behind each other."""
        w, masking, keys = self.watcher, call.sums.masking, measured.allowed.shape[-1]
        if count == keys and keys in w.padding.starts:
            masking.look_at_documents(measured.allowed, places, w.padding.starts[keys])
        for kind, tokens in padding.items():
            if kind == "tail" and "known" in padding:
                continue  # what looks like padding may be none
            masking.look_at_tokens(measured, places, count, tokens, kind, own)
            masking.look_at_copies(measured.allowed, k, tokens)
        for padded, real in () if padding else w.padding.at_other_rate(keys):
            masking.look_at_certain(measured.allowed, padded, real)
        if call.scores and w.is_told:
            w.weighed.append(weighed(masking, call.scores.part, found, measured, places, count))

    def as_filled(
        self, call: Call, found: Arrangement, places: Tensor, measured: Measured
    ) -> Measured | None:
        """Give what was measured, with the keys left out whose weights were set to 0 after softmax;
        None, if one does not see which they are.
        """
        if not call.is_filled:
            return measured
        met = self.weights_met(call, found, places)
        if met is None or met.shape != measured.weights.shape:
            return None
        return replace(measured, allowed=measured.allowed & (met != 0), weights=met)

    def source(self, call: Call, found: Arrangement) -> int:
        """Give the id of the input that keys were made of, or 0."""
        inputs: dict[Axis, int] = self.watcher.inputs
        roots = (axis.root for axis in self.tokens_of_keys(call, found))
        return next((inputs[root] for root in roots if root in inputs), 0)

    @staticmethod
    def tokens_of_keys(call: Call, found: Arrangement) -> list[Axis]:
        """Give the axes of the tokens that keys were made of, if that is known."""
        part = call.scores.part if call.scores else None
        return part.tokens(part.of_keys(found.keys)) if part else []

    def joined_columns(self, call: Call, found: Arrangement, keys: int) -> tuple[int, int]:
        """Say how many keys were joined before and after those that a layer made of tokens."""
        axes = self.tokens_of_keys(call, found)
        if len(axes) != 1 or axes[0].root.size + axes[0].before + axes[0].after != keys:
            return 0, 0
        return axes[0].before, axes[0].after

    @staticmethod
    def look_at_bias(
        call: Call, measured: Measured, places: Tensor, count: int, k: Tensor | None, d: int
    ) -> None:
        """Note what is added to q·k: slopes like ALiBi's, and whether it was scaled with q·k."""
        sums, divides = call.sums, call.said.divides_bias
        if not sums.biases:
            sums.biases.append(bias_of(measured))
        is_usual, keys = False, measured.level.shape[-1]
        if keys >= count > 1:
            falls = straight_bias(measured, places, keys - count)
            if falls:
                alibi = compared_with_alibi(falls, d, divides)
                is_usual, sums.bias_slopes = alibi.is_usual, [*falls]
                if alibi.times != 1:
                    sums.of_layer.bias_times = alibi.times
                sums.is_bias_divided |= alibi.is_divided
        is_scaled = call.slopes.is_bias_scaled and not divides
        if is_scaled and not (is_usual or is_distance(measured, k)):
            sums.may_be_divided = True

    def meant(
        self, call: Call, found: Arrangement, places: Tensor, keys: int, largest: float
    ) -> Tensor | None:
        """Give the keys that masks were to leave out, as rows."""
        if call.scores is None:
            return None
        silent = call.slopes.silent if call.slopes else None
        if silent is not None and silent.shape[2:] != (len(places), keys):
            silent = None
        if not call.scores.left_out:
            return silent
        groups = [found.batch, found.heads, found.rows, found.keys]
        whole: Tensor | None = silent
        for mask, axes, value in call.scores.left_out:
            # What is far below the scores leaves out for certain, unless it was bounded since.
            if max(value, call.lowest) <= min(LOW, -10 * largest):
                continue
            try:
                rows = found.place(mask, axes, groups, places)
            except (MisfitError, RuntimeError):
                continue
            if rows.dtype != torch.bool:
                rows = rows < LOW
            if rows.shape[-1] == keys:
                whole = rows if whole is None else whole | rows
        return whole

    def judge_sequences(self, call: Call, part: Part, which: int, sums: Sums) -> None:
        """Say whether keys are what the model was given as its batch, as without batch_first; and
        note whether this is known to be none of the tokens.
        """
        w = self.watcher
        keys = part.alone(which)
        letters = part.product.letters[part.pair[which]]
        shared = [
            dim for x, dim in zip(letters, part.given[which], strict=False)
            if x in part.product.result and all(part.product.has(at, x) for at in part.pair)
        ]  # fmt: skip
        if any(axis.root is w.batch for dim in shared for axis in dim):
            w.in_batches.add(call.place)
        has_others = any(a.size > 1 and not a.is_feature for dim in shared for a in dim)
        if w.heads and has_others and any(a.root is w.batch for dim in keys for a in dim):
            w.over_first.append(sums)
        if any(axis.is_exchanged for dim in keys for axis in dim):
            sums.of_layer.axis_verdict = "sequences"
            sums.of_layer.axis_detail = (
                "its tokens were viewed, or reshaped, from batch × tokens as tokens × batch, so "
                "that a row has tokens of several sequences. Use transpose(0, 1)"
            )

    def judge_axis(self, call: Call) -> None:
        """Compare the axis of softmax with that which the product with v sums over."""
        if call.sums is None or call.over is None or call.scores is None:
            return
        layer: OfLayer = call.sums.of_layer
        if call.is_log:
            layer.axis_verdict = "logarithms"
        if call.crossed:
            layer.axis_verdict, layer.axis_detail = "crossed", call.crossed
        if call.keys is None:
            self.judge_alone(call)
            return
        roots = {axis.root for dim in call.axes for axis in dim}
        keys = call.keys & roots
        if "softmax" in call.form and not call.over and any(a.size > 1 for a in keys):
            layer.axis_verdict = "one"
        if not keys or call.over == keys or not call.over:
            return
        found = self.arranged(call, keys)
        kinds = {"queries": found.rows, "heads": found.heads, "batch": found.batch}
        named = [
            name for name, axes in kinds.items() if any(axis.root in call.over for axis in axes)
        ]
        if not named:
            return
        if keys <= call.over:
            layer.axis_verdict = "more"
            layer.axis_detail = "it runs over " + " and ".join(named) + ", too"
        else:
            layer.axis_verdict = named[0]
        layer.lines |= call.lines

    def judge_alone(self, call: Call) -> None:
        """Judge a softmax whose weights met no v: no key is an axis that q and k share."""
        if call.scores is None or call.over is None:
            return
        part = call.scores.part
        over = [axis for dim in call.axes for axis in dim if axis.root in call.over]
        if over and all(part.side(axis) == "both" for axis in over):
            is_heads = any(axis.is_feature for axis in over)
            call.sums.of_layer.axis_verdict = "heads" if is_heads else "batch"

    # Kernels

    def sdpa_kernel(
        self, result: Tensor | None, query: Tensor, key: Tensor, mask: Tensor | None,
        is_causal: bool, scale: float | None, value: Tensor | None = None, dropped: str = "",
    ) -> None:  # fmt: skip
        """Note a call of scaled_dot_product_attention or of a kernel like it."""
        corner = ""
        rows, keys = query.shape[-2], key.shape[-2]
        if is_causal and rows < keys and bool((key[..., rows:, :] != 0).any()):
            corner = (
                f"is_causal=True lets the last of {rows} queries see {rows} of {keys} keys, the "
                "oldest. Leave it out for a single query, or give a mask that ends at the last key"
            )
        added, is_divided = "", False
        if mask is not None and mask.dtype != torch.bool:
            added = words_of_added(mask)
            factor = self.watcher.trace(mask).known.factor
            root = query.shape[-1] ** 0.5
            is_divided = isinstance(factor, float) and abs(factor * root - 1) < CLOSE
        self.kernel(
            result, query, key, scale, masked_as_sdpa_does(mask, is_causal),
            {"mask": code_line()}, added=added, value=value, corner=corner, dropped=dropped,
            is_bias_scaled=is_divided,
        )  # fmt: skip

    def kernel(
        self, result: Tensor | None, query: Tensor, key: Tensor, scale: float | None,
        logits_of: LogitsOf, lines: dict[str, str], is_sum: bool = True, added: str = "",
        value: Tensor | None = None, corner: str = "", dropped: str = "",
        is_bias_scaled: bool = False,
    ) -> None:  # fmt: skip
        """Note one call of a kernel, with q as … × rows × d and k as … × keys × d."""
        w = self.watcher
        w.counts["all"] += 1
        try:
            call, shape = self.call_of_kernel(query, key, lines, added or w.lost_mask)
            call.corner, call.v, call.dropped = corner, value, dropped
            used = query.shape[-1] ** -0.5 if scale is None else float(scale)
            call.slopes = Slopes(torch.tensor([used]), is_bias_scaled=is_bias_scaled)
            call.has_nan = result is not None and has_nan(result)
            self.rows_of_kernel(call, shape, logits_of, is_sum, result)
            call.v = None
            if result is not None and value is not None and result.ndim == len(call.axes):
                last = (w.trace(value).axes or ((),))[-1] or (Axis(result.shape[-1], True),)
                axes = fitted((*call.axes[:-1], last), result.shape)
                w.traces[result] = Trace(axes, mixed=call)
        except Exception as error:
            w.left_out(f"In {w.place()} a call was left out: {error}")
        else:
            w.counts["understood"] += 1

    def call_of_kernel(
        self, query: Tensor, key: Tensor, lines: dict[str, str], added: str
    ) -> tuple[Call, list[int]]:
        """Give what is known of a call of a kernel, and the shape of the logits that it makes."""
        w = self.watcher
        c = _scores_of(query, key)
        traces = [w.trace(query), w.trace(key)]
        axes_of = {
            x: tuple(axis.anew() for axis in axes) for x, axes in axes_of_letters(c, traces).items()
        }
        axes_of[c.result[-1]] = axes_of[c.result[-1]] or (Axis(1),)  # one key is a key, too
        given = (traces[0].axes or (), traces[1].axes or ())
        part = Part(c, (0, 1), (traces[0].known, traces[1].known), axes_of, given)
        lines = lines | {"scale": code_line()} | viewed_at(traces)
        if known := [each.line for each in part.known if each.line]:
            lines["scale"] = known[-1]
        keys = {axis.root for axis in axes_of[c.result[-1]]}
        call = Call(
            w.place(), w.said(), query,
            tuple(axes_of[x] for x in c.result), Scores(part, added=added, lines=lines), keys,
            "scaled_dot_product_attention", True, lines,
        )  # fmt: skip
        call.keys, call.is_done = keys, True
        return call, [c.size(x) for x in c.result]

    def rows_of_kernel(
        self, call: Call, shape: list[int], logits_of: LogitsOf, is_sum: bool,
        result: Tensor | None,
    ) -> None:  # fmt: skip
        """Compute some rows of the logits again, and measure them."""
        found = self.arranged(call, call.keys or set())
        count = torch.Size([axis.size for axis in found.rows]).numel()
        lead = torch.Size(shape[:-2]).numel()
        q, k, _ = self.of_scores(call, found, None)
        if q is None or k is None:
            return
        bad = ~q.isfinite().all(-1).flatten(0, 1).all(0)
        odd = result is not None and call.has_nan
        if odd and result is not None:
            rows = result.isnan().any(-1)
            if rows.shape[-1] == bad.shape[0]:
                bad = bad | rows.reshape(-1, rows.shape[-1]).any(0)
        places = taken(count, self.few(lead, shape[-1]), bad)
        q = q[:, :, places] if q.shape[2] > 1 else q
        scale = float(call.slopes.of_head)
        raw = scale * (q @ k.transpose(-1, -2))
        changed = logits_of(found, call.axes, shape)
        logits = changed(raw, places)
        if not is_sum:
            call.slopes = slopes_by_row(lambda z: changed(z, places), raw, scale)
        if odd and not bool((~logits.amax(-1).isfinite()).any()):
            call.cause = "v is not finite, as the output has NaN and the logits have none"
            call.has_nan = False
        if result is not None:
            call.output = digest(result)
        self.add(call, found, places, count, logits, None, q, k)


def weighed(
    masking: Masking, part: Part, found: Arrangement, measured: Measured, places: Tensor,
    count: int,
) -> Weighed:  # fmt: skip
    """Say which keys no row sees, and how much weight the others get at most."""
    which = part.of_keys(found.keys)
    of_k, of_q = (tuple(axis.root for axis in part.tokens(side)) for side in (which, 1 - which))
    hidden = ~measured.allowed.any(1).any(1)
    weights = measured.weights.amax(1)
    if of_k == of_q and count == hidden.shape[-1]:  # what padding itself sees is lost
        weights = weights.masked_fill(hidden[:, places, None], 0)
    return Weighed(masking, of_k, hidden, weights.amax(1), of_k == of_q)


def note_product(layer: OfLayer, call: Call, of_q: Known, of_k: Known) -> None:
    """Note what was done to q, to k, and to their product up to softmax."""
    slopes: Slopes = call.slopes
    layer.places = max(layer.places, slopes.places + of_q.places + of_k.places)
    layer.steps = slopes.factors if slopes.places > 1 else []
    layer.input_ratio = of_q.of_input / of_k.of_input if of_k.of_input else 1.0
    layer.is_unit = of_q.is_unit and of_k.is_unit
    layer.is_normed = of_q.is_normed and of_k.is_normed
    layer.is_learned = call.scores is not None and call.scores.is_learned
    layer.is_mixed = slopes.is_mixed
    layer.summands = 1 + len(slopes.others) + len(slopes.joined) - len(call.summands)
    layer.is_capped |= slopes.is_capped
    layer.cap_used = slopes.cap * call.base
    layer.is_handed_on = bool(slopes.earlier)


def note_axes(layer: OfLayer, call: Call, found: Arrangement) -> None:
    """Note whether tokens, heads and coordinates stand where they should."""
    part: Part = call.scores.part  # type: ignore[union-attr]
    summed = part.summed
    is_made = all(axis.is_feature for axis in found.keys)  # keys are of a layer's making
    none_is = not any(axis.is_feature for axis in summed)
    are_heads = 1 < layer.positions == layer.length == call.said.heads != layer.heads
    layer.v_size = call.v.shape[-1] if call.v is not None else 0
    layer.q_width = max((axis.width for axis in summed), default=0)
    layer.rows_are_heads |= is_made and all(axis.is_feature for axis in summed)
    layer.rows_are_heads |= are_heads and none_is
    layer.is_over_channels |= is_made and none_is
    layer.latent = size_before_latent([part, *call.summands])
    layer.is_crossed = is_crossed(part)


def masked_as_sdpa_does(mask: Tensor | None, is_causal: bool) -> LogitsOf:
    """Give what makes logits of scale·q·k: the mask, and the causal one, both as SDPA has them."""

    def logits_of(found: Arrangement, axes: Axes, shape: list[int]) -> Rows:
        def rows(logits: Tensor, places: Tensor) -> Tensor:
            if is_causal:
                seen = torch.arange(shape[-1], device=logits.device) <= places[:, None]
                logits = logits.masked_fill(~seen, -torch.inf)
            if mask is None:
                return logits
            groups = [found.batch, found.heads, found.rows, found.keys]
            part = found.place(mask.detach().expand(shape), axes, groups, places)
            if mask.dtype == torch.bool:
                return logits.masked_fill(~part, -torch.inf)
            return logits + part.float()

        return rows

    return logits_of


def size_of(call: Call, more: Scores) -> float:
    """Give what other scores, which were joined to those of a call, are multiplied by."""
    sizes = {id(part.start): size for part, size in call.slopes.others}
    size: float = sizes.get(id(more.part.start), abs(float(call.slopes.of_head.mean())))
    return size


def size_before_latent(parts: Sequence[Part]) -> int:
    """Give the size of a head before each brought its q to that of shared keys; 0 if none did.

    So it is with latent attention that multiplies q, and not k, by what widens k to the heads.
    """
    before = [_width_of_head(part) for part in parts]
    every = [math.prod(axis.size for axis in part.summed) for part in parts]
    sizes = [one or other for one, other in zip(before, every, strict=True)]
    return sum(sizes) if any(before) else 0


def _width_of_head(part: Part) -> int:
    """Give the width from which each head made its own q, or k, if the other has no heads."""
    c = part.product
    for at, given in zip(part.pair, part.given, strict=True):
        shared = [x for x in c.result if all(c.has(each, x) for each in part.pair)]
        if any(axis.is_feature for x in shared for axis in part.axes_of[x]):
            continue  # both have heads
        for x, dim in zip(c.letters[at], given, strict=False):
            if len(dim) == 1 and dim[0].is_by_head and x in c.summed(*part.pair):
                return dim[0].width + dim[0].before + dim[0].after
    return 0


def is_crossed(part: Part) -> bool:
    """Say whether q and k were made of different tokens, as far as one knows."""
    one, other = ({axis.root for axis in part.tokens(which)} for which in (0, 1))
    return bool(one and other) and not one & other


def _is_longer(part: Part, first: Part) -> bool:
    """Say whether rows and keys of a product are those of the first one, with more coordinates.

    Where what q meets differs from row to row, as with relative positions, it is a bias.
    """

    def sides(of: Part) -> list[tuple[bool, bool]]:
        one, other = (of.product.letters[at] for at in of.pair)
        return [(x in one, x in other) for x in of.product.result]

    mine, theirs = sides(part), sides(first)
    if len(mine) != len(theirs):
        return False
    # Which of the two factors is q makes no difference.
    for turned in (mine, [side[::-1] for side in mine]):
        if all(a == b or all(b) for a, b in zip(turned, theirs, strict=True)):
            return True
    return False


def _times_root(part: Part, scale: float) -> float:
    """Give a scale relative to the root of what a product sums over; NaN if heads differ."""
    factors = [known.factor for known in part.known]
    if any(isinstance(each, Tensor) for each in factors):
        return math.nan
    d = math.prod(axis.size for axis in part.summed)
    made: float = scale * factors[0] * factors[1] * d**0.5
    return made


def _scores_of(query: Tensor, key: Tensor) -> Contraction:
    """Give q·k as a product of … × rows × d and … × keys × d."""
    made = contraction("matmul", (query, key.transpose(-1, -2)), {})
    if made is None:
        raise MisfitError("q and k make no product")
    left, right = made.letters
    return Contraction((query, key), (left, right[:-2] + right[-1] + right[-2]), made.result)


def layout_of(call: Call, part: Part, k: Tensor, count: int) -> tuple[str, str] | None:
    """Name what is wrong with the heads of a call, by its axes and by keys that are the same.

    Args:
        call: any
        part: its product
        k: its keys, batch × heads × keys × d
        count: how many rows it has
    """
    for which, name in enumerate("qk"):
        letters, others = (part.product.letters[part.pair[at]] for at in (which, 1 - which))
        alone = [dim for dim, x in enumerate(letters) if x not in others]
        if cuts_tokens(part.given[which], alone):
            return "cut", (
                f"{name} was viewed as batch × heads × tokens × d at once, so that a head gets "
                "some of the tokens, and not some of the width. View it as batch × tokens × heads "
                "× d, and transpose(1, 2)"
            )
    if all(mixes_tokens(part, which) for which in (0, 1)):
        return "cut", (
            "q and k were viewed as batch × heads × tokens × d with the tokens first, so that a "
            "head gets some of the tokens. View as batch × tokens × heads × d, and transpose"
        )
    times = k.shape[2] // count if count > 1 and k.shape[2] % count == 0 else 1
    if times > 1:
        some = k[:1, :1]
        blocks = torch.equal(some[:, :, :count], some[:, :, count : 2 * count])
        if blocks or torch.equal(some[:, :, 0::times], some[:, :, 1::times]):
            return "repeated", (
                f"{k.shape[2]} keys for {count} queries, each of them {times} times. Grouped heads "
                "are repeated along the heads, not along the tokens"
            )
    if call.v is not None:
        of_k, of_v = head_order(part.tensor(1)), head_order(call.v)
        if of_k and of_v and of_k != of_v and len({*of_k}) == len({*of_v}):
            return "grouped", (
                f"heads use keys {of_k} and values {of_v}. Repeat both in the same order: "
                "repeat_interleave, or expand and flatten, and not repeat"
            )
    return None


def mixes_tokens(part: Part, which: int) -> bool:
    """Say whether rows of q, or of k, are tokens times some of what q·k sums over for others."""
    dims = dict(zip(part.product.letters[part.pair[which]], part.given[which], strict=False))
    summed = {
        a.root for x in part.product.summed(*part.pair) for a in dims.get(x, ()) if a.is_feature
    }
    return any(
        any(a.root in summed for a in dim) and any(not a.is_feature for a in dim)
        for dim in part.alone(which)
    )


def cuts_tokens(axes: Axes, dims: Sequence[int]) -> bool:
    """Say whether a view has cut the tokens, and put a part of them together with features.

    Args:
        axes: of any tensor
        dims: which of its dimensions should have the one or the other
    """
    for dim in (axes[at] for at in dims if axes):
        if any(a.is_mixture for a in dim):
            return True
        cut = [a for a in dim if not a.is_feature and a.size < a.root.size and not a.is_cut]
        if any(a.is_feature for a in dim):
            elsewhere = {a.root for other in axes if other is not dim for a in other}
            if any(a.root in elsewhere for a in cut):
                return True
            # Few tokens: all of them lie between a part of the heads and the coordinates of one.
            at = next((i for i, a in enumerate(dim) if not a.is_feature), 0)
            outside = [a for a in dim[:at] if a.is_feature and not a.is_cut]
            inside = any(a.is_feature for a in dim[at:])
            if inside and any(a.size < a.root.size and a.root in elsewhere for a in outside):
                return True
    return False


def viewed_at(traces: Sequence[Trace]) -> dict[str, str]:
    """Say in which line the last view of one of several tensors was made: of the keys, if any."""
    for trace in reversed(traces):
        if trace.view_line:
            return {"layout": trace.view_line}
    return {}


def head_order(t: Tensor) -> list[int] | None:
    """Number the heads of batch × heads × …, the same as the same; None if all differ."""
    if t.ndim != 4 or t.shape[1] < 2:
        return None
    some = t.detach()[0, :, :2, :4].reshape(t.shape[1], -1)
    if not bool((some != 0).any(-1).all()):
        return None
    first: list[int] = (some[:, None] == some).all(-1).int().argmax(-1).tolist()
    if first == [*range(len(first))]:
        return None
    numbers = {head: number for number, head in enumerate(dict.fromkeys(first))}
    return [numbers[head] for head in first]


def _each(value: Any, heads: int, like: Tensor) -> Tensor:
    """Give a number for each head; what is one for each of something else is no factor."""
    if isinstance(value, Tensor):
        given = value.detach().float()
        value = given if given.numel() == heads else 1.0
    made = value if isinstance(value, Tensor) else torch.full((heads,), float(value))
    return made.to(like.device)
