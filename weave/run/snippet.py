"""Read a snippet: a plain script whose docstring, cells and imports mean something.

'''The caption, in the first paragraph.

The text alternative: what the figure shows, for someone who cannot see it.
'''

# %%
...computes; the names it leaves behind are the results

# %%
...draws; ends with plt.show()
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from weave.errors import WeaveError

CELL = re.compile(r"^# %%.*$", re.MULTILINE)


class Cell(NamedTuple):
    """Some lines of a script, and the number of the first of them, counted from 1."""

    code: str
    line: int


@dataclass(frozen=True)
class Snippet:
    """A script under `snippets/`, taken apart.

    Attributes:
        path: the script.
        caption: the finding that the figure shows, in Markdown.
        alternative: the figure in words.
        compute: the first cell; the names it leaves behind are the results.
        draw: the second cell; it leaves one figure. A script without one has results only.
    """

    path: Path
    caption: str
    alternative: str
    compute: Cell
    draw: Cell | None

    @property
    def name(self) -> str:
        """Folder and stem, such as `variance/spread`."""
        return f"{self.path.parent.name}/{self.path.stem}"


def find(folder: Path) -> dict[str, Path]:
    """Find all snippets under `folder`, the scripts that have cells, by their names."""
    scripts = [
        path for path in sorted(folder.glob("*/*.py")) if CELL.search(path.read_text("utf-8"))
    ]
    return {f"{path.parent.name}/{path.stem}": path for path in scripts}


def read(path: Path) -> Snippet:
    """Take the script at `path` apart.

    Raises:
        WeaveError: a syntax error, no caption, no text alternative, or more than two cells.
    """
    source = path.read_text("utf-8")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise WeaveError(f"{where(path, error.lineno)}: SyntaxError: {error.msg}") from None
    caption, _, alternative = (ast.get_docstring(tree) or "").partition("\n\n")
    marks = list(CELL.finditer(source))
    first = source.count("\n", 0, marks[0].start()) + 1 if marks else 0
    above = [s.lineno for s in tree.body[1:] if s.lineno < first]  # the docstring stands first
    flaws = {
        "no caption: start with a docstring that states the finding": not caption.strip(),
        f"two cells are needed, each under a line '# %%' (the first computes, the second draws), "
        f"or one that computes; here are {len(marks)}": len(marks) not in {1, 2},
        "no text alternative: below the caption, leave a line blank, then say what the figure "
        "shows to someone who cannot see it": len(marks) == 2 and not alternative.strip(),
        "code above the first '# %%'; move it below": bool(above),
    }
    for flaw, is_there in flaws.items():
        if is_there:
            raise WeaveError(f"{where(path, above[0] if above else 1)}: {flaw}")
    ends = [*(mark.start() for mark in marks[1:]), len(source)]
    compute, *drawing = (cell(source, m.end(), end) for m, end in zip(marks, ends, strict=True))
    draw = drawing[0] if drawing else None
    return Snippet(path, " ".join(caption.split()), alternative.strip(), compute, draw)


def cell(source: str, start: int, end: int) -> Cell:
    """Cut a cell out of a script, without the blank lines around it."""
    code = source[start:end]
    blank = len(code) - len(code.lstrip("\n"))
    return Cell(code.strip("\n"), source.count("\n", 0, start + blank) + 1)


def where(path: Path, line: int | None = 1) -> str:
    """Name a line of a script as an error does: `snippets/variance/spread.py:1`."""
    return f"snippets/{path.parent.name}/{path.name}:{line}"
