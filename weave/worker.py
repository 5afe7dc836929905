"""Run one snippet in a process of its own. `runner` starts the process and waits for it.

Imported once by the fork server, so that a snippet's process begins with the libraries loaded.
"""

import copy
import sys
import traceback
import warnings
from importlib.resources import files
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
import scipy.stats  # noqa: F401 (loaded here, so that no snippet has to wait for it)
from matplotlib import font_manager

from weave.errors import WeaveError
from weave.figure import to_svg
from weave.fonts import FONTS, shipped
from weave.result import Result, Results
from weave.snippet import Cell, Snippet, place

STYLE = files("weave") / "figure.mplstyle"

for _name in FONTS:
    font_manager.fontManager.addfont(shipped(_name))
plt.style.use(str(STYLE))


def execute(snippet: Snippet, answer: Connection) -> None:
    """Run the snippet; send back its Result, or the WeaveError that says what went wrong."""
    try:
        answer.send(run(snippet))
    except WeaveError as error:
        answer.send(error)
    except BaseException as error:  # sys.exit() in a snippet is a mistake like any other
        answer.send(WeaveError(describe(error, snippet)))
    finally:
        answer.close()


def run(snippet: Snippet) -> Result:
    """Run the cells in this process.

    Raises:
        WeaveError: the snippet left no figure, or more than one.
        Exception: what the snippet raised; a warning is an error.
    """
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(snippet.path.parent))
    warnings.simplefilter("error")
    plt.show = lambda *args, **kwargs: None
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(snippet.path)}

    run_cell(snippet.compute, snippet.path, namespace)
    left = {name: value for name, value in namespace.items() if not name.startswith("_")}
    # Copied, because the second cell may change a list or an array of the first.
    values = copy.deepcopy({name: value for name, value in left.items() if is_data(value)})
    others = frozenset(left.keys() - values.keys())
    results = Results(snippet.name, values, others)
    if not snippet.draw:
        return Result(results, "")
    run_cell(snippet.draw, snippet.path, namespace)
    figures = plt.get_fignums()
    if len(figures) != 1:
        raise WeaveError(
            f"{place(snippet.path, snippet.draw.line)}: one figure is needed; "
            f"the second cell left {len(figures)}"
        )
    return Result(results, to_svg(plt.figure(figures[0]), snippet.name))


def run_cell(cell: Cell, path: Path, namespace: dict[str, Any]) -> None:
    """Run a cell so that a traceback gives the script's own line numbers."""
    padded = "\n" * (cell.line - 1) + cell.code
    exec(compile(padded, str(path), "exec"), namespace)


def is_data(value: Any) -> bool:
    """Tell whether a value is a result: a number, text, an array, or a container of them.

    An array of more than 4 MiB is a step on the way: a page cannot quote it, and the cache would
    grow by it at every change.
    """
    # Only these very types: one that the snippet defines cannot leave its process.
    if type(value) is dict:
        return all(is_data(item) for pair in value.items() for item in pair)
    if type(value) in {list, tuple, set}:
        return all(is_data(item) for item in value)
    if type(value) is np.ndarray:
        return not value.dtype.hasobject and value.nbytes <= 2**22
    return isinstance(value, np.generic) or type(value) in {int, float, complex, str, bool}


def describe(error: BaseException, snippet: Snippet) -> str:
    """Name the snippet's line (and the local module's, where it failed there) and the error."""
    folder = snippet.path.parent
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == folder
    ]
    places = [place(Path(frame.filename), frame.lineno) for frame in frames]
    code = f"\n    {frames[-1].line}" if frames and frames[-1].line else ""
    where = ", in ".join(reversed(places)) or f"snippets/{snippet.name}.py"
    return f"{where}: {type(error).__name__}: {error}{code}"
