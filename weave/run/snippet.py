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
    files = sorted(folder.glob("*/[!.]*.py"))
    return {name_of(f): f for f in files if CELL.search(f.read_text("utf-8", errors="replace"))}


def file_digest(path: Path) -> str:
    """Tell what is in a file from what was; empty without one."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def name_of(path: Path) -> str:
    """Give folder and stem, such as `variance/spread`."""
    return f"{path.parent.name}/{path.stem}"


def where(path: Path, line: int | None = 1) -> str:
    """Name a line of a script as an error does: `snippets/variance/spread.py:1`."""
    return f"snippets/{name_of(path)}.py:{line}"


def read(path: Path) -> Snippet:
    """Take the script at `path` apart; a WeaveError says what is wrong with its form."""
    source = read_text(path, f"snippets/{name_of(path)}.py")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise WeaveError(f"{where(path, error.lineno or 1)}: SyntaxError: {error.msg}") from None
    caption, _, alternative = (ast.get_docstring(tree) or "").partition("\n\n")
    marks = list(CELL.finditer(source))
    first = source.count("\n", 0, marks[0].start()) + 1 if marks else 0
    above = [s.lineno for s in tree.body[1:] if s.lineno < first]  # the docstring stands first
    kinds = [mark["says"] or "" for mark in marks]
    flaws = {
        "no caption: start with a docstring that states the finding": not caption.strip(),
        "a snippet has one cell '# %%' that computes, or two (the second draws), and last, if the "
        f"text says something of the results, '# %% says'; here are {len(marks)} cells": kinds
        not in ([""], ["", ""], ["", "says"], ["", "", "says"]),
        "no text alternative: below the caption, leave a line blank, then say what the figure "
        "shows to someone who cannot see it": kinds.count("") == 2 and not alternative.strip(),
        "code above the first '# %%'; move it below": bool(above),
    }
    for flaw, is_there in flaws.items():
        if is_there:
            raise WeaveError(f"{where(path, above[0] if above else 1)}: {flaw}")
    cells: dict[str, Cell] = {}
    for mark, kind, end in zip(marks, kinds, [*(m.start() for m in marks[1:]), None], strict=True):
        code = source[mark.end() : end]
        blank = len(code) - len(code.lstrip("\n"))
        cell = Cell(code.strip("\n"), source.count("\n", 0, mark.end() + blank) + 1)
        cells[kind or ("draw" if "compute" in cells else "compute")] = cell
    return Snippet(caption.strip(), alternative.strip(), **cells)
