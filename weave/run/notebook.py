"""Read a notebook: its cells."""

import json
from pathlib import Path
from typing import NamedTuple

from weave.basics.errors import WeaveError, read_text, refuse_conflict


class Cell(NamedTuple):
    """A cell of a notebook: its id, whether it is code, and its text."""

    id: str
    is_code: bool
    source: str

    @property
    def place(self) -> str:
        """Name the cell, in errors and among the parts of the lab's entry."""
        return f"cell '{self.id}'"


def where(path: Path, cell: str = "", line: int | None = None) -> str:
    """Name a lab, a cell of it, or a line there, as an error does; a file's lines nobody counts.

    Args:
        path: of the notebook.
        cell: its place, as `Cell` has it.
        line: within the cell.
    """
    parts = [f"docs/labs/{path.name}", cell, f"line {line}" if line else ""]
    return ", ".join(filter(None, parts))


def read_notebook(path: Path) -> list[Cell]:
    """Read a notebook.

    Raises:
        WeaveError: it is none, or a merge has left two versions of something in it.
    """
    written = read_text(path, where(path))
    try:
        cells = []
        for cell in json.loads(written)["cells"]:
            is_code = cell["cell_type"] == "code"
            cells.append(Cell(cell["id"], is_code, "".join(cell["source"])))
    except (ValueError, KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        flaw = f"no notebook with an id on each cell: {what}"
        raise WeaveError(flaw, place=where(path)) from None
    for cell in cells:
        refuse_conflict(cell.source, f"{where(path, cell.place)}, line {{}}")
    return cells
