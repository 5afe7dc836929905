"""Read a snippet: a plain script whose docstring, cells and imports mean something.

The docstring's first paragraph is the caption, the rest the text alternative: the figure in words.
Both quote the script's results by their own names, `{= std[64] :.0f }`.
The first cell, below `# %%`, computes: the names that it leaves are the results. The second draws,
and ends with `plt.show()`. The last, below `# %% says`, asserts what pages say of the results.
"""

import ast
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from weave.basics.errors import WeaveError, read_text

CELL = re.compile(r"^# ?%%(?:[ ](?P<says>says)[ ]*$|.*$)", re.MULTILINE)
NAME = re.compile(r"[\w-]+/[\w-]+")
NO_NAME = (
    "no page can name it: rename the file, and its folder, with letters, digits, _ and - alone"
)
CELLS = (
    "a snippet has one cell '# %%' that computes, or two (the second draws), and last, if the text "
    "says something of the results, '# %% says'"
)
NO_ALTERNATIVE = (
    "no text alternative: below the caption, leave a line blank, then say what the figure shows to "
    "someone who cannot see it"
)


class Cell(NamedTuple):
    """Some lines of a script, and the number of the first of them, counted from 1."""

    code: str
    line: int


class Snippet(NamedTuple):
    """A script under `snippets/`, taken apart."""

    caption: str  # the finding that the figure shows, in Markdown, which may quote results
    alternative: str  # the figure in words, which may quote results too
    compute: Cell
    draw: Cell | None = None
    says: Cell | None = None


def find_snippets(folder: Path) -> dict[str, Path]:
    """Find all snippets under `folder`, the scripts that have cells, by their names."""
    found = {}
    for script in sorted(folder.glob("*/[!.]*.py")):
        if CELL.search(script.read_text("utf-8", errors="replace")):
            found[name_of(script)] = script
    return found


def file_digest(path: Path) -> str:
    """Tell what is in a file from what was; empty without one."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def name_of(path: Path) -> str:
    """Give folder and stem, such as `variance/spread`."""
    return f"{path.parent.name}/{path.stem}"


def where(path: Path, line: int | None = 1) -> str:
    """Name a line of a script as an error does: `snippets/variance/spread.py:1`."""
    return f"snippets/{name_of(path)}.py:{line}"


def read_snippet(path: Path) -> Snippet:
    """Take a script under `snippets/` apart.

    Raises:
        WeaveError: its form is wrong; says in which line, and how it should be.
    """
    if not NAME.fullmatch(name_of(path)):
        raise WeaveError(NO_NAME, place=where(path))
    source = read_text(path, f"snippets/{name_of(path)}.py")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        place = where(path, error.lineno or 1)
        raise WeaveError(f"SyntaxError: {error.msg}", place=place) from None
    caption, _, alternative = (ast.get_docstring(tree) or "").partition("\n\n")
    marks = list(CELL.finditer(source))
    if not caption.strip():
        flaw = "no caption: start with a docstring that states the finding"
        raise WeaveError(flaw, place=where(path))
    kinds = kinds_of_cells(marks, path)
    if "draw" in kinds and not alternative.strip():
        raise WeaveError(NO_ALTERNATIVE, place=where(path))
    above = source.count("\n", 0, marks[0].start()) + 1
    for statement in tree.body[1:]:  # the docstring stands first
        if statement.lineno < above:
            flaw = "code above the first '# %%'; move it below"
            raise WeaveError(flaw, place=where(path, statement.lineno))
    cells: dict[str, Cell] = {}
    ends = [*(mark.start() for mark in marks[1:]), len(source)]
    for kind, mark, end in zip(kinds, marks, ends, strict=True):
        cells[kind] = cell_between(source, mark.end(), end)
    return Snippet(caption.strip(), alternative.strip(), **cells)


def kinds_of_cells(marks: list[re.Match[str]], path: Path) -> list[str]:
    """Tell what each cell of a script is for, by the lines that begin them."""
    written = [mark["says"] or "" for mark in marks]
    for kinds in (["compute"], ["compute", "draw"]):
        if written == [""] * len(kinds):
            return kinds
        if written == [*[""] * len(kinds), "says"]:
            return [*kinds, "says"]
    raise WeaveError(f"{CELLS}; here are {len(marks)} cells", place=where(path))


def cell_between(source: str, start: int, end: int) -> Cell:
    """Give the cell between two places of a script, without the empty lines around it."""
    code = source[start:end]
    blank = len(code) - len(code.lstrip("\n"))
    first_line = source.count("\n", 0, start + blank) + 1
    return Cell(code.strip("\n"), first_line)
