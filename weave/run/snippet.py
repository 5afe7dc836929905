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
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from weave.errors import WeaveError, read_text

CELL = re.compile(r"^# %%.*$", re.MULTILINE)


class Cell(NamedTuple):
    """Some lines of a script, and the number of the first of them, counted from 1."""

    code: str
    line: int


class Snippet(NamedTuple):
    """A script under `snippets/`, taken apart."""

    caption: str  # the finding that the figure shows, in Markdown
    alternative: str  # the figure in words
    compute: Cell  # the names it leaves behind are the results
    draw: Cell | None = None  # it leaves one figure; a script without it has results only


def find(folder: Path) -> dict[str, Path]:
    """Find all snippets under `folder`, the scripts that have cells, by their names."""
    files = [f for f in sorted(folder.glob("*/*.py")) if f.is_file() and f.name[0] != "."]
    return {name_of(f): f for f in files if CELL.search(f.read_text("utf-8", errors="replace"))}


def digest(path: Path) -> str:
    """Tell what is in a file from what was, or which files are in a folder; empty without either.

    Hidden files, and what Python leaves behind, do not count.
    """
    if path.is_dir():
        found = [entry.name for entry in path.glob("*") if entry.name != "__pycache__"]
        names = sorted(name for name in found if not name.startswith("."))
        return hashlib.sha256(repr(names).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def name_of(path: Path) -> str:
    """Give folder and stem, such as `variance/spread`."""
    return f"{path.parent.name}/{path.stem}"


def where(path: Path, line: int | None = 1) -> str:
    """Name a line of a script as an error does: `snippets/variance/spread.py:1`."""
    return f"snippets/{name_of(path)}.py:{line}"


def read(path: Path) -> Snippet:
    """Take the script at `path` apart.

    Raises:
        WeaveError: not UTF-8, a syntax error, no caption, no text alternative, or more than two
            cells.
    """
    source = read_text(path, f"snippets/{name_of(path)}.py")
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
    cells: list[Cell] = []
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), None], strict=True):
        code = source[mark.end() : end]
        blank = len(code) - len(code.lstrip("\n"))
        cells.append(Cell(code.strip("\n"), source.count("\n", 0, mark.end() + blank) + 1))
    return Snippet(" ".join(caption.split()), alternative.strip(), *cells)
