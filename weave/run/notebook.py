"""Read a notebook: its cells."""

import json
from pathlib import Path
from typing import NamedTuple

from weave.basics.errors import WeaveError


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
    """Read a notebook; WeaveError says that it is none."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return [Cell(c["id"], c["cell_type"] == "code", "".join(c["source"])) for c in cells]
    except (ValueError, KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise WeaveError(f"no notebook with an id on each cell: {what}") from None
