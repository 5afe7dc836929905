"""What sees every call of PyTorch, and follows weights from softmax to their product with v.

That is the one rule for what attention is: what is summed over there is the axis of the keys.
"""

import math
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from check_attention.arrange import Look, cuts_tokens, viewed_at
from check_attention.at_work import AtWork
from check_attention.axes import (
    Axes,
    Axis,
    Contraction,
    contraction,
    fitted,
    flat,
    fresh,
    resized_axes,
    roots,
)  # fmt: skip
from check_attention.follow import (
    FILLS,
    KEEPS,
    MINUS,
    OVER,
    PLUS,
    REPEATS,
    SHAPES,
    TIMES,
    TRIANGLES,
    VIEWS,
    WIDENS,
    axes_after,
    gain_of,
    kept_scores,
    known_after,
    leave_out,
    measured_after,
    triangle,
    turned_after,
)  # fmt: skip
from check_attention.masks import LEAK, Weighed
from check_attention.measure import GAP, Kept, Sums
from check_attention.padding import Padding
from check_attention.products import (
    alike_or_dropped,
    axes_of_letters,
    in_letters,
    in_place_axes,
    keeps_all,
    other_axis_of_v,
    queries_and_keys,
    with_features,
)  # fmt: skip
from check_attention.slopes import Fill, Step, next_step, version
from check_attention.stated import (
    A_SCALE,
    is_attention,
)  # fmt: skip
from check_attention.traces import (
    NOTHING,
    OWNED,
    UNKNOWN,
    Call,
    Known,
    Part,
    Scores,
    Trace,
    Weights,
    alike_factors,
    code_line,
    digest,
    has_nan,
    is_thrown_away,
    is_zero_one,
    key_piece,
    two_values,
)  # fmt: skip
from check_attention.unseen import Unseen
from check_attention.words import CLOSE, LOW

