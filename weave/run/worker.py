"""Run one snippet, or one lab, in a process of its own: `runner` starts it and waits.

Imported once by the fork server, so that a process begins with the libraries loaded.
"""

import contextlib
import io
import linecache
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import scipy.stats  # noqa: F401 (loaded here, so that no snippet has to wait for it)
from matplotlib import font_manager

from weave.basics.errors import WeaveError
from weave.basics.store import Store
from weave.run import assertions, notebook, results, snippet
from weave.run.fonts import FONTS, shipped
from weave.run.limits import MEMORY, Printed, confine, limits
from weave.run.snippet import name_of, where
from weave.run.svg import to_svg

MENDS = {
    MemoryError: f"a run has {MEMORY} GiB: compute in pieces",
    UnicodeDecodeError: "save {opened} as UTF-8",
}
STYLE = files("weave") / "run/figure.mplstyle"

for _name in FONTS:
    font_manager.fontManager.addfont(shipped(_name))
plt.style.use(str(STYLE))


def execute(path: Path, root: Path, time_limit: float, scratch: str) -> dict[str, Any]:
    """Run a snippet, or a lab, in this process, which then has to end; or raise a WeaveError.

    Returns:
        The parts to keep, with `trace`: the digests of the files that were read, by `file NAME`.
    """
    store = Store(root / ".cache" / "weave.sqlite") if snippet.only_says(path) else None
    trace = confine(root, Path(tempfile.mkdtemp(dir=scratch)))
    if store:
        give_results(path, store, trace)
    sys.dont_write_bytecode = True
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "Creating legend")  # it warns where the machine is busy
    run = run_snippet if path.suffix == ".py" else run_lab
    try:
        with limits(time_limit):
            parts = run(path)
        return parts | {"trace": trace}
    except WeaveError:
        raise
    except BaseException as error:  # sys.exit() in a snippet is a mistake like any other
        opened = next(reversed(trace), "the file").removeprefix("file ")
        raise WeaveError(describe(error, path, opened)) from None


def give_results(path: Path, store: Store, trace: dict[str, str]) -> None:
    """Have `import spread` give what this snippet left, for a script that only asserts."""
    names = {name_of(file): file.stem for file in path.parent.glob("*.py") if file != path}
    for name, stem in names.items():
        if store.read("run", name, "names") is not None:

            def asked(question: str) -> None:
                snippet, _, result = question.rpartition(".")
                trace[f"result {question}"] = store.read("run", snippet, f"digest {result}") or ""

            sys.modules[stem] = results.Results(name, store, asked)  # type: ignore[assignment]


def run_snippet(path: Path) -> dict[str, Any]:
    """Run the cells of a snippet; give the results, the figure as `svg`, and what it `says`."""
    script = snippet.read(path)
    sys.path.insert(0, str(path.parent))
    plt.show = lambda *args, **kwargs: None
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    parts: dict[str, Any] = results.keep({})
    if script.compute:
        run_cell(script.compute, path, namespace)
        left = {name: value for name, value in namespace.items() if not name.startswith("_")}
        parts = results.keep(left)  # now, because the second cell may change a list of the first
    if script.draw:
        run_cell(script.draw, path, namespace)
        figures = plt.get_fignums()
        if len(figures) != 1:
            place = where(path, script.draw.line)
            raise WeaveError(f"{place}: one figure is needed; the second cell left {len(figures)}")
        parts["svg"] = to_svg(plt.figure(figures[0]), name_of(path))
    if script.says:
        parts["says"] = assertions.hold(script.says, path, namespace)
    return parts


def run_cell(cell: snippet.Cell, path: Path, namespace: dict[str, Any]) -> None:
    """Run a cell so that a traceback gives the script's own line numbers."""
    padded, printed = "\n" * (cell.line - 1) + cell.code, Printed()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(padded, str(path), "exec"), namespace)
    finally:
        print(printed.getvalue(), end="", flush=True)


def run_lab(path: Path) -> dict[str, Any]:
    """Run a lab, and give what its cells gave; see `run_cells`."""
    return run_cells(notebook.read(path), path)


def run_cells(cells: Iterable[notebook.Cell], path: Path) -> dict[str, Any]:
    """Run the cells of a lab; give for each what it has `printed`, or `svg`."""
    drawn: list[str] = []

    def show(*_: Any, **__: Any) -> None:
        drawn.extend(to_svg(plt.figure(number), cell.id) for number in plt.get_fignums())
        plt.close("all")

    plt.show = show
    parts: dict[str, Any] = {}
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        if not cell.is_code:
            continue
        file = str(path / cell.place)
        linecache.cache[file] = len(cell.source), None, cell.source.splitlines(), file
        printed, complained = Printed(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
            exec(compile(cell.source, file, "exec"), namespace)
        text = printed.getvalue().rstrip()
        if complaint := complained.getvalue().strip():
            last = complaint.splitlines()[-1]
            raise WeaveError(f"{cell.place}: writes a warning or an error: {last}")
        if len(drawn) > 1:
            raise WeaveError(f"{cell.place}: one figure is needed; it shows {len(drawn)}")
        if drawn and text:
            raise WeaveError(f"{cell.place}: it draws and prints; make two cells of it")
        if drawn:
            parts[cell.place] = {"svg": drawn.pop()}
        elif text:
            parts[cell.place] = {"printed": text}
    return parts


def describe(error: BaseException, path: Path, opened: str) -> str:
    """Name an error, and before it the lines that led to it, the innermost first.

    The file that was opened last is the one that could not be read.
    """
    folder = str(path.parent.parent)  # snippets/ or docs/
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder)]
    calls = [(Path(frame.filename), frame.lineno) for frame in reversed(frames)]
    if not calls:  # a lab's cell that is no Python; or the figure fails when it is drawn at last
        line = getattr(error, "lineno", None) or 1
        calls = [(Path(getattr(error, "filename", None) or path), line)]
    places = [
        where(file, line) if file.suffix == ".py" else f"{file.name}, line {line}"
        for file, line in calls
    ]
    code = f"\n    {frames[-1].line}" if frames and frames[-1].line else ""
    mends = [mend.format(opened=opened) for kind, mend in MENDS.items() if isinstance(error, kind)]
    what = "; ".join(filter(None, [str(error), *mends]))
    return f"{', in '.join(dict.fromkeys(places))}: {type(error).__name__}: {what}{code}"
