"""Read a notebook: its cells, the words of a figure, and all of it as a script."""

import ast
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


def read(path: Path) -> list[Cell]:
    """Read a notebook; WeaveError says that it is none."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return [Cell(c["id"], c["cell_type"] == "code", "".join(c["source"])) for c in cells]
    except (ValueError, KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise WeaveError(f"no notebook with an id on each cell: {what}") from None


def words_of(cell: Cell) -> tuple[str, str, str]:
    """Give the caption of a cell's figure, the text alternative, and the code below them."""
    tree = ast.parse(cell.source)
    docstring = ast.get_docstring(tree) or ""
    caption, _, alternative = docstring.partition("\n\n")
    if not alternative:
        hint = 'begin it with """the caption, a blank line, what the figure shows"""'
        raise WeaveError(f"{cell.place}: {hint}")
    below = cell.source.splitlines()[tree.body[0].end_lineno :]
    return caption, alternative, "\n".join(below).strip()


def to_script(path: Path) -> str:
    """Write a notebook as a script in cells that `# %%` begins, which editors know how to run."""
    script = ""
    for cell in read(path):
        words = [f"# {line}".rstrip() for line in cell.source.splitlines()]
        text = cell.source if cell.is_code else "\n".join(words)
        script += f"# %%{'' if cell.is_code else ' [markdown]'}\n{text}\n\n"
    return script