PRODUCTS = {
    "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "dot", "vdot", "baddbmm", "addmm",
    "addbmm", "einsum", "tensordot", "linear", "linalg_vecdot", "vecdot", "inner",
    "linalg_matmul", "linalg_multi_dot",
}  # fmt: skip
SOFTMAXES = {"softmax", "special_softmax", "log_softmax", "special_log_softmax", "softmin"}
EXPS = {"exp": 1.0, "exp_": 1.0, "exp2": 0.6931471805599453, "special_exp2": 0.6931471805599453}
SUMS = {"sum", "nansum", "mean"}
# Their first two arguments are called input and other.
TAKE_INPUT = {*KEEPS, *EXPS, *SUMS, *SOFTMAXES, *PRODUCTS, "sigmoid", "logsumexp"} - {"where"}
IN_PLACE = {"mul_", "div_", "__imul__", "__itruediv__", "multiply_", "divide_"}
MANY = (list, tuple)
CONVOLUTIONS = {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"}
MERGED = (
    "the output, batch × heads × tokens × d, was viewed as batch × tokens × width at once. Write "
    "transpose(1, 2) before that view, so that the tokens come first again"
)
NOT_USED = "what gives masked scores in {line} makes a new tensor, and nothing uses it"
# What masks are made with, and gives a new one.
MASK_MAKERS = {
    "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or",
    "bitwise_not", "masked_fill", "index_fill", "tril", "triu",
}  # fmt: skip
# What may be an attention that is written in another way; named if nothing was seen.
SIMILAR = {*SOFTMAXES, *EXPS, "sigmoid", "logsumexp"}
FORMS = {*SOFTMAXES, "scaled_dot_product_attention"}
WHOLES = ("multi_head_attention_forward", "gumbel_softmax")  # of which the parts are watched
IN_EVAL = (
    "it is at work though the model is in eval(). dropout_p, and dropout as a function, do not "
    "know of eval(): give 0 there, or training=self.training"
)
BEFORE = (
    "it stands before softmax and puts 0 in place of scores, which is a fine score. Put it behind "
    "softmax"
)


class Watcher(AtWork, TorchFunctionMode):
    """Sees every function of PyTorch that is called while it is on, and passes it on unchanged."""

    def __init__(self, model: nn.Module, rows: int, scale: float | None) -> None:
        TorchFunctionMode.__init__(self)
        AtWork.__init__(self, model, scale)
        self.unused_scales = {
            id(value): (module, name)
            for module in model.modules()
            for name, value in module.named_parameters(recurse=False)
            if A_SCALE.search(name)
        }  # parameters that nothing was given yet
        self.owned = {id(each) for each in [*model.parameters(), *model.buffers()]}
        self.most = rows
        self.watched = 0  # modules of the stack that belong to the model
        self.is_paused = False  # inside a kernel that was noted as a whole
        self.called: dict[str, str] = {}  # attention modules that were called, and their class
        self.similar: Counter[tuple[str, str]] = Counter()  # what looks like softmax, and where
        self.traces: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self.tape: WeakIdKeyDictionary = WeakIdKeyDictionary()  # of tensors: their Step
        self.fills: WeakIdKeyDictionary = WeakIdKeyDictionary()  # of masked scores: their Fill
        self.pending: list[tuple[Any, Call]] = []  # softmax calls that have not met v yet
        self.unused: list[tuple[Fill, Call]] = []  # masked scores that nothing has used yet
        self.padding = Padding()  # of the batch
        self.had_padding = False  # in any of them
        self.lost_mask = ""  # what is wrong with one that was made and thrown away
        self.in_batches: set[str] = set()  # layers of which the batch is known to be no tokens
        self.inputs: dict[Axis, int] = {}  # the axis of an input's tokens, and the input's id
        self.batch = Axis(2)  # what a batch has as its first dimension
        self.given = (0, 0)  # its size, and that of the second one
        self.is_batch_first = False  # several tensors have it in common, and no second one
        self.counted: set[int] = set()  # how long lists among the inputs are, as those of lengths
        self.is_told = False  # something among the inputs may say what is padding
        self.over_first: list[Sums] = []  # of layers whose keys are what has that dimension
        self.weighed: list[Weighed] = []  # what calls made of the keys of some tokens
        self.notes: list[str] = []
        self.counts: Counter[str] = Counter()  # softmax calls: all, and those understood
        self.open: list[str] = []  # what was not understood, in words
        self.kept: list[Kept] | None = None  # what a comparison keeps of each call
        self.look = Look(self)
        self.unseen = Unseen(self, model)

    @property
    def is_idle(self) -> bool:
        """Whether what runs is none of the model, or was noted already."""
        return self.is_paused or bool(self.stack and not self.watched)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Call the function, and note what matters."""
        kwargs = kwargs or {}
        for t in args if self.unused_scales else ():
            self.unused_scales.pop(id(t), None)
        if self.is_idle:
            return func(*args, **kwargs)
        # An exported model calls matmul.default.
        name = getattr(func, "__name__", "").partition(".")[0]
        if name in TAKE_INPUT and kwargs.keys() & {"input", "other"}:
            args, kwargs = by_place(args, kwargs)
        result = self.noted(name, func, args, kwargs)
        self.unseen.follow(name, func, result, args, kwargs)
        return result

    def noted(self, name: str, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call the function, and note what it is to attention."""
        for t in flat([*args, *kwargs.values()]) if len(self.fills) else ():
            if isinstance(t, Tensor) and (fill := self.fills.get(t, None)):  # type: ignore[no-untyped-call]
                fill.is_used = True
        if name in WHOLES:
            return self.inside(func, args, kwargs)
        if name in FORMS and torch._C._functorch.peek_interpreter_stack() is not None:
            self.left_out(
                f"In {self.place()} attention runs under vmap or another transform of torch.func, "
                "which is not followed"
            )
            return func(*args, **kwargs)
        if name == "exp_" and self.trace(args[0]).scores:
            return self.overwrites_scores(func, args, kwargs)
        result = func(*args, **kwargs)
        if name == "__get__" and not isinstance(result, Tensor):
            return result
        if name in MASK_MAKERS:
            self.attempt(self.note_mask, (name, result), {})
        if len(self.tape) and name not in EXPS and name not in FORMS:
            self.attempt(self.note_step, (name, func, result, args, kwargs), {})
        if name in ("max", "min") and len(args) > 1 and isinstance(args[1], Tensor):
            name = f"{name}imum"  # entry by entry
        if name == "scaled_dot_product_attention":
            self.attempt(self.sdpa, (result, *args), kwargs)
        elif name in SOFTMAXES:
            self.attempt(self.softmax, (name, result, *args), kwargs)
        elif name in EXPS:
            self.attempt(self.exponential, (name, result, args[0], self.trace(args[0])), {})
        elif name in PRODUCTS:
            self.attempt(self.product, (name, result, args, kwargs), {})
        elif name in ("sigmoid", "logsumexp") and args[0].ndim > 1:
            self.attempt(self.like_softmax, (name, func, result, args, kwargs), {})
        elif name == "__setitem__":
            self.attempt(self.written, args, {})
        elif name in SUMS:
            self.attempt(self.summed, (name, result, *args), kwargs)
        else:
            self.attempt(self.keep, (name, func, result, args, kwargs), {})
        return result

    def overwrites_scores(self, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call exp_, and note what softmax would have seen, which it overwrites."""
        trace = self.trace(args[0])
        kept = args[0].detach().clone()
        if (step := self.tape.get(args[0], None)) is not None:  # type: ignore[no-untyped-call]
            self.tape[kept] = step
        result = func(*args, **kwargs)
        self.attempt(self.exponential, ("exp_", result, kept, trace), {})
        return result

    def like_softmax(self, name: str, func: Any, result: Tensor, args: Any, kwargs: Any) -> None:
        """Note what may stand where softmax would: a sigmoid, or logarithms of sums."""
        self.similar[f"{name} of {tuple(args[0].shape)}", self.place()] += 1
        scores = self.trace(args[0]).scores
        self.keep(name, func, result, args, kwargs)
        if name == "sigmoid" and scores and not scores.is_learned:
            self.traces[result] = replace(self.trace(result), is_sigmoid=True)

    def note_mask(self, name: str, result: Any) -> None:
        """Note a mask that a statement makes and throws away, as if it changed one in place."""
        if not isinstance(result, Tensor) or result.ndim < 2 or not is_thrown_away():
            return
        is_square = result.shape[-1] == result.shape[-2]
        if (result.dtype == torch.bool or is_square) and not self.trace(result).scores:
            line = code_line()
            self.lost_mask = (
                f"{name} in {line} gives a new mask that nothing uses; {name}_ does not"
            )

    def note_step(self, name: str, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Note what is done with a product on its way to softmax, to do it once more there."""
        if name == "__setitem__":
            result = args[0]
        is_one = isinstance(result, Tensor)
        for at, made in enumerate([result] if is_one else result if type(result) in MANY else []):
            if not isinstance(made, Tensor) or not made.is_floating_point() or made.is_nested:
                continue
            function = func if is_one else lambda *a, at=at, **k: func(*a, **k)[at]
            step = next_step(self.tape, name, function, args, kwargs, made)
            if step is None:
                continue
            is_product = name in PRODUCTS or name in SUMS
            if not is_product or any(b.shape.numel() == made.numel() for b in step.before):
                self.tape[made] = step

    def inside(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run what would be passed on as a whole so that its parts are seen: a copy that asks no
        mode before it begins.
        """
        asks = dict.fromkeys(("has_torch_function", "has_torch_function_unary"), lambda _: False)
        inner = func.__globals__ | asks
        copy = FunctionType(func.__code__, inner, func.__name__, func.__defaults__)
        copy.__kwdefaults__ = func.__kwdefaults__
        before = self.heads
        if func.__name__ == WHOLES[0]:
            self.heads = kwargs.get("num_heads") or args[4]
        try:
            with self:
                return copy(*args, **kwargs)
        finally:
            self.heads = before

    def attempt(self, note: Callable[..., None], args: Any, kwargs: Any) -> None:
        """Note something; the model goes on, whatever comes of it."""
        try:
            given = flat([*args, *kwargs.values()])
            kind = next((a.device.type for a in given if isinstance(a, Tensor)), "cpu")
            # In the precision of the sums, whatever the model has chosen for itself.
            with torch.no_grad(), torch.autocast(kind, enabled=False):
                note(*args, **kwargs)
        except Exception as error:
            self.left_out(f"In {self.place()} a call was left out: {error}")

    def left_out(self, note: str) -> None:
        """Say that something was not understood."""
        self.say(note)
        if note not in self.open:
            self.open.append(note)

    def say(self, note: str) -> None:
        """Add a note to the report, once."""
        if note not in self.notes:
            self.notes.append(note)

    def begin(self, tensors: list[Tensor]) -> None:
        """Note the first dimension of what the model is given."""
        self.lost_mask = ""
        self.over_first = []
        self.is_batch_first = have_first_in_common(tensors)
        self.counted = {len(t) for t in tensors if t.ndim == 1}
        is_of_image = any(t.dtype == torch.bool and t.ndim > 2 for t in tensors)
        self.is_told |= is_of_image or bool(self.padding.known or self.padding.tail)
        for t in tensors:
            if t.is_nested or t.ndim < 2 or t.size(0) < 2:
                continue
            if self.given == (0, 0) or self.given[0] != t.shape[0]:
                self.batch, self.given = Axis(t.shape[0]), (t.shape[0], t.shape[1])
            if t.shape[0] == self.given[0] and self.trace(t) is UNKNOWN:  # no cache of before
                axes = fresh(t.shape)
                self.traces[t] = Trace(((self.batch,), *axes[1:]))
                self.inputs |= {axis: id(t) for axis in axes[1]}

    def end(self, outputs: list[Tensor]) -> None:
        """Say what is wrong with layers whose keys are the first dimension of what the model was
        given, if that is the batch: as several inputs have it in common, or as the output has a row
        for each of it and nothing for each of the second.
        """
        first, second = self.given
        rows = [t for t in outputs if t.ndim in (1, 2) and t.is_floating_point()]
        is_for_second = second in self.counted or any(len(t) == second for t in rows)
        if first == second or (is_for_second and first not in self.counted):
            return
        is_for_each = any(
            t.ndim == 2 and len(t) == first and t.shape[1] not in (first, second) for t in rows
        )
        if not (first < second or self.is_batch_first or (is_for_each and second > 1)):
            return
        for sums in self.over_first:
            sums.of_layer.axis_verdict = "sequences"
            sums.of_layer.axis_detail = (
                f"its keys are the {first} entries of the first dimension that the model was "
                f"given, and the {second} of the second count as sequences. Say batch_first=True, "
                "if the first dimension is the batch"
            )

    # What is known of tensors

    def trace(self, t: Any) -> Trace:
        """Say what is known of a tensor."""
        found = self.traces.get(t, None) if isinstance(t, Tensor) else UNKNOWN  # type: ignore[no-untyped-call]
        if found is None:
            found = OWNED if isinstance(t, nn.Parameter) or id(t) in self.owned else UNKNOWN
        return found

    def keep(self, name: str, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Hand on what is known of a tensor to what is made from it, and note a factor."""
        if not isinstance(result, Tensor | list | tuple):
            return
        made = [each for each in flat([result]) if isinstance(each, Tensor)]
        given = [each for each in flat([*args, *kwargs.values()]) if isinstance(each, Tensor)]
        if not made or not given:
            return
        traces = [self.trace(each) for each in given]
        if any(each.is_nested for each in made):
            if name in KEEPS:  # of its axes nothing is known, as its sequences differ
                known = known_after(name, args, given, traces)
                is_nested = any(t.is_nested for t in traces)
                self.traces[made[0]] = Trace(known=known, is_nested=is_nested)
            return
        is_factor = name in TIMES or name in OVER or name == "normalize"
        if not is_factor and all(t is UNKNOWN for t in traces):
            return
        if name in ("embedding", *CONVOLUTIONS) and not any(t.scores for t in traces):
            self.keep_of_layer(name, made[0], traces[0])
            return
        told_axes = axes_after(name, func, result, args, kwargs, given, traces)
        known = self.factor_after(name, made[0], result, args, given, traces)
        scores = self.scores_after(name, made[0], args, kwargs, given, traces)
        weights: tuple[Weights, ...] = ()
        if name in KEEPS:
            weights = self.kept_weights(name, args, kwargs, traces)
            if name.startswith("dropout"):
                scores = self.dropped(scores, weights, args, kwargs)
        else:
            for lost in (each for t in traces for each in t.weights):
                lost.call.is_used = True
        trace = Trace(
            None, known, scores, weights, self.outer(name, result, given, traces),
            is_owned=name in KEEPS and all(t.is_owned for t in traces),
            is_lost=not scores and any(t.is_lost or t.scores for t in traces),
            view_line=next((t.view_line for t in traces if t.view_line), ""),
            is_by_entry=any(t.is_by_entry for t in traces),
        )  # fmt: skip
        if name in SHAPES or name in REPEATS:
            trace = replace(trace, view_line=code_line())
        if name in KEEPS:
            trace = self.with_v(trace, name, args, traces)
        is_anything = known is not NOTHING or trace.is_owned
        is_anything |= any(t is not UNKNOWN for t in traces)
        for each, told in zip(made, told_axes, strict=True):
            axes = fitted(told, each.shape)
            if axes or is_anything:
                self.traces[each] = replace(trace, axes=axes)

    def keep_of_layer(self, name: str, result: Tensor, first: Trace) -> None:
        """Note what an embedding or a convolution made: features along one dimension."""
        dim = 1 if name in CONVOLUTIONS else result.ndim - 1
        axes = fresh(result.shape)
        if name == "embedding" and first.axes and len(first.axes) == dim:
            axes = (*first.axes, axes[-1])
        if dim == 1 and first.axes:  # batch and heads may be merged there
            axes = (first.axes[0], *axes[1:])
        self.traces[result] = Trace(with_features(axes, result.shape, dim))

    def factor_after(
        self, name: str, made: Tensor, result: Any, args: Any, given: list[Tensor],
        traces: list[Trace],
    ) -> Known:  # fmt: skip
        """Say what has been multiplied by what: as it is measured, or else by its name."""
        known = NOTHING
        is_plain = name in KEEPS and name not in PLUS | MINUS
        if not is_plain or all(t.shape[-1:] > (1,) for t in given[:2]):
            known = turned_after(result, traces) if name in PLUS | MINUS else NOTHING
            known = known if known is not NOTHING else measured_after(result, given, traces)
        if known is NOTHING and name in KEEPS:
            known = known_after(name, args, given, traces)
        if 0 < known.left < 1 and made.numel() < given[0].numel():
            known = replace(known, others=())  # a part of it: what nothing was written over
        if name in IN_PLACE and args[0]._base is not None:
            base = args[0]._base
            share = args[0].numel() / max(1, base.numel())
            self.write(base, self.trace(base), Trace(known=known), share)
        return known

    def scores_after(
        self, name: str, made: Tensor, args: Any, kwargs: Any, given: list[Tensor],
        traces: list[Trace],
    ) -> Scores | None:  # fmt: skip
        """Say what is known of what is made from scores; a mask's new tensor waits to be used."""
        if not self.keeps_scores(name, made, given, traces):
            return None
        scores = kept_scores(name, args, kwargs, given, traces)
        is_mask = name in FILLS or (
            name in PLUS and any(two_values(t)[0] < -GAP for t in given if not self.trace(t).scores)
        )
        if scores and is_mask and made is not args[0]:
            fill = Fill(weakref.ref(made), code_line())
            self.fills[made] = fill
            scores.part.start.fills.append(fill)
        return scores

    def with_v(self, trace: Trace, name: str, args: Any, traces: list[Trace]) -> Trace:
        """Add what is known of sums of weights, and of their products with v."""
        if name in PLUS:
            self.add_up([t.mixed for t in traces if t.mixed])
        total = next((t.total for t in traces if t.total and not trace.weights), None)
        return replace(trace, mixed=self.kept_mixed(name, args, traces), total=total)

    def keeps_scores(
        self, name: str, result: Tensor, given: list[Tensor], traces: list[Trace]
    ) -> bool:
        """Say whether what is made from scores has the same entries, whatever was done to them."""
        if name in SIMILAR or result not in self.tape:
            return False
        scored = [t.shape for t, trace in zip(given, traces, strict=True) if trace.scores]
        return result.shape in scored or name in VIEWS | SHAPES | REPEATS | WIDENS | {"stack"}

    def kept_weights(
        self, name: str, args: Any, kwargs: Any, traces: list[Trace]
    ) -> tuple[Weights, ...]:
        """Say which weights a tensor has, and note what they are divided by or multiplied."""
        having = [t for t in traces if t.weights]
        if not having:
            return ()
        first = having[0]
        for other in having[1:]:  # a sum or a row of several
            for dim, also in zip(first.axes or (), other.axes or (), strict=False):
                for one, two in zip(dim, also, strict=False):
                    for each in other.weights:
                        each.call.alias[one.root] = two.root
        weights = tuple(dict.fromkeys(each for t in having for each in t.weights))
        for each in weights:
            each.call.is_filled |= (
                name in FILLS
                or name in TRIANGLES
                or (name in TIMES and any(isinstance(a, Tensor) and is_zero_one(a) for a in args))
            )
        if len(having) == 1 and self.is_cut(name, args, kwargs):
            for each in weights:
                each.call.is_cut = True
        if name in TIMES or name in OVER:
            totals = [t.total for t in traces if t.total and not t.weights]
            factor = next((a for a in args if not self.trace(a).weights), None)
            number = gain_of(factor, name in OVER) if len(args) == 2 and not totals else None
            for each in weights:
                if totals and each is totals[0][0]:
                    each.call.over, each.call.is_cut = set(totals[0][1]), False
                elif number is not None:
                    each.call.after *= number
                each.call.is_rescaled |= isinstance(factor, Tensor) and factor.numel() > 1
        elif name == "normalize":
            axis = kwargs.get("dim", args[2] if len(args) > 2 else 1)
            for each in weights:
                each.call.over, each.call.is_cut = roots(first.axes or (), [axis]), False
        return weights

    def dropped(
        self, scores: Scores | None, weights: tuple[Weights, ...], args: Any, kwargs: Any
    ) -> Scores | None:
        """Note dropout that is at work in eval(), or stands before softmax; give the scores."""
        p = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
        on = kwargs.get("training", args[2] if len(args) > 2 else True)
        if not p:
            return scores
        for each in weights:
            each.call.dropped = IN_EVAL if on and self.is_eval else ""
        is_attention_score = scores and not weights and not scores.is_learned
        return replace(scores, dropped=BEFORE) if scores and is_attention_score else scores

    @property
    def is_eval(self) -> bool:
        """Whether all modules at work are in eval()."""
        return bool(self.stack) and not any(module.training for module in self.stack)

    def add_up(self, calls: list[Call]) -> None:
        """Note that results of several softmax calls are added: pieces of one row, or not."""
        if len(calls) < 2:
            return
        for call in calls:
            call.is_joined = True
        one, other = calls[:2]
        pieces = [key_piece(call) for call in (one, other)]
        if one.sums is not None and all(pieces) and pieces[0] == pieces[1]:
            one.sums.of_layer.axis_verdict = "pieces"
        first, second = one.shift, other.shift
        if one.sums is None or first is None or second is None or first.shape != second.shape:
            return
        differs = bool(((first - second).abs() > CLOSE).any())
        if differs and not (one.is_rescaled or other.is_rescaled):
            one.sums.of_layer.axis_verdict = "shifted"

    def is_cut(self, name: str, args: Any, kwargs: Any) -> bool:
        """Say whether a mask takes weight from most rows, after softmax."""
        if name in TRIANGLES:
            lost = args[0].detach().mul(~triangle(name, args, kwargs)).sum(-1)
            return bool((lost > LEAK).float().mean() > 0.5)
        if len(args) < 2:
            return False
        one, other = args[:2]
        if name in TIMES and isinstance(other, Tensor) and isinstance(one, Tensor):
            one, other = (one, other) if self.trace(one).weights else (other, one)
            if (not other.is_floating_point() and other.dtype != torch.bool) or other.requires_grad:
                return False
            gone = other == 0 if is_zero_one(other) else None
        elif name in ("masked_fill", "masked_fill_") and len(args) > 2 and args[2] == 0:
            gone = other if isinstance(other, Tensor) and self.trace(one).weights else None
        else:
            return False
        if gone is None or gone.dtype != torch.bool:
            return False
        lost = torch.where(gone, one.detach(), 0).sum(-1)
        return bool(((lost > LEAK) & (lost < 1 - LEAK)).float().mean() > 0.5)

    def kept_mixed(self, name: str, args: Any, traces: list[Trace]) -> Call | None:
        """Say of which call a tensor is the product with v, and note what it is divided by."""
        call = next((t.mixed for t in traces if t.mixed), None)
        if call is None or not (name in TIMES or name in OVER) or len(args) != 2:
            return call
        total = next((t.total for t in traces if t.total), None)
        if total and total[0].call is call:
            call.over = set(total[1])
            self.look.judge_axis(call)
            return call
        number = gain_of(next((a for a in args if not self.trace(a).mixed), None), name in OVER)
        if any(isinstance(a, Tensor) and a.numel() > 1 and not self.trace(a).mixed for a in args):
            call.is_rescaled = True
        if number is not None and call.sums is not None:
            call.after *= number
            call.sums.of_layer.after = call.after
        return call

    def outer(
        self, name: str, result: Any, given: list[Tensor], traces: list[Trace]
    ) -> Contraction | None:
        """Note a product entry by entry of two tensors that differ along other axes."""
        if name not in TIMES or len(given) != 2 or any(t.is_owned for t in traces):
            return None
        one, other = given
        if one.numel() < 2 or other.numel() < 2 or not result.is_floating_point():
            return None
        if one.shape == other.shape and not any(t.weights for t in traces):
            return None
        letters = "abcdefghijklmnopqrstuvwxyz"[: result.ndim]
        sides = tuple(letters[result.ndim - t.ndim :] for t in given)
        return Contraction(tuple(given), sides, letters)

    def summed(self, name: str, result: Tensor, *args: Any, **kwargs: Any) -> None:
        """Note a sum that ends a product, or that softmax is divided by."""
        source = args[0]
        trace = self.trace(source)
        dims = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if dims is None and trace.weights and trace.axes:
            dims = range(source.ndim)
        if dims is None or not isinstance(source, Tensor):
            return
        dims = [dims] if isinstance(dims, int) else list(dims)
        dims = [dim % source.ndim for dim in dims]
        is_masked = any(each.call.is_cut for each in trace.weights)
        if trace.outer and not is_masked:
            left = [x for at, x in enumerate(trace.outer.result) if at not in dims]
            factor = 1.0
            if name == "mean":
                factor = 1 / torch.Size([source.shape[dim] for dim in dims]).numel()
            kept = bool(kwargs.get("keepdim", args[2] if len(args) > 2 else False))
            product = replace(trace.outer, result="".join(left), factor=factor)
            self.multiplied(product, result, dims if kept else [])
        elif trace.weights and trace.axes:
            axes = alike_or_dropped(trace.axes, dims, result)
            over = frozenset(roots(trace.axes, dims))
            self.traces[result] = Trace(axes, total=(trace.weights[0], over))
        elif trace.axes:
            one = source.select(dims[0], 0) if len(dims) == 1 else source
            known = measured_after(result, [one], [trace])
            self.traces[result] = Trace(alike_or_dropped(trace.axes, dims, result), known)

    # Products

    def product(self, name: str, result: Tensor, args: Any, kwargs: Any) -> None:
        """Note a product of two tensors or more."""
        tensors = [t for t in flat([*args, *kwargs.values()]) if isinstance(t, Tensor)]
        if any(t.is_nested for t in tensors):
            known = self.trace(tensors[1]).known if name == "linear" else NOTHING
            self.traces[result] = Trace(known=known, is_nested=name != "linear")
            return
        self.judge_merge(tensors[1:] if name in ("addmm", "baddbmm", "addbmm") else tensors)
        if name == "linear" and self.is_layer(tensors):
            self.by_layer(result, tensors, args, kwargs)
            return
        if self.trace(tensors[0]).is_sigmoid and not self.trace(tensors[-1]).is_owned:
            self.left_out(
                f"In {self.place()} a sigmoid stands where softmax would, and is not judged"
            )
        found = contraction(name, args, kwargs)
        if found is None:
            return
        self.multiplied(found, result, [])
        if name in ("baddbmm", "addmm", "addbmm"):
            self.added_to(result, tensors[0], kwargs.get("beta", 1))

    def is_layer(self, tensors: list[Tensor]) -> bool:
        """Say whether what F.linear was given is the weight of a layer, or of talking heads."""
        weight, first = self.trace(tensors[1]), self.trace(tensors[0])
        if not (weight.is_owned or (weight.axes is None and weight.known is NOTHING)):
            return False
        is_square = tensors[1].shape[0] == tensors[1].shape[-1]
        if is_square and (first.scores or first.weights):
            return True
        return weight.is_owned or self.is_plain(tensors)

    def by_layer(self, result: Tensor, tensors: list[Tensor], args: Any, kwargs: Any) -> None:
        """Note what a layer made: features, and by what its weight or its input was multiplied."""
        weight, first = self.trace(tensors[1]), self.trace(tensors[0])
        is_square = tensors[1].shape[0] == tensors[1].shape[-1]
        if is_square and (first.scores or first.weights):
            self.keep("linear", None, result, args, kwargs)  # talking heads
            return
        lead = (first.axes or fresh(tensors[0].shape))[:-1]
        axes = with_features((*lead, ()), result.shape, result.ndim - 1, tensors[0].shape[-1])
        of_input = first.known.factor if isinstance(first.known.factor, float) else 1.0
        known = weight.known
        if known is not NOTHING or of_input != 1:
            known = replace(known, is_unit=False, is_normed=False, of_input=of_input)
        self.traces[result] = Trace(axes, known)

    def added_to(self, result: Tensor, added: Tensor, beta: float) -> None:
        """Note what baddbmm, or one like it, adds to a product: a mask, a bias, or nothing."""
        self.add_up([call for t in (added, result) if (call := self.trace(t).mixed)])
        scores = self.trace(result).scores
        if scores and not beta and two_values(added)[0] < LOW:
            lines = {"mask": code_line()} | scores.lines
            scores = replace(scores, added="beta=0 leaves it out", lines=lines)
            self.traces[result] = replace(self.trace(result), scores=scores)
        if beta and (step := self.tape.get(result, None)):  # type: ignore[no-untyped-call]
            was = [(added, version(added))]
            self.tape[result] = Step(
                torch.add, (step, added), {"alpha": beta}, result.shape, 2, was, before=[step]
            )

    def judge_merge(self, tensors: list[Tensor]) -> None:
        """Say whether what a layer is given has the tokens of its heads cut."""
        if len(tensors) < 2:
            return
        first, weight = (self.trace(each) for each in tensors[:2])
        call = first.mixed
        if call is None or call.sums is None or not (weight.is_owned or weight.axes is None):
            return
        if cuts_tokens(first.axes or (), [-1]):
            layer = call.sums.of_layer
            layer.layout_fault, layer.layout_detail = "cut", MERGED
            layer.lines |= viewed_at([first])

    def is_plain(self, tensors: list[Tensor]) -> bool:
        """Say whether a weight is none of the model's, and was never computed."""
        return tensors[1].grad_fn is None and tensors[0] is not tensors[1] and bool(self.stack)

    def multiplied(self, c: Contraction, result: Tensor, kept: list[int]) -> None:
        """Note what a product is: weights with v, heads that are mixed, scores, or something else.

        Args:
            c: what is multiplied
            result: what came out
            kept: its dimensions that were summed over and kept
        """
        traces = [self.trace(t) for t in c.tensors]
        axes_of = axes_of_letters(c, traces)
        axes = in_letters(c.result, axes_of, result.shape, kept)
        self.unseen.multiplied(c, result)
        if any(trace.weights for trace in traces):
            self.multiplied_weights(c, traces, result, axes)
            return
        scored = next((at for at, trace in enumerate(traces) if trace.scores), None)
        if scored is not None and result.numel() == c.tensors[scored].numel():
            scores = traces[scored].scores
            axes_same = in_place_axes(c, scored, traces)
            if axes_same and scores and not scores.is_learned:
                self.traces[result] = Trace(axes_same, scores=scores)
                return
        known = measured_after(result, list(c.tensors), traces)
        if any(axis.is_by_head for dim in axes for axis in dim):
            known = next((t.known for t in traces if t.known.places), known)  # it goes through
        pair = queries_and_keys(c, traces)
        if pair is None or known is not NOTHING:
            self.traces[result] = Trace(axes, known)
            return
        own = {letter: tuple(axis.anew() for axis in axes) for letter, axes in axes_of.items()}
        self.begin_scores(
            c, pair, traces, own, result, in_letters(c.result, own, result.shape, kept)
        )

    def multiplied_weights(
        self, c: Contraction, traces: list[Trace], result: Tensor, axes: Axes
    ) -> None:
        """Note a product of weights: with v, which says what the keys are, or with a layer's."""
        have_weights = [at for at, trace in enumerate(traces) if trace.weights]
        at = have_weights[0]
        elsewhere = "".join(c.letters[:at] + c.letters[at + 1 :])
        summed = [x for x in c.letters[at] if x not in c.result and x in elsewhere]
        own = traces[at].axes
        others = [t for i, t in enumerate(traces) if i != at]
        if own is not None and summed and not all(t.is_owned for t in others):
            keys = {axis.root for x in summed for axis in own[c.letters[at].index(x)]}
            crossed = other_axis_of_v(c, at, traces, summed)
            v = next((c.tensors[i] for i, t in enumerate(traces) if i != at), None)
            is_value = any(a.is_feature for t in others for dim in t.axes or () for a in dim)
            for each in traces[at].weights:
                each.call.crossed, each.call.v = crossed, v
                each.call.met = c.tensors[at]
                each.call.is_log &= is_value
                self.meets(each.call, each.call.own(keys), result, c.tensors[at])
            more = tuple(each for i in have_weights[1:] for each in traces[i].weights)
            last = traces[at].weights[-1].call
            self.traces[result] = Trace(axes, weights=more, mixed=last)
        elif summed and any(t.is_owned for t in others) and keeps_all(c, at):
            self.traces[result] = Trace(axes, weights=traces[at].weights)

    def begin_scores(
        self, c: Contraction, pair: tuple[int, int], traces: list[Trace],
        axes_of: dict[str, tuple[Axis, ...]], result: Tensor, axes: Axes,
    ) -> None:  # fmt: skip
        """Note a product of what may be q and k: scores, as far as softmax is given them."""
        one, other = (traces[at] for at in pair)
        start = Step(None, (), {}, result.shape, 1, is_half=result.element_size() == 2)
        start.axes = axes
        start.versions = [(c.tensors[at], version(c.tensors[at])) for at in pair]
        given = (one.axes or (), other.axes or ())
        start.part = Part(c, pair, (one.known, other.known), axes_of, given)
        part = replace(start.part, start=start)  # and no circle, which lives on
        lines = {"product": code_line()} | viewed_at(traces)
        if scaled := [known.line for known in part.known if known.line]:
            lines["scale"] = scaled[-1]
        is_learned = one.is_owned or other.is_owned
        self.traces[result] = Trace(axes, scores=Scores(part, is_learned=is_learned, lines=lines))
        numbers = [t for at, t in enumerate(c.tensors) if at not in pair and t.numel() == 1]
        factor = c.factor * math.prod(float(t) for t in numbers)
        self.tape[result] = start
        if factor != 1:
            by_number = Step(torch.mul, (start, factor), {}, result.shape, 2, [], before=[start])
            self.tape[result] = by_number

    def written(self, target: Any, index: Any, value: Any) -> None:
        """Note what is written into a part of a tensor: another factor, a mask, or scores."""
        trace = self.trace(target)
        if trace.scores and isinstance(value, int | float) and trace.axes is not None:
            mask = torch.zeros(target.shape, dtype=torch.bool, device=target.device)
            mask[index] = True
            scores = leave_out(trace.scores, mask, target, trace, float(value))
            self.traces[target] = replace(trace, scores=scores)
        if not isinstance(value, Tensor) or not target.is_floating_point():
            return
        if value._base is target:
            return  # t[…] *= s, which was noted where it multiplied
        new = self.trace(value)
        if new.scores and not trace.scores:
            self.traces[target] = Trace(is_by_entry=True)
        elif not (new.scores or trace.scores or trace.weights):
            self.write(target, trace, new, target[index].numel() / max(1, target.numel()))

    def write(self, target: Tensor, trace: Trace, new: Trace, share: float) -> None:
        """Note the factor of what is written over a share of a tensor that may be q or k."""
        had = trace.known
        if not had.others and alike_factors(had.factor, new.known.factor):
            return
        is_empty = trace.axes is None and had is NOTHING
        left = 0.0 if is_empty else had.left - share
        if left < 1e-6:  # nothing is left of what it was
            known = new.known
            for other in had.others:
                known = known.beside(Known(other))
        else:
            known = had.beside(new.known)
        axes = trace.axes
        if axes is None and new.axes is not None:
            axes = resized_axes(new.axes, target.shape)
        self.traces[target] = replace(trace, axes=axes, known=replace(known, left=left))

    # Softmax

    def call(
        self, name: str, logits: Tensor, trace: Trace, over: set[Axis] | None, axes: Axes,
        base: float = 1.0,
    ) -> Call:  # fmt: skip
        """Note a softmax, until its weights meet v."""
        named = any(is_attention(module) for module in self.stack)
        scores = trace.scores
        if (
            scores
            and scores.is_learned
            and not any(scores.part.side(axis) for dim in axes for axis in dim)
        ):
            scores = None
        if trace.axes is None:  # they were lost on the way
            scores = None
        call = Call(
            self.place(), self.said(), logits.detach(), axes, scores, over, name, named, base=base
        )
        call.step = self.tape.get(logits, None)  # type: ignore[no-untyped-call]
        call.is_made = trace.scores is None and trace.axes is not None and not trace.is_lost
        if scores:
            if self.lost_mask and not scores.added:
                call.scores = scores = replace(scores, added=self.lost_mask)
            call.lines = scores.lines | {"softmax": code_line()}
            scores.part.start.is_done = True
            for fill in scores.part.start.fills:
                if not fill.is_used and fill.result() is None:
                    call.scores = replace(scores, added=NOT_USED.format(line=fill.line))
                elif not fill.is_used:  # it may have a name, and be used later
                    self.unused.append((fill, call))
        return call

    def softmax(
        self, name: str, result: Tensor, input: Tensor, dim: int | None = None, *_: Any, **__: Any
    ) -> None:
        """Note softmax, and wait for the product of its weights with v."""
        if input.ndim == 0:
            return
        if not isinstance(dim, int):
            dim = 0 if input.ndim in (1, 3) else 1
        dim %= input.ndim
        trace = self.trace(input)
        if input.is_nested:
            if trace.is_nested:
                self.left_out(
                    f"In {self.place()} scores of nested tensors are not followed where they are "
                    "written out. scaled_dot_product_attention is, or a loop over unbind()"
                )
            return
        if trace.is_by_entry:
            self.left_out(
                f"In {self.place()} scores are written into a tensor in parts, which is not "
                "followed. Write q @ k.transpose(-2, -1) for the loop"
            )
        axes = trace.axes or fresh(input.shape)
        over = {axis.root for axis in axes[dim]}
        call = self.call(name, input, trace, over, axes)
        if name == "softmin" and call.scores:
            call.logits = -call.logits
            if step := call.step:
                call.step = Step(
                    torch.neg, (step,), {}, input.shape, step.depth + 1, [], before=[step],
                    line=code_line(),
                )  # fmt: skip
        call.is_log = "log" in name
        self.similar[f"{name} over dim {dim} of {tuple(input.shape)}", self.place()] += 1
        self.wait(call, result, axes)

    def exponential(self, name: str, result: Tensor, input: Tensor, trace: Trace) -> None:
        """Note exp of scores, which a sum will make softmax."""
        if trace.weights:  # exp of log_softmax
            for each in trace.weights:
                each.call.is_log = False
            self.traces[result] = replace(trace, scores=None)
            return
        if trace.scores is None or trace.axes is None or trace.scores.is_learned:
            if any(is_attention(module) for module in self.stack):
                self.similar[f"{name} of {tuple(result.shape)}", self.place()] += 1
            return
        call = self.call(name, input, trace, None, trace.axes, EXPS[name])
        self.similar[f"{name} of {tuple(result.shape)}", self.place()] += 1
        self.wait(call, result, trace.axes)

    def wait(self, call: Call, result: Tensor, axes: Axes) -> None:
        """Keep a call until its weights meet v, or nobody has them any more."""
        weights = Weights(call)
        self.traces[result] = Trace(axes, weights=(weights,))
        if call.scores or call.is_named:
            self.pending.append((weakref.ref(weights), call))

    def meets(self, call: Call, keys: set[Axis], result: Tensor, weights: Tensor) -> None:
        """Note the product of weights with v, which says what the keys are."""
        if call.is_done:
            return
        if call.is_made and not call.is_named:
            call.is_done = True
            return  # a pooling: a layer made what softmax was given, and no product of q and k
        features = [a for dim in call.axes for a in dim if a.root in keys]
        if call.scores is None and not call.is_named and all(a.is_feature for a in features):
            call.is_done = True
            return  # a router or a gate: what it weighs is made by a layer's weights
        if call.scores and call.scores.is_learned and not self.look.is_of_tokens(call, keys):
            call.is_done = True
            return  # a router: what it weighs is made of parameters
        call.keys = keys
        call.has_nan = has_nan(weights)
        if not call.has_nan and has_nan(result):
            call.cause = "v is not finite, as the output has NaN and the weights have none"
        call.output = digest(result)
        if call.over is None and self.sums_to_one(weights, keys):
            call.over = keys
        self.finish(call)

    def sums_to_one(self, weights: Tensor, keys: set[Axis]) -> bool:
        """Say whether exp of something sums to 1 over the keys, as with logsumexp taken away."""
        axes = self.trace(weights).axes or ()
        dims = [at for at, dim in enumerate(axes) if any(a.root in keys for a in dim)]
        if not dims:
            return False
        total = weights.detach().float().sum(dims)
        return bool((((total - 1).abs() < CLOSE) | (total == 0) | total.isnan()).all())

    def finish(self, call: Call) -> None:
        """Measure a call; say what was not understood of it."""
        call.is_done = True
        self.counts["all"] += 1
        try:
            with torch.no_grad(), torch.autocast(call.logits.device.type, enabled=False):
                self.look.measure(call)
        except Exception as error:
            self.left_out(f"In {call.place} a call was left out: {error}")
        else:
            self.counts["understood"] += call.scores is not None and call.keys is not None

    def settle(self, everything: bool = False) -> None:
        """Measure calls whose weights never met v, as far as nobody has them any more."""
        if everything:
            for fill, call in self.unused:
                if not fill.is_used and fill.result() is None and call.sums and call.sums.masking:
                    call.sums.masking.added = NOT_USED.format(line=fill.line)
            self.unused = []
        pending, self.pending = self.pending, []
        for weights, call in pending:
            if call.is_done:
                if call.sums is not None and call.over is None and not call.is_joined:
                    if everything:
                        self.left_out(
                            f"In {call.place} {call.form} of scores met v, and was not seen to be "
                            "divided by its sum over the keys"
                        )
                    else:  # it may be divided later
                        self.pending.append((weights, call))
                continue
            if everything or weights() is None:
                self.unmet(call, is_gone=weights() is None)
            else:
                self.pending.append((weights, call))

    def unmet(self, call: Call, is_gone: bool) -> None:
        """Measure a call whose weights were not seen to meet v: its own axis is taken for keys."""
        if is_gone and not call.is_used and call.scores:
            call.is_done = True
            self.counts["all"] += 1
            self.left_out(
                f"In {call.place} {call.form} gave weights that nothing used: what is computed in "
                "vain, or used in a form that is not known"
            )
            return
        if call.over is None or (call.scores is None and call.logits.ndim < 3):
            return
        if not (is_gone or call.is_used or call.is_named or call.said.heads_around):
            return  # what the model gives: similarities, as a contrastive loss has them
        if call.scores and call.scores.is_learned:
            return
        if call.scores is None and not self.look.over_last(call):
            return
        call.keys = None
        self.finish(call)
        if call.scores:
            self.left_out(
                f"In {call.place} the weights of {call.form} were not seen to meet v: the axis of "
                "softmax is taken for that of the keys"
            )

    # Kernels that are one call

    def sdpa(
        self, result: Tensor | None, query: Tensor, key: Tensor, value: Tensor,
        attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
        scale: float | None = None, enable_gqa: bool = False, **_: Any,
    ) -> None:  # fmt: skip
        """Note a call of scaled_dot_product_attention."""
        if query.is_nested:
            self.nested(query, key, is_causal, scale)
            return
        dropped = IN_EVAL if dropout_p and self.is_eval else ""
        if query.ndim > 2 and query.shape[-3] != key.shape[-3] > 1:  # grouped heads
            known = self.trace(key)
            key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
            self.traces[key] = replace(known, axes=self.trace(query).axes, scores=None)
            if (axes := self.trace(query).axes) is not None:
                tokens = (Axis(key.shape[-2]),) if key.shape[-2] > 1 else ()
                self.traces[key] = replace(known, axes=(*axes[:-2], tokens, axes[-1]), scores=None)
        self.look.sdpa_kernel(result, query, key, attn_mask, is_causal, scale, value, dropped)

    def nested(self, query: Tensor, key: Tensor, is_causal: bool, scale: float | None) -> None:
        """Note a call with nested tensors, one sequence after another."""
        known = [self.trace(t).known for t in (query, key)]
        for q, k in zip(query.unbind(0), key.unbind(0), strict=True):
            for t, each in zip((q, k), known, strict=True):
                heads = (Axis(t.shape[0], True),) if t.ndim == 3 and t.shape[0] > 1 else ()
                axes = (heads, (Axis(t.shape[-2]),), (Axis(t.shape[-1], True),))
                self.traces[t] = Trace(axes[3 - t.ndim :], each)
            self.look.sdpa_kernel(None, q, k, None, is_causal, scale)

    # Modules

    def enter(self, module: nn.Module, args: Any) -> None:
        """Note that a module begins."""
        if not self.unseen.enter(module, args):
            return
        self.stack.append(module)
        self.watched += module in self.names
        if is_attention(module) and module in self.names:
            self.called[self.names[module]] = type(module).__name__

    def leave(self, module: nn.Module, *given: Any) -> None:
        """Note that a module ends, also by an exception."""
        if not self.unseen.leave(given):
            return
        while module in self.stack:
            last = self.stack.pop()
            self.watched -= last in self.names
            if last is module:
                break
        if self.pending and not self.is_paused and (not self.stack or len(self.pending) > 2):
            self.is_paused = True  # what is measured is none of the model
            try:
                self.settle(everything=not self.stack)
            finally:
                self.is_paused = False


def have_first_in_common(tensors: list[Tensor]) -> bool:
    """Say whether numbers of tokens, and what else a model is given, have a first dimension in
    common and no second one: it is the batch.

    Masks of all pairs, and positions that are the same for all, say nothing.
    """
    several = [t for t in tensors if not t.is_nested and t.ndim > 1 and min(t.shape[:2]) > 1]
    several = [t for t in several if t.shape[0] != t.shape[1]]
    if several and (several[0].ndim > 2 or several[0].is_floating_point()):
        several = [t for t in several if t.ndim > 2]
    firsts, seconds = ({t.shape[at] for t in several} for at in (0, 1))
    return len(firsts) == 1 < len(seconds)


def by_place(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Give arguments called input and other their places, as in torch.mul(input=q, other=0.1)."""
    named = [kwargs[name] for name in ("input", "other")[len(args) :] if name in kwargs]
    rest = {name: each for name, each in kwargs.items() if name not in ("input", "other")}
    return (*args, *named), rest
