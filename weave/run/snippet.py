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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from weave.errors import WeaveError, did_you_mean

CELL = re.compile(r"^# %%.*$", re.MULTILINE)


class Cell(NamedTuple):
    """Some lines of a script, and the number of the first of them, counted from 1."""

    code: str
    line: int


@dataclass(frozen=True)
class Snippet:
    """A script under `snippets/`, taken apart.

    Attributes:
        name: folder and stem, such as `variance/spread`.
        path: the script.
        caption: the finding that the figure shows, in Markdown.
        alternative: the figure in words.
        compute: the first cell; the names it leaves behind are the results.
        draw: the second cell; it leaves one figure. A script without one has results only.
    """

    name: str
    path: Path
    caption: str
    alternative: str
    compute: Cell
    draw: Cell | None


def find(folder: Path, name: str) -> Snippet:
    """Find and read the snippet called `name` (such as `variance/spread`) under `folder`.

    Raises:
        WeaveError: there is no such snippet, or it is not of a snippet's form.
    """
    path = folder / f"{name}.py"
    if not path.is_file():
        raise WeaveError(f"no snippet '{name}'{did_you_mean(name, names(folder))}")
    return read(path, name)


def names(folder: Path) -> Iterator[str]:
    """Yield the names of all snippets under `folder`: the scripts that have cells."""
    for path in sorted(folder.glob("*/*.py")):
        if CELL.search(path.read_text("utf-8")):
            yield f"{path.parent.name}/{path.stem}"


def read(path: Path, name: str) -> Snippet:
    """Take the script at `path` apart.

    Raises:
        WeaveError: a syntax error, no caption, no text alternative, or more than two cells.
    """
    source = path.read_text("utf-8")
    tree = parse(path)
    docstring = ast.get_docstring(tree) or ""
    caption, _, alternative = docstring.partition("\n\n")
    marks = list(CELL.finditer(source))
    if not caption.strip():
        raise WeaveError(
            f"{where(path)}: no caption: start with a docstring that states the finding"
        )
    if len(marks) == 2 and not alternative.strip():
        raise WeaveError(
            f"{where(path)}: no text alternative: below the caption, leave a line blank, then say "
            "what the figure shows to someone who cannot see it"
        )
    if len(marks) not in {1, 2}:
        raise WeaveError(
            f"{where(path)}: two cells are needed, each under a line '# %%' (the first computes, "
            f"the second draws), or one that computes; here are {len(marks)}"
        )
    lines_above = source.count("\n", 0, marks[0].start())
    for statement in tree.body[1:2]:  # the docstring stands first
        if statement.lineno <= lines_above:
            line = statement.lineno
            raise WeaveError(f"{where(path, line)}: code above the first '# %%'; move it below")
    ends = [*(mark.start() for mark in marks[1:]), len(source)]
    compute, *drawing = (cell(source, m.end(), end) for m, end in zip(marks, ends, strict=True))
    draw = drawing[0] if drawing else None
    return Snippet(name, path, " ".join(caption.split()), alternative.strip(), compute, draw)


def cell(source: str, start: int, end: int) -> Cell:
    """Cut a cell out of a script, without the blank lines around it."""
    code = source[start:end]
    blank = len(code) - len(code.lstrip("\n"))
    return Cell(code.strip("\n"), source.count("\n", 0, start + blank) + 1)


def parse(path: Path) -> ast.Module:
    """Parse a script.

    Raises:
        WeaveError: its syntax is wrong; says where.
    """
    try:
        return ast.parse(path.read_text("utf-8"))
    except SyntaxError as error:
        raise WeaveError(f"{where(path, error.lineno)}: SyntaxError: {error.msg}") from None


def where(path: Path, line: int | None = 1) -> str:
    """Name a line of a script as an error does: `snippets/variance/spread.py:1`."""
    return f"snippets/{path.parent.name}/{path.name}:{line}"
