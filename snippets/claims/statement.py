"""What a claim says, as an expression; where it holds; how it can be altered.

A check that cannot fail shows nothing. So every number, sign and exponent of an
expression is altered in turn (a comparison is reversed), and the check has to
tell each alteration from the truth.
"""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

# What an expression may use beside the names that a case gives.
FUNCTIONS = {
    name: getattr(np, name)
    for name in (
        "abs",
        "all",
        "array",
        "exp",
        "log",
        "max",
        "min",
        "pi",
        "sqrt",
        "sum",
        "trace",
    )
} | {"norm": np.linalg.norm}  # of a matrix: Frobenius
OPPOSITE = {
    **{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="},
    **{"+": "-", "-": "+"},
}
OPERATOR = re.compile(r"[<>=!]=|[<>+-]")
PRINTED = (
    ast.Expression,
    ast.Constant,
    ast.List,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
)


class Case(NamedTuple):
    """One instance of a claim.

    Attributes:
        found: what our code finds: a number, an array, or whether it holds.
        within: how far from it a statement may be; None for the rounding of the
            printed digits, or of floating point in a formula.
        beyond: whether the claim's assumption fails here.
        names: what the names in the claim's expression stand for.
    """

    found: Any
    within: Any
    beyond: bool
    names: dict[str, Any]


class Statement:
    """An expression of numbers, the functions above, and names of a case.

    Args:
        text: such as `0.971`, `[0.419, 0.254, 0.326]` (printed digits, taken as
            rounded), `sqrt(d)` (a formula) or `bare < scaled` (a comparison).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
        self.printed = all(isinstance(node, PRINTED) for node in nodes)
        self.compares = [
            node for node in nodes if isinstance(node, ast.Compare)
        ]
        self.sums = [
            node
            for node in nodes
            if isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add | ast.Sub)
        ]
        self.numbers = [
            node for node in nodes if isinstance(node, ast.Constant)
        ]
        self.roots = [
            node
            for node in nodes
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "sqrt"
        ]
        # One unit of the last digit that is printed, for each number.
        self.units = [
            Decimal(1).scaleb(
                int(Decimal(self.segment(node)).as_tuple().exponent)
            )
            for node in self.numbers
        ]

    def segment(self, node: ast.expr) -> str:
        """Give a node's own text."""
        return self.text[node.col_offset : node.end_col_offset]

    def replaced(self, start: int, end: int, new: str) -> str:
        """Give the text with a stretch of it replaced."""
        return self.text[:start] + new + self.text[end:]

    def value(self, case: Case, text: str = "") -> Any:
        """Evaluate the expression, or an alteration of it, in a case."""
        scope = FUNCTIONS | case.names
        with np.errstate(all="ignore"):
            said = eval(text or self.text, {"__builtins__": {}}, scope)
        return np.array(said) if isinstance(said, list) else said

    def holds(self, cases: list[Case], text: str = "") -> bool:
        """Tell whether it, or an alteration of it, is found in all cases."""
        return all(self.holds_in(case, text) for case in cases)

    def holds_in(self, case: Case, text: str = "") -> bool:
        """Tell whether it, or an alteration of it, is found in a case."""
        try:
            said = self.value(case, text)
        except ArithmeticError:  # an alteration may divide by zero
            return False
        if isinstance(said, bool | np.bool_):
            return bool(said) == bool(case.found)
        if case.within is not None:
            tolerance = np.asarray(case.within)
        elif self.printed:
            half = np.array([float(unit) / 2 for unit in self.units])
            tolerance = half if np.ndim(said) else half[0]
        else:
            tolerance = 1e-9 * np.abs(case.found) + 1e-300
        distance = np.abs(said - np.asarray(case.found))
        return bool(np.all(distance <= tolerance * (1 + 1e-9)))

    def alterations(self, cases: list[Case]) -> Iterator[str]:
        """Yield it with one number, sign, root or comparison altered."""
        for node in self.compares:
            operands = [node.left, *node.comparators]
            for left, right in pairwise(operands):
                yield self.opposite(left, right)
        if (
            self.compares
        ):  # what else is in it is our reading, not the claim's number
            return
        rounded = self.printed and all(case.within is None for case in cases)
        for node, unit in zip(self.numbers, self.units, strict=True):
            number = Decimal(self.segment(node))
            step = (
                unit if rounded or isinstance(node.value, int) else number / 10
            )
            for other in (number + step, number - step):
                yield self.replaced(
                    node.col_offset, node.end_col_offset, f"({other})"
                )
        for node in self.sums:
            yield self.opposite(node.left, node.right)
        for node in self.roots:
            inside = f"({self.segment(node.args[0])})"
            yield self.replaced(node.col_offset, node.end_col_offset, inside)
        values = [np.asarray(self.value(case)) for case in cases]
        if any(np.any(value != 0) for value in values):
            yield (
                f"-({self.text})"
                if not self.text.startswith("[")
                else f"-array({self.text})"
            )
        if not self.printed and any(
            np.any(value**2 != value) for value in values
        ):
            yield f"({self.text})**2"

    def opposite(self, left: ast.expr, right: ast.expr) -> str:
        """Give the text with the operator between two operands turned round."""
        between = self.text[left.end_col_offset : right.col_offset]
        turned = OPERATOR.sub(
            lambda found: OPPOSITE[found[0]], between, count=1
        )
        return self.replaced(left.end_col_offset, right.col_offset, turned)
