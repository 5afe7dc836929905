"""What one calls: `watch`, `check`, `assert_attention` and `Monitor`."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from check_attention.again import restored, with_other_tensors
from check_attention.apart import judge_apart, sequences_of
from check_attention.axes import flat
from check_attention.kernels import kernels
from check_attention.masks import compare_biases, compare_hidden, compare_padding
from check_attention.padding import Padding, padding_of
from check_attention.report import Report
from check_attention.rows import Row
from check_attention.watcher import Watcher
from check_attention.words import NEVER_MEANT, CheckError

ROWS = 64  # queries of each sequence that are looked at, evenly spaced


@contextmanager
def watch(
    model: nn.Module, rows: int = ROWS, scale: float | None = None, allow: Iterable[str] = ()
) -> Iterator[Report]:
    """Watch the attention of a model while it is called; the report is filled when this ends.

    Args:
        model: any module, in whatever mode and precision it is; of a part, only that is watched
        rows: how many queries of each sequence are looked at, evenly spaced
        scale: what q·k should be multiplied by, if it is not 1/√d and no configuration says so
        allow: names of layers, such as `pool.*`, of which nothing has to be understood

    Raises:
        CheckError: it is no module, or one that cannot be watched.
    """
    with watched(model, rows, scale, allow) as (report, _):
        yield report


@contextmanager
def watched(
    model: nn.Module, rows: int = ROWS, scale: float | None = None, allow: Iterable[str] = ()
) -> Iterator[tuple[Report, Watcher]]:
    """Do what `watch` does, and give what watches, too."""
    if not isinstance(model, nn.Module):
        raise CheckError(f"the model is a {type(model).__name__}, and has to be a torch.nn.Module")
    if rows < 1:
        raise CheckError(f"rows is {rows}, and has to be 1 or more")
    model = _plain(model)
    if isinstance(model, torch.jit.ScriptModule):
        raise CheckError("a TorchScript module runs outside of Python: give the module behind it")
    report, watcher = Report(allow=[*allow]), Watcher(model, rows, scale)
    before = nn.modules.module.register_module_forward_pre_hook(watcher.enter)
    after = nn.modules.module.register_module_forward_hook(watcher.leave, always_call=True)
    try:
        with watcher, _eager(), kernels(watcher), watcher.unseen.scripts():
            yield report, watcher
    finally:
        before.remove()
        after.remove()
        watcher.settle(everything=True)
        _fill(report, watcher)


def _fill(report: Report, watcher: Watcher) -> None:
    """Put what was found into a report."""
    compare_biases((layer, sums) for (layer, _, _), sums in watcher.found.items())
    compare_padding(watcher.found.values())
    compare_hidden(watcher.weighed)
    unused = {watcher.names[module]: name for module, name in watcher.unused_scales.values()}
    judged = {layer for (layer, _, _), s in watcher.found.items() if not s.is_made}
    for (layer, _, _), sums in watcher.found.items():
        is_aside = sums.is_made and layer in judged  # weights of a convolution, or a gate
        sums.of_layer.unused = unused.get(layer, "")
        if sums.sums and not is_aside:  # else each of its calls was left out
            report.rows += sums.rows(layer)
    seen = {row.layer for row in report.rows}
    report.unseen = [
        f"{name} ({kind}); nothing that it called looked like attention"
        for name, kind in watcher.called.items()
        if not any(layer == name or layer.startswith(f"{name}.") for layer in seen)
        and not (name == watcher.whole and seen)  # its parts have no such name in front of theirs
        and not any(name.startswith(f"{layer}.") for layer in seen & {*watcher.called})
    ]
    if report.unseen or not report.rows:
        similar = [f"{what} in {place}" for what, place in watcher.similar if place not in seen]
        report.unseen += [f"{each}: not recognised as attention" for each in similar[:8]]
    report.notes += watcher.notes
    report.not_understood += watcher.open
    report.calls, report.understood = watcher.counts["all"], watcher.counts["understood"]
    report.judge_together()


def _plain(model: Any) -> Any:
    """Give the module that torch.compile stands around."""
    return getattr(model, "_orig_mod", model)


def _eager() -> Any:
    """Have compiled functions run as they are written, where there can be any."""
    if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
        return torch.compiler.set_stance("force_eager")
    return nullcontext()


def check(
    model: nn.Module,
    batches: Iterable[Any],
    forward: Callable[[nn.Module, Any], Any] | None = None,
    rows: int = ROWS,
    show: bool = True,
    scale: float | None = None,
    allow: Iterable[str] = (),
) -> Report:
    """Run a model on a few batches, without gradients, and report on its attention.

    Buffers and random numbers are put back as they were.

    Args:
        model: any module, in the mode, precision and place that you want to know about
        batches: each a mapping of keyword arguments, a sequence of arguments, or the one argument
        forward: how to call the model with a batch, if not so
        rows: how many queries of each sequence are looked at, evenly spaced
        show: print the report
        scale: what q·k should be multiplied by, if it is not 1/√d and no configuration says so
        allow: names of layers, such as `pool.*`, of which nothing has to be understood

    Raises:
        CheckError: a wrong input, or no attention was seen.
    """
    model = _plain(model)
    if isinstance(batches, Tensor | Mapping | str) or not isinstance(batches, Iterable):
        raise CheckError("batches has to be a list of batches; for a single one write [batch]")
    with watched(model, rows, scale, allow) as (report, watcher), torch.no_grad(), restored(model):
        last = _call_all(model, batches, forward, watcher)
    _other_length(model, last, forward, report, rows, scale)
    judge_apart(model, last, forward or call_with, report, watcher.in_batches)
    if not watcher.had_padding:
        report.untried.append("masks for padding, as no batch has any that differs by sequence")
    if sequences_of(last) < 2:
        report.untried.append("whether sequences stay apart, as the last batch has only one")
    if not report.rows:
        unseen = "; ".join([*report.unseen, *report.notes])
        raise CheckError(f"no attention was seen. {unseen or 'Has the model any?'}")
    if show:
        print(report)
        report.is_shown = True
    return report


def _call_all(
    model: nn.Module, batches: Iterable[Any], forward: Callable[[nn.Module, Any], Any] | None,
    watcher: Watcher,
) -> Any:  # fmt: skip
    """Call a model with each batch; give the last.

    Raises:
        CheckError: there are none.
    """
    count, last = 0, None
    for count, last in enumerate(batches, 1):
        _call(model, last, forward, watcher, count)
    if not count:
        raise CheckError("there are no batches")
    return last


def _call(
    model: nn.Module, batch: Any, forward: Callable[[nn.Module, Any], Any] | None,
    watcher: Watcher, number: int,
) -> None:  # fmt: skip
    """Call a model with a batch, and say what of it is padding."""
    watcher.padding = Padding()
    if forward:
        with _told(model, watcher):
            forward(model, batch)
        return
    try:
        with _told(model, watcher):
            call_with(model, batch)
    except TypeError as error:
        if (misfit := _misfit(model, batch)) is None:
            raise  # the model's own
        raise CheckError(
            f"batch {number} does not fit the model: {misfit}. {_words_of_batch(batch)} Or say how "
            "to call it, such as forward=lambda model, batch: model(batch[0]), or let make() "
            "return that function as a third thing"
        ) from error


@contextmanager
def _told(model: nn.Module, watcher: Watcher) -> Iterator[None]:
    """Tell the watcher what the model is called with, whoever calls it."""

    def begin(_: nn.Module, positional: tuple[Any, ...], named: dict[str, Any]) -> None:
        watcher.is_paused = True  # what is asked here is none of the model
        watcher.padding = padding_of(model, positional, named)
        watcher.had_padding |= watcher.padding.is_any
        given = (*flat(positional), *flat(named.values()))
        watcher.begin([t for t in given if isinstance(t, Tensor)])
        watcher.is_paused = False

    def end(_: nn.Module, __: Any, output: Any) -> None:
        watcher.is_paused = True
        watcher.end([t for t in flat([output]) if isinstance(t, Tensor) and not t.is_nested])
        watcher.is_paused = False

    hooks = (
        model.register_forward_pre_hook(begin, with_kwargs=True),
        model.register_forward_hook(end),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _other_length(
    model: nn.Module, batch: Any, forward: Callable[[nn.Module, Any], Any] | None,
    report: Report, rows: int, scale: float | None,
) -> None:  # fmt: skip
    """Run a model on shorter sequences, if it has as many tokens as something else has entries.

    A root of the number of tokens is then no longer that of a head, and tokens are not as many as
    heads.
    """
    doubtful = [row for row in report.rows if row.is_doubtful]
    tokens = {row.positions for row in report.rows if row.is_doubtful or row.may_be_of_length}
    if not tokens:
        return
    # No half, and no other number that stands for something else here.
    sizes = {n: n - max(1, n // 3) for n in tokens}
    again: Report | None = None
    try:
        with watched(model, rows, scale) as (again, watcher), torch.no_grad(), restored(model):
            shorter = with_other_tensors(batch, lambda t: _shorter(t, sizes))
            _call(model, shorter, forward, watcher, 1)
    except Exception:
        again = None
    if again is None or not report.settle_doubts(again):
        kinds: dict[tuple[int, str], list[Row]] = {}
        for row in doubtful:
            other = f"{row.heads} heads" if row.positions == row.heads else f"heads of {row.d}"
            kinds.setdefault((row.positions, other), []).append(row)
        for (count, other), rows_alike in kinds.items():
            report.notes.append(
                f"{count} tokens and {other}: a root of the one is too near that of the other to "
                "be told apart, or one may stand for the other. Another length would tell, if the "
                f"model takes one: {report.where(rows_alike)}"
            )


def _shorter(t: Tensor, sizes: Mapping[int, int]) -> Tensor:
    """Give fewer tokens: along the second dimension, or along the first of one row."""
    dims = [dim for dim in range(t.ndim) if t.shape[dim] in sizes]
    if t.ndim > 1 and t.shape[-1] == t.shape[-2] and t.ndim - 1 in dims:
        dims = [t.ndim - 2, t.ndim - 1]  # a mask, or sequences as wide as long
        if t.ndim < 4 and t.is_floating_point():
            dims = dims[:1]
    elif t.ndim > 1 and 1 in dims:
        dims = [1]
    for dim in dims[: 2 if len(dims) == 2 and t.ndim > 3 else 1]:
        t = t.narrow(dim, 0, sizes[t.shape[dim]])
    return t


def assert_attention(
    model: nn.Module,
    batches: Iterable[Any],
    forward: Callable[[nn.Module, Any], Any] | None = None,
    fail_on: Iterable[str] = NEVER_MEANT,
    spread: tuple[float, float] | None = None,
    **options: Any,
) -> Report:
    """Check a model in a test: raise an AssertionError that says which heads are at fault.

    Args:
        model: as for `check`, like batches, forward and options
        batches: as for `check`
        forward: as for `check`
        fail_on: which of KINDS, in words.py
        spread: the least and the largest spread that a head may have
        options: as for `check`
    """
    report = check(model, batches, forward, show=False, **options)
    found = report.faults_of(fail_on)
    if spread:
        out = [row for row in report.rows if not spread[0] <= row.spread <= spread[1]]
        found += [f"spread {row.spread:.3g}: {report.where([row])}" for row in out]
    if found:
        raise AssertionError("\n".join(found))
    return report


class Monitor:
    """Watches one step of training in many, and gives numbers that any logger takes.

    Between those steps nothing is left in the model or in PyTorch, so it costs nothing there.

        monitor = Monitor(model, every=500)
        for step, batch in enumerate(batches):
            with monitor(step):
                loss = model(batch)
            if monitor.metrics:
                log(monitor.metrics, step)

    Each process watches its own batches. Compiled code runs as it is written in a step that is
    watched.
    """

    def __init__(
        self, model: nn.Module, every: int = 500, rows: int = 16, prefix: str = "attn"
    ) -> None:
        if every < 1:
            raise CheckError(f"every is {every}, and has to be 1 or more")
        self.model, self.every, self.rows, self.prefix = model, every, rows, prefix
        self.watching: AbstractContextManager[Report] | None = None
        self.reset()

    def reset(self) -> None:
        """Forget what was seen, and stop watching."""
        if self.watching:
            self.stop()
        self.report, self.metrics = Report(), dict[str, float]()

    def start(self, step: int) -> None:
        """Begin to watch, if it is this step's turn; the metrics of an earlier step are gone."""
        self.reset()
        if step % self.every == 0:
            self.watching = watch(self.model, self.rows)
            self.report = self.watching.__enter__()

    def stop(self) -> dict[str, float]:
        """Stop watching; give the metrics of this step, or nothing if it was not watched."""
        if self.watching:
            watching, self.watching = self.watching, None
            watching.__exit__(None, None, None)
            self.metrics = self.report.metrics(self.prefix)
        return self.metrics

    @contextmanager
    def __call__(self, step: int) -> Iterator[None]:
        """Watch what runs inside, if it is this step's turn."""
        self.start(step)
        try:
            yield
        finally:
            self.stop()


def _arguments(batch: Any) -> tuple[Iterable[Any], Mapping[str, Any]]:
    if isinstance(batch, Mapping):
        return (), batch
    return batch if isinstance(batch, list | tuple) else (batch,), {}


def call_with(model: nn.Module, batch: Any) -> Any:
    """Call a model with a batch: a mapping, a sequence, or one argument."""
    positional, named = _arguments(batch)
    return model(*positional, **named)


def _words_of_batch(batch: Any) -> str:
    """Say how a batch was understood, and how to write another."""
    if isinstance(batch, Mapping):
        return f"It was called with the names {', '.join(map(str, batch))}."
    if isinstance(batch, list | tuple):
        return f"It was called with the {len(batch)} things in the batch."
    return (
        "The batch is one thing; if the model takes several, write a list of tuples, such as "
        "[(source, target)]."
    )


def _misfit(model: nn.Module, batch: Any) -> str | None:
    """Say why a batch cannot be the model's arguments; nothing, if it can."""
    positional, named = _arguments(batch)
    try:
        inspect.signature(model.forward).bind(*positional, **named)
    except TypeError as error:
        return str(error)
    return None
