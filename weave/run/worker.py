"""Run one snippet, or one lab, in a process of its own: `runner` starts it and waits.

Imported once by the fork server, so that a process begins with the libraries loaded.
"""

import hashlib
import os
import signal
import sys
import traceback
import warnings
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import scipy.stats  # noqa: F401 (loaded here, so that no snippet has to wait for it)
from matplotlib import font_manager

from weave.errors import WeaveError
from weave.run import notebook, results, snippet
from weave.run.fonts import FONTS, shipped
from weave.run.snippet import Cell, Snippet, where
from weave.run.svg import to_svg

STYLE = files("weave") / "run/figure.mplstyle"

for _name in FONTS:
    font_manager.fontManager.addfont(shipped(_name))
plt.style.use(str(STYLE))


def execute(
    path: Path, root: Path, time_limit: float
) -> tuple[dict[str, str] | WeaveError, dict[str, str]]:
    """Run a snippet, or a lab, in this process, which then has to end.

    Args:
        path: the script, or the notebook.
        root: the project's folder.
        time_limit: seconds after which it is stopped.

    Returns:
        The parts to keep, or what went wrong; and the digest of each file that was read, by
        `file` and its path below the root.
    """
    trace = record_reads(root)
    sys.dont_write_bytecode = True
    warnings.simplefilter("error")
    stop_after(time_limit)
    try:
        if path.suffix == ".py":
            return run_snippet(snippet.read(path)), trace
        return notebook.run(notebook.read(path)), trace
    except WeaveError as error:
        return error, trace
    except BaseException as error:  # sys.exit() in a snippet is a mistake like any other
        return WeaveError(describe(error, root / "snippets")), trace


def record_reads(root: Path) -> dict[str, str]:
    """Note every file of the project that this process opens from now on, with its digest."""
    trace: dict[str, str] = {}

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or isinstance(arguments[0], int) or "w" in (arguments[1] or ""):
            return
        path = Path(os.path.abspath(os.fsdecode(arguments[0])))
        if path.suffix == ".pyc":  # of the module beside the folder in which it lies
            path = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else "."
        if not name.startswith(".") and f"file {name}" not in trace and path.is_file():
            trace[f"file {name}"] = ""  # it is opened below, which is no further file
            trace[f"file {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()

    sys.addaudithook(note)
    return trace


def stop_after(time_limit: float) -> None:
    """Raise TimeoutError in the line that is reached then, where the system can do that."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"stopped after {time_limit:g} s; make it faster")

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, time_limit)


def run_snippet(script: Snippet) -> dict[str, str]:
    """Run the cells.

    Returns:
        The results, and the figure as `svg`, if there is one.

    Raises:
        WeaveError: the snippet left no figure, or more than one.
        Exception: what the snippet raised; a warning is an error.
    """
    sys.path.insert(0, str(script.path.parent))
    plt.show = lambda *args, **kwargs: None
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(script.path)}

    run_cell(script.compute, script.path, namespace)
    left = {name: value for name, value in namespace.items() if not name.startswith("_")}
    parts = results.keep(left)  # now, because the second cell may change a list of the first
    if not script.draw:
        return parts
    run_cell(script.draw, script.path, namespace)
    figures = plt.get_fignums()
    if len(figures) != 1:
        place = where(script.path, script.draw.line)
        raise WeaveError(f"{place}: one figure is needed; the second cell left {len(figures)}")
    return parts | {"svg": to_svg(plt.figure(figures[0]), script.name)}


def run_cell(cell: Cell, path: Path, namespace: dict[str, Any]) -> None:
    """Run a cell so that a traceback gives the script's own line numbers."""
    padded = "\n" * (cell.line - 1) + cell.code
    exec(compile(padded, str(path), "exec"), namespace)


def describe(error: BaseException, snippets: Path) -> str:
    """Name the snippet's line (and the local module's, where it failed there) and the error."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(snippets)]
    places = [where(Path(frame.filename), frame.lineno) for frame in reversed(ours)]
    code = f"\n    {ours[-1].line}" if ours and ours[-1].line else ""
    return f"{', in '.join(places)}: {type(error).__name__}: {error}{code}"
