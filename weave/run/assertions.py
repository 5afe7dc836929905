"""What a snippet says: assertions about its results, whose messages are words of a page.

    # %% says
    assert np.all(np.diff(rms[3]) < 0), "for up to four keys the norm only falls"

Where one does not hold, both sides of the comparison are found. One that holds just as well with a
comparison turned round decides nothing, and is named too. `text.prose` looks for the words.
"""

import ast
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from weave.basics.errors import WeaveError
from weave.run.snippet import Cell, where

WORDS = "an assertion's message is plain words of a page: assert one < other, 'three or more words'"


class Assertion(NamedTuple):
    """What a snippet asserts."""

    line: int
    words: str  # on a page
    code: str  # what is asserted, and of what if it stands in a loop: `for n in (3, 512)`
    flaw: str = ""  # why it does not hold, or decides nothing


@dataclass
class Tried:
    """An assertion that was run, with what it takes to run it again."""

    statement: ast.stmt  # in which it stands
    node: ast.Assert
    before: dict[str, Any]  # the names, before the statement was run
    is_decided: bool = False  # whether its statement failed, so that it is not tried further
    flaw: str = ""


def check_assertions(cell: Cell, path: Path, namespace: dict[str, Any]) -> list[Assertion]:
    """Run a cell that says.

    Args:
        cell: the snippet's last.
        path: of the snippet.
        namespace: the results, by name. What the cell defines is added.

    Returns:
        Its assertions, with what is wrong with each.

    Raises:
        WeaveError: one has no words. (What Python raises in the cell goes through.)
    """
    tried: list[Tried] = []
    for statement in ast.parse("\n" * (cell.line - 1) + cell.code).body:
        asserts = [node for node in ast.walk(statement) if isinstance(node, ast.Assert)]
        for node in asserts:
            require_words(node, path)
        before = dict(namespace)
        failed: list[ast.Assert] = []
        try:
            run_statement(statement, path, namespace)
        except AssertionError as error:
            line = line_of(error, path)
            failed = [node for node in asserts if node.lineno <= line <= (node.end_lineno or 0)]
            if not failed:  # a function that it calls asserts something
                raise
        for node in asserts:
            one = Tried(statement, node, before, is_decided=bool(failed))
            if node in failed:
                one.flaw = does_not_hold(node.test, path, namespace)
            tried.append(one)
    # What can be turned round is tried last: a statement that is run again may use something up.
    for one in tried:
        if not one.is_decided:
            one.flaw = decides_nothing(one, path)
    return [Assertion(one.node.lineno, words_of(one.node), code_of(one), one.flaw) for one in tried]


def code_of(tried: Tried) -> str:
    """Give what is asserted, and what the loops around it go through: `a[n] > 1, (3, 512)`."""
    loops = [
        loop
        for loop in ast.walk(tried.statement)
        if isinstance(loop, ast.For) and tried.node in ast.walk(loop)
    ]
    parts = [tried.node.test, *(loop.iter for loop in loops)]
    return ", ".join(ast.unparse(part) for part in parts)


def require_words(node: ast.Assert, path: Path) -> None:
    """Raise WeaveError if an assertion's message is not some words."""
    if len(words_of(node).split()) < 3:
        raise WeaveError(WORDS, place=where(path, node.lineno))


def words_of(node: ast.Assert) -> str:
    """Give an assertion's message; empty if there is none, or code makes it."""
    return str(node.msg.value) if isinstance(node.msg, ast.Constant) else ""


def line_of(error: AssertionError, path: Path) -> int:
    """Give the line of a script's own in which an assertion failed, or 0."""
    # (`extract_tb` would open the file, which would be noted as read.)
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == str(path):
            return line
    return 0


def run_statement(statement: ast.stmt, path: Path, namespace: dict[str, Any]) -> None:
    """Run a statement of a script."""
    tree = ast.fix_missing_locations(ast.Module([statement], []))
    exec(compile(tree, str(path), "exec"), namespace)


def does_not_hold(test: ast.expr, path: Path, namespace: dict[str, Any]) -> str:
    """Name the comparison that does not hold in an assertion, with its sides."""
    import numpy as np  # which pages do not need

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), str(path), "eval"), namespace)

    try:
        for comparison in comparisons(test):
            if not np.all(value(comparison)):
                values = [value(side) for side in (comparison.left, *comparison.comparators)]
                found = " and ".join(str(each).replace("\n", "") for each in values)
                return f"'{ast.unparse(comparison)}' does not hold: it is {found}"
    except Exception:  # names of a loop or a function that has ended
        pass
    return f"'{ast.unparse(test)}' does not hold"


def decides_nothing(tried: Tried, path: Path) -> str:
    """Name a comparison whose opposite the assertion would take as well; empty if none is such."""
    test = tried.node.test
    if not any(isinstance(each, ast.Name) for each in ast.walk(test)):
        return f"'{ast.unparse(test)}' asks for no result"
    for comparison in comparisons(test):
        if holds_turned_round(comparison, tried, path):
            return f"'{ast.unparse(comparison)}' decides nothing: its opposite would do as well"
    return ""


def holds_turned_round(comparison: ast.Compare, tried: Tried, path: Path) -> bool:
    """Tell whether an assertion holds with one of its comparisons turned round."""
    left, ops, comparators = comparison.left, comparison.ops, comparison.comparators
    # `(a < b) == False` is the opposite of `a < b` for arrays too.
    comparison.left = ast.Compare(left, ops, comparators)
    comparison.ops = [ast.Eq()]
    comparison.comparators = [ast.Constant(False)]
    try:
        run_statement(tried.statement, path, dict(tried.before))
    except Exception:
        return False
    finally:
        comparison.left, comparison.ops, comparison.comparators = left, ops, comparators
    return True


def comparisons(test: ast.expr) -> Iterator[ast.Compare]:
    """Yield the comparisons in a test."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            yield node
