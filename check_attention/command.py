"""The command."""

import argparse
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from check_attention.calls import ROWS, check
from check_attention.compare import compare, with_weights_of
from check_attention.demo import DEMOS, demo
from check_attention.report import Report
from check_attention.widths import width_sweep
from check_attention.words import KINDS, NEVER_MEANT, SITE, CheckError, __version__


def _module(source: str) -> ModuleType:
    """Import a module by its name, or a file by its path, whatever its name."""
    path = Path(source)
    if path.suffix != ".py":
        sys.path.insert(0, "")
        return importlib.import_module(source)
    if not path.is_file():
        raise ImportError("there is no such file")
    # What stands beside it can be imported, but is not found before the libraries.
    sys.path.append(str(path.parent.resolve()))
    name = "checked_" + "".join(c if c.isalnum() else "_" for c in path.stem)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # A file that imports this one gets it as it runs, and not a second copy.
    sys.modules.setdefault("check_attention", sys.modules[__name__.partition(".")[0]])
    spec.loader.exec_module(module)
    return module


def _function(target: str) -> Callable[..., Any]:
    """Find the function that `module:function` or `file.py:function` names."""
    source, _, name = target.rpartition(":")
    if not source or not name.isidentifier():
        raise CheckError(
            f"'{target}' names no function: write package.module:function or file.py:function"
        )
    try:
        module = _module(source)
    except (ImportError, TypeError, ValueError) as error:
        own = _own_frames(traceback.extract_tb(error.__traceback__))
        where = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
        raise CheckError(f"'{source}' cannot be imported: {error}{where}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise CheckError(f"there is no function '{name}' in {source}")
    return function  # type: ignore[no-any-return]


def _made(chosen: argparse.Namespace, *width: int) -> tuple[nn.Module, Any, Any]:
    """Call the function that was named, or make a demo; give model, batches and forward or None."""
    if chosen.demo:
        return *demo(chosen.demo, torch.initial_seed() * len(width), *width), None
    make = _function(chosen.make)
    try:
        inspect.signature(make).bind(*width)
    except TypeError as error:
        given = "--widths gives it a width" if width else "it is called without any"
        raise CheckError(f"{chosen.make} does not fit: {error}; {given}") from None
    return _called(make, chosen.make, *width)


def _called(make: Callable[..., Any], name: str, *width: int) -> tuple[nn.Module, Any, Any]:
    """Give what a function makes: model, batches and forward or None."""
    made = make(*width)
    if not isinstance(made, tuple | list) or len(made) not in (2, 3):
        raise CheckError(
            f"{name} has to return two things, the model and its batches, or a third, a "
            "function of both that calls the model"
        )
    model, batches, *how = made
    return model, batches, how[0] if how else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="check_attention",
        description="Watch the attention of a PyTorch model, and say whether its scale is right.",
        epilog="Exit status: 0 if nothing of --fail-on was found, 1 if something was, or if "
        "something differs from --baseline or --against, 2 if it could not be run: a wrong input, "
        "or an exception in your code.",
    )
    add = parser.add_argument
    add(
        "make",
        nargs="?",
        help="package.module:function or file.py:function, which returns the model, its batches "
        "and, if need be, a function of both that calls the model",
    )
    add("--demo", choices=DEMOS, help="try it on a small model with this fault")
    add("--rows", type=int, default=ROWS, help="queries of each sequence to look at")
    add("--scale", type=float, help="what q·k should be multiplied by, if not by 1/√d")
    add("--heads", action="store_true", help="a line for each head, not for each layer")
    add("--quiet", action="store_true", help="print the summary alone")
    add("--json", metavar="FILE", help="write everything there; - prints it, and nothing else")
    add("--csv", metavar="FILE", help="write a line for each head")
    add("--figure", metavar="FILE", help="draw spread and share (needs matplotlib)")
    usual = ",".join(NEVER_MEANT)
    add(
        "--fail-on",
        metavar="LIST",
        default=usual,
        help=f"of {','.join(KINDS)}, or none (if it is left out: {usual})",
    )
    add("--allow", metavar="LIST", default="", help="layers that need not be understood: pool.*")
    add("--against", metavar="MAKE", help="a second model, with the weights of the first")
    add("--baseline", metavar="FILE", help="an older --json; differences are listed")
    add("--widths", metavar="LIST", help="call the function with each width, and fit exponents")
    add("--train", metavar="FUNCTION", help="with --widths: trains a model on its batches")
    origin = f", from {SITE}" if SITE else ""
    add("--version", action="version", version=f"%(prog)s {__version__}{origin}")
    return parser


@contextmanager
def _files() -> Iterator[None]:
    """Tell what a file of the command's own cannot be, in a sentence."""
    try:
        yield
    except OSError as error:
        raise CheckError(str(error)) from error


