"""What a snippet says: assertions about its results, whose messages are words of a page.

    # %% says
    assert np.all(np.diff(rms[3]) < 0), "for up to four keys the norm only falls"

Where one does not hold, both sides of the comparison are found. One that holds just as well with a
comparison turned round decides nothing, and is named too. `text.prose` looks for the words.
"""

import ast
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from weave.basics.errors import WeaveError
from weave.run.snippet import Cell, where

WORDS = "an assertion's message is plain words of a page: assert one < other, 'three or more words'"


class Assertion(NamedTuple):
    """What a snippet asserts."""

    line: int
    words: str  # on a page
    code: str  # what is asserted
    flaw: str = ""  # why it does not hold, or decides nothing


def check(cell: Cell, path: Path, namespace: dict[str, Any]) -> list[Assertion]:
    """Run a cell that says; give its assertions, or a WeaveError that says which has no words."""
    found: list[tuple[ast.Assert, Callable[[], str]]] = []
    for statement in ast.parse("\n" * (cell.line - 1) + cell.code).body:
        asserts = [node for node in ast.walk(statement) if isinstance(node, ast.Assert)]
        for node in asserts:
            if not isinstance(node.msg, ast.Constant) or len(str(node.msg.value).split()) < 3:
                raise WeaveError(f"{where(path, node.lineno)}: {WORDS}")
        before, failed = dict(namespace), []
        try:
            run(statement, path, namespace)
        except AssertionError as error:
            steps = traceback.walk_tb(error.__traceback__)  # opens no file, which would be traced
            line = next(at for frame, at in steps if frame.f_code.co_filename == str(path))
            failed = [n for n in asserts if n.lineno <= line <= (n.end_lineno or 0)]
            if not failed:  # a function that it calls asserts something
                raise
        for node in asserts:
            flaw = partial(decides_nothing, statement, node, path, before)
            if failed:
                flaw = partial(str, sides(node.test, path, namespace) if node in failed else "")
            found.append((node, flaw))
    # What can be turned round is tried last: a statement that is run again may use something up.
    return [
        Assertion(node.lineno, str(getattr(node.msg, "value", "")), ast.unparse(node.test), flaw())
        for node, flaw in found
    ]


def run(statement: ast.stmt, path: Path, namespace: dict[str, Any]) -> None:
    """Run a statement."""
    tree = ast.fix_missing_locations(ast.Module([statement], []))
    exec(compile(tree, str(path), "exec"), namespace)


def sides(test: ast.expr, path: Path, namespace: dict[str, Any]) -> str:
    """Name the comparison that does not hold in an assertion, with its sides."""
    import numpy as np  # which pages do not need

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), str(path), "eval"), namespace)

    try:
        for node in comparisons(test):
            if not np.all(value(node)):
                values = [value(side) for side in (node.left, *node.comparators)]
                found = " and ".join(str(each).replace("\n", "") for each in values)
                return f"'{ast.unparse(node)}' does not hold: it is {found}"
    except Exception:  # names of a loop or a function that has ended
        pass
    return f"'{ast.unparse(test)}' does not hold"


def decides_nothing(
    statement: ast.stmt, node: ast.Assert, path: Path, namespace: dict[str, Any]
) -> str:
    """Name a comparison that can be turned round without the assertion's noticing."""
    if not any(isinstance(each, ast.Name) for each in ast.walk(node.test)):
        return f"'{ast.unparse(node.test)}' asks for no result"
    for comparison in comparisons(node.test):
        parts = comparison.left, comparison.ops, comparison.comparators
        turned: Any = ast.Compare(*parts), [ast.Eq()], [ast.Constant(False)]  # of arrays too
        comparison.left, comparison.ops, comparison.comparators = turned
        try:
            run(statement, path, dict(namespace))
        except Exception:
            continue
        finally:
            comparison.left, comparison.ops, comparison.comparators = parts
        return f"'{ast.unparse(comparison)}' decides nothing: its opposite would do as well"
    return ""


def comparisons(test: ast.expr) -> Iterator[ast.Compare]:
    """Yield the comparisons in a test."""
    yield from (node for node in ast.walk(test) if isinstance(node, ast.Compare))
