"""Run one snippet, or one lab, in a process of its own: `runner` starts it and waits.

Imported once by the fork server, so that a process begins with the libraries loaded.
"""

import ast
import contextlib
import importlib
import io
import linecache
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import scipy.stats  # noqa: F401 (loaded here, so that no snippet has to wait for it)
from matplotlib import font_manager
from matplotlib.figure import Figure

from weave.basics.errors import WeaveError
from weave.run import notebook
from weave.run.assertions import check_assertions
from weave.run.drawn import require_marks, to_csv
from weave.run.fonts import FONTS, shipped
from weave.run.limits import MEMORY, confine, depend_on_others, limits
from weave.run.notebook import read_notebook
from weave.run.results import pack_results, unpack
from weave.run.snippet import Cell, name_of, read_snippet, where
from weave.run.svg import to_svg

STYLE = files("weave") / "run/figure.mplstyle"
NAMES_PLACE = re.compile(r"snippets/\S+\.py:\d+: ")

for _name in FONTS:
    font_manager.fontManager.addfont(shipped(_name))
plt.style.use(["default", str(STYLE)])


def execute(
    path: Path,
    root: Path,
    time_limit: float,
    scratch: str,
    found_before: Mapping[str, Any] = {},
    gently: bool = False,
) -> dict[str, Any]:
    """Run a snippet, or a lab, in this process, which then has to end.

    Args:
        path: of the script or the notebook.
        root: the project's folder.
        time_limit: seconds, after which it is stopped.
        scratch: a folder in which it gets an empty one of its own.
        found_before: what earlier runs found of claims, by their ledger's script, for a ledger.
        gently: whether it leaves the processor to others who want it.

    Returns:
        The parts to keep, with `trace`: the digests of the files that were read, by `file NAME`.

    Raises:
        WeaveError: it failed; says in which line.
    """
    depend_on_others(gently)
    trace = confine(root, Path(tempfile.mkdtemp(dir=scratch)), path.parent.parent)
    is_lab = path.suffix == ".ipynb"
    sys.dont_write_bytecode = True
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "Creating legend")  # it warns where the machine is busy
    try:
        with limits(time_limit):
            if is_lab:
                parts = run_lab(read_notebook(path), path)
            else:
                hand_on(found_before, path.parent)
                parts = run_snippet(path)
        return {**parts, "trace": trace}
    except WeaveError:
        raise
    except BaseException as error:  # sys.exit() in a snippet is a mistake like any other
        raise described(error, path) from None


def hand_on(found_before: Mapping[str, Any], folder: Path) -> None:
    """Give the ledgers of a folder what earlier runs found of their claims, if anything."""
    if not found_before:
        return
    sys.path.insert(0, str(folder))
    try:
        ledger = importlib.import_module("ledger")
    except ImportError:  # these claims are judged in another way
        return
    finally:
        sys.path.remove(str(folder))
    for script, claims in found_before.items():
        ledger.FOUND_BEFORE[Path(script).stem] = unpack(claims)


def run_snippet(path: Path) -> dict[str, Any]:
    """Run the cells of a snippet; give the results, the figure as `svg`, and what it `says`."""
    script = read_snippet(path)
    sys.path.insert(0, str(path.parent))
    plt.show = lambda *args, **kwargs: None
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    run_cell(script.compute, path, namespace)
    left = {}
    for name, value in namespace.items():
        if not name.startswith("_"):
            left[name] = value
    parts = pack_results(left)  # now, because the second cell may change a list of the first
    # A page shows what was run, whatever is in the file by then.
    cells = (script.compute, script.draw, script.says)
    code = [cell.code if cell else None for cell in cells]
    parts["script"] = [script.caption, script.alternative, *code]
    if script.draw:
        figure = draw_figure(script.draw, path, namespace)
        require_marks(figure, where(path, script.draw.line), script.alternative)
        parts["svg"] = to_svg(figure, name_of(path))
        parts["csv"] = to_csv(figure)
    if script.says:
        # Of the results, whatever the second cell made of their names.
        parts["says"] = check_assertions(script.says, path, {**namespace, **left})
    return parts


def draw_figure(cell: Cell, path: Path, namespace: dict[str, Any]) -> Figure:
    """Run the cell of a snippet that draws, and give its one figure."""
    run_cell(cell, path, namespace)
    figures = plt.get_fignums()
    if len(figures) != 1:
        flaw = f"one figure is needed; the second cell left {len(figures)}"
        raise WeaveError(flaw, place=where(path, cell.line))
    return plt.figure(figures[0])


def run_cell(cell: Cell, path: Path, namespace: dict[str, Any]) -> None:
    """Run a cell so that a traceback gives the script's own line numbers."""
    exec(compile("\n" * (cell.line - 1) + cell.code, str(path), "exec"), namespace)


def run_lab(cells: Iterable[notebook.Cell], path: Path) -> dict[str, Any]:
    """Run the cells of a lab; give for each what it has `printed`, or `svg`."""
    drawn: list[str] = []  # the figures that the cell at work has shown

    def show(*_: Any, **__: Any) -> None:
        for number in plt.get_fignums():
            figure = plt.figure(number)
            require_marks(figure, notebook.where(path, cell.place), alternative_of(cell))
            drawn.append(to_svg(figure, cell.id))
        plt.close("all")

    plt.show = show
    parts: dict[str, Any] = {}
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        if not cell.is_code:
            continue
        file = str(path / cell.place)
        # So that a traceback can quote the cell's lines, which stand in no file.
        linecache.cache[file] = len(cell.source), None, cell.source.splitlines(), file
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(cell.source, file, "exec"), namespace)
        text = printed.getvalue().rstrip()
        if drawn and (text or len(drawn) > 1):
            flaw = "what draws shows one figure, and prints nothing"
            raise WeaveError(flaw, place=notebook.where(path, cell.place))
        if drawn:
            parts[cell.place] = {"svg": drawn.pop()}
        elif text:
            parts[cell.place] = {"printed": text}
    return parts


def alternative_of(cell: notebook.Cell) -> str:
    """Give the words below the caption of a lab's figure."""
    return (ast.get_docstring(ast.parse(cell.source)) or "").partition("\n\n")[2]


def described(error: BaseException, path: Path) -> WeaveError:
    """Give what went wrong as an author reads it, with the lines that led to it.

    An error that names a place itself, as a ledger's does for each claim, needs no other.
    """
    if NAMES_PLACE.match(str(error)):
        return WeaveError(str(error))
    folder = str(path.parent.parent)  # snippets/ or docs/
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder)]
    places = [place_of(Path(frame.filename), frame.lineno) for frame in reversed(frames)]
    if not places:  # a lab's cell that is no Python; or the figure fails when it is drawn at last
        file = getattr(error, "filename", None) or path
        places = [place_of(Path(file), getattr(error, "lineno", None) or 1)]
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, MemoryError):
        said += f"; a run has {MEMORY} GiB: compute in pieces"
    code = frames[-1].line if frames else ""
    if code and not code.startswith("raise "):  # which the error's own words explain
        said += f"\n    {code}"
    place, *others = dict.fromkeys(places)
    # Of a lab's other cells the notebook need not be named again.
    by_way_of = [other.removeprefix(f"{notebook.where(path)}, ") for other in others]
    return WeaveError(said, place=place, by_way_of=by_way_of)


def place_of(file: Path, line: int | None) -> str:
    """Name a line of a script, or of a lab's cell."""
    if file.suffix == ".py":
        return where(file, line)
    if file.suffix == ".ipynb":
        return notebook.where(file)
    return notebook.where(file.parent, file.name, line)