def _run(chosen: argparse.Namespace) -> int:
    """Do what the command was asked for; give its exit status."""
    kinds = [kind.strip() for kind in chosen.fail_on.split(",") if kind.strip() not in ("", "none")]
    allow = [name.strip() for name in chosen.allow.split(",") if name.strip()]
    Report().faults_of(kinds)  # names that do not exist are told before the model runs
    if (chosen.make is None) == (chosen.demo is None):
        raise CheckError("say what to check: package.module:function, or --demo none")
    if chosen.train and not chosen.widths:
        raise CheckError("--train goes with --widths")
    if chosen.widths:
        return _sweep_over_widths(chosen, allow)
    state = torch.get_rng_state()
    model, batches, how = _made(chosen)
    if chosen.against:
        torch.set_rng_state(state)
        return _compare_with_second(chosen, model, batches, how)
    with _files():
        old = (
            Report.from_json(Path(chosen.baseline).read_text("utf-8")) if chosen.baseline else None
        )
    report = check(model, batches, how, chosen.rows, False, chosen.scale, allow)
    _print_and_save(chosen, report)
    return _tell_faults(chosen, report, kinds, old)


def _sweep_over_widths(chosen: argparse.Namespace, allow: list[str]) -> int:
    """Do what --widths asks for."""
    others = (chosen.csv, chosen.baseline, chosen.scale, chosen.against, allow)
    if any(others) or chosen.heads or chosen.quiet:
        raise CheckError("--widths takes --rows, --train, --json and --figure alone")
    try:
        widths = [int(width) for width in chosen.widths.split(",")]
    except ValueError:
        raise CheckError(f"'{chosen.widths}' is no list of widths: write 16,32,64") from None
    train = _function(chosen.train) if chosen.train else None
    sweep = width_sweep(lambda width: _made(chosen, width), widths, train, rows=chosen.rows)
    print(sweep.to_json() if chosen.json == "-" else sweep)
    with _files():
        if chosen.json not in (None, "-"):
            Path(chosen.json).write_text(sweep.to_json(), "utf-8")
        if chosen.figure:
            sweep.figure(chosen.figure)
    return 0


def _compare_with_second(
    chosen: argparse.Namespace, model: nn.Module, batches: Any, how: Any
) -> int:
    """Do what --against asks for: 1, if the second model does something else."""
    other = _called(_function(chosen.against), chosen.against)
    with_weights_of(model, other[0])
    found = compare(model, other[0], batches, how, chosen.rows)
    print(found)
    return int(not found.same)


def _print_and_save(chosen: argparse.Namespace, report: Report) -> None:
    """Print a report, and write the files that were asked for."""
    if chosen.json == "-":
        print(report.to_json())
    else:
        print(report.summary() if chosen.quiet else report.text(chosen.heads))
    with _files():
        if chosen.json not in (None, "-"):
            Path(chosen.json).write_text(report.to_json(), "utf-8")
        if chosen.csv:
            report.to_csv(chosen.csv)
        if chosen.figure:
            report.figure(chosen.figure)


def _tell_faults(
    chosen: argparse.Namespace, report: Report, kinds: list[str], old: Report | None
) -> int:
    """Name what was found of --fail-on, and what differs from --baseline: 1, if anything does."""
    named = [kind for kind in kinds if report.faults(kind)]
    is_told = chosen.json != "-" and not chosen.quiet  # in full, with each verdict
    wrong = [f"found: {', '.join(named)}"] if named and is_told else report.faults_of(kinds)
    if old:
        wrong += [f"differs: {change}" for change in report.changes(old)]
    for words in wrong:
        print(words, file=sys.stderr)
    return int(bool(wrong))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit status."""
    parser = _parser()
    try:
        return _run(parser.parse_args(arguments))
    except CheckError as error:
        print(f"check_attention: {error}", file=sys.stderr)
    except Exception as error:  # of what is checked, and no verdict on it
        print(_own_traceback(error), file=sys.stderr)
        print(f"check_attention: could not be run: {_in_a_line(error)}", file=sys.stderr)
    return 2


def _own_traceback(error: BaseException) -> str:
    """Give a traceback with the lines of what is checked, without ours and those of nn.Module."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list(_own_frames(told.stack) or told.stack)
    return "".join(told.format()).rstrip()


def _own_frames(stack: traceback.StackSummary) -> list[traceback.FrameSummary]:
    """Leave out the frames that are ours, of nn.Module, and of what imports modules."""
    here = Path(__file__)
    ours = str(here if here.stem == "check_attention" else here.parent)  # one file, or a package
    others = (ours, nn.modules.module.__file__, "<frozen importlib")
    return [frame for frame in stack if not frame.filename.startswith(others)]


def _in_a_line(error: Exception) -> str:
    """Say in a line what was raised."""
    return "".join(traceback.format_exception_only(error)).strip().replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
