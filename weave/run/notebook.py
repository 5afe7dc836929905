"""Notebooks: read the cells of one, and run them as plain Python."""

import ast
import contextlib
import io
import json
import tempfile
import traceback
from pathlib import Path
from typing import Any, NamedTuple

from weave.errors import WeaveError

PRINTED, SVG = "printed ", "svg "  # stand before a cell's id among the parts of a lab's entry


class Cell(NamedTuple):
    """A cell of a notebook: its id, whether it is code, and its text."""

    id: str
    is_code: bool
    source: str

    def mistake(self, message: str) -> WeaveError:
        """Say what is wrong in this cell."""
        return WeaveError(f"cell '{self.id}': {message}")


def read(path: Path) -> list[Cell]:
    """Read a notebook.

    Raises:
        WeaveError: it is none.
    """
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return [Cell(c["id"], c["cell_type"] == "code", "".join(c["source"])) for c in cells]
    except (ValueError, KeyError, TypeError) as error:
        raise WeaveError(f"no notebook with an id on each cell: {error!r}") from None


def run(cells: list[Cell]) -> dict[str, str]:
    """Run the cells of code one after another, in an empty folder.

    Returns:
        What a cell printed, by `printed ID`, and the figure that it showed, by `svg ID`.

    Raises:
        WeaveError: a cell failed, wrote a warning or an error, or showed more than one figure.
    """
    import matplotlib.pyplot as plt

    from weave.run.svg import to_svg

    drawn: list[str] = []

    def show(*_: Any, **__: Any) -> None:
        drawn.extend(to_svg(plt.figure(number), cell.id) for number in plt.get_fignums())
        plt.close("all")

    plt.show = show
    parts: dict[str, str] = {}
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in cells:
            printed = run_cell(cell, namespace) if cell.is_code else ""
            if len(drawn) > 1:
                raise cell.mistake(f"one figure is needed; it shows {len(drawn)}")
            if drawn and printed:
                raise cell.mistake("it draws and prints; make two cells of it")
            if drawn:
                parts[SVG + cell.id] = drawn.pop()
            elif printed:
                parts[PRINTED + cell.id] = printed
    return parts


def run_cell(cell: Cell, namespace: dict[str, Any]) -> str:
    """Run a cell and give what it prints.

    Raises:
        WeaveError: it failed (says in which line), or wrote to the standard error.
    """
    printed, complained = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
            exec(compile(cell.source, cell.id, "exec"), namespace)
    except BaseException as error:  # sys.exit() is a mistake too
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno or 0 for frame in frames if frame.filename == cell.id]
        code = f"\n    {cell.source.splitlines()[lines[-1] - 1].strip()}" if lines else ""
        raise cell.mistake(f"{type(error).__name__}: {error}{code}") from None
    if complaint := complained.getvalue().strip():
        last = complaint.splitlines()[-1]
        raise cell.mistake(f"writes a warning or an error: {last}")
    return printed.getvalue().rstrip()


def words_of(cell: Cell) -> tuple[str, str, str]:
    """Give the caption of a cell's figure, the text alternative, and the code below them.

    Raises:
        WeaveError: it does not begin with these words, as a snippet does.
    """
    docstring = ast.get_docstring(ast.parse(cell.source)) or ""
    caption, _, alternative = docstring.partition("\n\n")
    if not alternative:
        hint = 'begin it with """the caption, a blank line, what the figure shows"""'
        raise cell.mistake(hint)
    return caption, alternative, cell.source.split('"""', 2)[-1].strip()


def to_script(path: Path) -> str:
    """Write a notebook as a script in cells that `# %%` begins, which editors know how to run."""
    import jupytext  # a fifth of a second to import

    notebook = jupytext.read(path)
    notebook.metadata = {}
    script: str = jupytext.writes(notebook, fmt="py:percent")
    return script
