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


def read_notebook(path: Path) -> list[Cell]:
    """Read a notebook.

    Raises:
        WeaveError: it is none, or a merge has left two versions of something in it.
    """
    written = read_text(path, f"docs/labs/{path.name}")
    try:
        cells = []
        for cell in json.loads(written)["cells"]:
            is_code = cell["cell_type"] == "code"
            cells.append(Cell(cell["id"], is_code, "".join(cell["source"])))
    except (ValueError, KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise WeaveError(f"no notebook with an id on each cell: {what}") from None
    for cell in cells:
        refuse_conflict(cell.source, f"{cell.place}, line {{}}")
    return cells
