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
    """Run a cell that says; give its assertions.

    Raises:
        WeaveError: a message is no text of three words or more.
    """
    tree = ast.parse("\n" * (cell.line - 1) + cell.code)
    found = []
    for statement in tree.body:
        asserts = [node for node in ast.walk(statement) if isinstance(node, ast.Assert)]
        for node in asserts:
            if len(words_of(node).split()) < 3:
                raise WeaveError(f"{where(path, node.lineno)}: {WORDS}")
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                raise WeaveError(f"{where(path, node.lineno)}: {OUTSIDE}")
        before = namespace if isinstance(statement, ast.Assert) else kept(namespace)
        failed = run(statement, path, namespace)
        if failed and not any(failed & set(lines(node)) for node in asserts):
            raise WeaveError(f"{where(path, max(failed))}: an assertion fails that has no words")
        for node in asserts:
            flaw = ""
            if failed & set(lines(node)):
                flaw = sides(node.test, path, namespace)
            elif not failed:
                flaw = idle(statement, node, path, before)
            code = ast.unparse(node.test)
            found.append(Assertion(node.lineno, words_of(node), code, flaw))
    return found


def lines(node: ast.Assert) -> range:
    """Give the lines on which an assertion stands."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def kept(namespace: dict[str, Any]) -> dict[str, Any]:
    """Copy a namespace so that a loop which is run again finds its lists as they were."""
    plain = (list, dict, set)
    return {
        k: copy.deepcopy(v) if type(v) in plain and k[0] != "_" else v for k, v in namespace.items()
    }


def words_of(node: ast.Assert) -> str:
    """Give an assertion's message; empty if it is no text."""
    return str(node.msg.value) if isinstance(node.msg, ast.Constant) else ""


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
    """Say what does not hold in an assertion, with both sides of the comparison."""

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), str(path), "eval"), namespace)

    try:
        parts = test.values if isinstance(test, ast.BoolOp) else [test]
        part = next((each for each in parts if not value(each)), test)
        compared = part
        match part:  # np.all(one < other), (one < other).all()
            case ast.Call(func=ast.Attribute(value=ast.Compare() as inner, attr="all"), args=[]):
                compared = inner
            case ast.Call(args=[ast.Compare() as inner]):
                compared = inner
        found = ""
        if isinstance(compared, ast.Compare):
            values = [value(side) for side in (compared.left, *compared.comparators)]
            found = ": it is " + " and ".join(str(each).replace("\n", "") for each in values)
        return f"'{ast.unparse(part)}' does not hold{found}"
    except Exception:  # names of a loop or a function that has ended
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
    choosing = {id(node) for each in chosen for node in ast.walk(each)}
    for node in nodes:
        if isinstance(node, ast.Compare) and id(node) not in choosing:
            yield from ((node, at) for at in range(len(node.ops)))
