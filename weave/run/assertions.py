"""What a snippet says: assertions about its results, whose messages are words of a page.

    # %% says
    assert np.all(np.diff(rms[3]) < 0), "for up to four keys the norm only falls"

They run as plain Python. Where one does not hold, both sides of the comparison are found. One that
holds just as well with a comparison turned round decides nothing, and is named too. `text.prose`
looks for the words on the pages.
"""

import ast
import copy
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from weave.basics.errors import WeaveError
from weave.run.snippet import Cell, where

OPPOSITE = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OUTSIDE = "put the assertion outside the function: a loop will do"
WORDS = "an assertion's message is words of the page: assert one < other, 'at least three words'"


class Assertion(NamedTuple):
    """What a snippet asserts."""

    line: int
    words: str  # on a page
    code: str  # what is asserted
    flaw: str = ""  # why it does not hold, or decides nothing


def hold(cell: Cell, path: Path, namespace: dict[str, Any]) -> list[Assertion]:
    """Run a cell that says; give its assertions, or a WeaveError that says which has no words."""
    found = []
    for statement in ast.parse("\n" * (cell.line - 1) + cell.code).body:
        asserts = [node for node in ast.walk(statement) if isinstance(node, ast.Assert)]
        for node in asserts:
            if not isinstance(node.msg, ast.Constant) or len(str(node.msg.value).split()) < 3:
                raise WeaveError(f"{where(path, node.lineno)}: {WORDS}")
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                raise WeaveError(f"{where(path, node.lineno)}: {OUTSIDE}")
        before = namespace if isinstance(statement, ast.Assert) else kept(namespace)
        failed = run(statement, path, namespace)
        blamed = [n for n in asserts if failed & {*range(n.lineno, (n.end_lineno or 0) + 1)}]
        if failed and not blamed:
            raise WeaveError(f"{where(path, max(failed))}: an assertion fails that has no words")
        for node in asserts:
            flaw = ""
            if node in blamed:
                flaw = sides(node.test, path, namespace)
            elif not failed:
                flaw = idle(statement, node, path, before)
            words = str(getattr(node.msg, "value", ""))
            found.append(Assertion(node.lineno, words, ast.unparse(node.test), flaw))
    return found


def kept(namespace: dict[str, Any]) -> dict[str, Any]:
    """Copy a namespace so that a loop which is run again finds its lists as they were."""
    return {
        name: copy.deepcopy(value) if type(value) in {list, dict, set} and name[0] != "_" else value
        for name, value in namespace.items()
    }


def run(statement: ast.stmt, path: Path, namespace: dict[str, Any]) -> set[int]:
    """Run a statement; give the lines that led to an assertion that does not hold, if one does."""
    tree = ast.fix_missing_locations(ast.Module([statement], []))
    try:
        exec(compile(tree, str(path), "exec"), namespace)
    except AssertionError as error:
        frames = traceback.walk_tb(error.__traceback__)
        return {0} | {line for frame, line in frames if frame.f_code.co_filename == str(path)}
    return set()


def sides(test: ast.expr, path: Path, namespace: dict[str, Any]) -> str:
    """Name the comparison that does not hold in an assertion, with its sides."""
    import numpy as np  # which pages do not need

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), str(path), "eval"), namespace)

    try:
        for node in ast.walk(test):
            if isinstance(node, ast.Compare) and not np.all(value(node)):
                values = [value(side) for side in (node.left, *node.comparators)]
                found = " and ".join(str(each).replace("\n", "") for each in values)
                return f"'{ast.unparse(node)}' does not hold: it is {found}"
    except Exception:  # names of a loop or a function that has ended
        pass
    return f"'{ast.unparse(test)}' does not hold"


def idle(statement: ast.stmt, node: ast.Assert, path: Path, namespace: dict[str, Any]) -> str:
    """Name a comparison that can be turned round without the assertion's noticing."""

    def notices() -> bool:
        try:
            return bool(run(copy.deepcopy(statement), path, kept(namespace)))
        except Exception:
            return True

    for comparison, at in comparisons(node.test):
        before = comparison.ops[at]
        comparison.ops[at] = OPPOSITE[type(before)]()
        written, noticed = ast.unparse(comparison), notices()
        comparison.ops[at] = before
        if not noticed:
            return f"'{written}' would hold as well: it decides nothing"
    test = node.test
    if not any(isinstance(each, ast.Name) for each in ast.walk(test)):
        return f"'{ast.unparse(test)}' asks nothing of a result"
    node.test = ast.copy_location(ast.Constant(False), test)
    reached = notices()
    node.test = test
    return "" if reached else f"'{ast.unparse(test)}' is never reached: it decides nothing"


def comparisons(test: ast.expr) -> Iterator[tuple[ast.Compare, int]]:
    """Yield each comparison, and which of its signs; not those that choose cases or entries."""
    nodes = [*ast.walk(test)]
    chosen = [each for node in nodes for each in getattr(node, "ifs", ())]
    chosen += [node.slice for node in nodes if isinstance(node, ast.Subscript)]
    choosing = {node for part in chosen for node in ast.walk(part)}
    for node in nodes:
        if isinstance(node, ast.Compare) and node not in choosing:
            yield from ((node, at) for at in range(len(node.ops)))
