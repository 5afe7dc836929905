"""What a claim says, as an expression; where it holds; how it can be altered.

A check that cannot fail shows nothing. So every number, sign and exponent of an
expression is altered in turn, and the check has to tell each alteration from
the truth. A comparison has nothing to alter: one that holds always fails when
it is reversed, which shows nothing. It says instead how close it is.
"""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal
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
OPPOSITE = {"+": "-", "-": "+"}
SIGNS = {ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥"}
SIGNS |= {ast.Eq: "=", ast.NotEq: "≠"}
PRINTED = (
    ast.Expression,
    ast.Constant,
    ast.List,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
)


class MisfitError(ValueError):
    """A claim and what is found do not fit together; says how."""


class Case(NamedTuple):
    """One instance of a claim.

    Attributes:
        found: what our code finds: a number, an array, or whether it holds.
        within: how far from it a statement may be; None for the rounding of the
            printed digits, or of floating point in a formula.
        beyond: whether the claim's assumption fails here.
        names: what the names in the claim's expression stand for.
        arm: whether it is the arm that would have refuted a finding.
    """

    found: Any
    within: Any
    beyond: bool
    names: dict[str, Any]
    arm: bool = False


class Statement:
    """An expression of numbers, the functions above, and names of a case.

    Args:
        text: such as `0.971`, `[0.419, 0.254, 0.326]` (printed digits, taken as
            rounded), `sqrt(d)` (a formula) or `bare < scaled` (a comparison).

    Raises:
        MisfitError: it is no such expression.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        nodes = list(ast.walk(parsed(text)))
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
        """Evaluate the expression, or an alteration of it, in a case.

        Raises:
            MisfitError: it has a name that the case does not give.
        """
        scope = FUNCTIONS | case.names
        try:
            with np.errstate(all="ignore"):
                said = eval(text or self.text, {"__builtins__": {}}, scope)
        except NameError as error:
            given = ", ".join(case.names) or "no names"
            raise MisfitError(
                f"'{self.text}': {error}; its case gives {given}"
            ) from None
        return np.array(said) if isinstance(said, list) else said

    def holds(self, cases: list[Case], text: str = "") -> bool:
        """Tell whether it, or an alteration of it, is found in all cases."""
        return all(self.holds_in(case, text) for case in cases)

    def holds_in(self, case: Case, text: str = "") -> bool:
        """Tell whether it, or an alteration of it, is found in a case.

        Raises:
            MisfitError: what it says and what is found cannot be compared.
        """
        try:
            said = self.value(case, text)
        except ArithmeticError:  # an alteration may divide by zero
            return False
        if isinstance(said, bool | np.bool_):
            return bool(said) == bool(case.found)
        shape, found = np.shape(said), np.shape(case.found)
        if np.asarray(said).dtype == bool:
            raise MisfitError(
                f"'{self.text}' compares arrays of shape {shape}: write all(…)"
            )
        if shape not in {(), found}:
            raise MisfitError(
                f"'{self.text}' has the shape {shape}, what is found {found}"
            )
        if case.within is not None:
            tolerance = np.asarray(case.within)
        elif self.printed:
            half = self.half_units()
            tolerance = half if np.ndim(said) else half[0]
        else:
            tolerance = 1e-9 * np.abs(case.found) + 1e-300
        distance = np.abs(said - np.asarray(case.found))
        return bool(np.all(distance <= tolerance * (1 + 1e-9)))

    def half_units(self) -> np.ndarray:
        """Give half a unit of the last printed digit, for each number."""
        return np.array([float(unit) / 2 for unit in self.units])

    def miss(self, cases: list[Case]) -> str:
        """Say what is said and what is found in the first case that fails."""
        case = next(case for case in cases if not self.holds_in(case))
        if self.compares:
            return self.strictness([case])
        said, found = (
            np.array2string(np.asarray(value), precision=8, threshold=12)
            for value in (self.value(case), case.found)
        )
        return f"said is {said}, found {found}"

    def strictness(self, cases: list[Case]) -> str:
        """Say how far off what is found may be, or how close it compares."""
        if self.compares:
            return self.closest(cases)
        given = [
            np.ravel(case.within) for case in cases if case.within is not None
        ]
        parts = []
        if given:
            every = np.concatenate(given)
            ends = dict.fromkeys(map(short, (every.min(), every.max())))
            parts.append("±" + " to ±".join(ends))
        if len(given) < len(cases) and self.printed:
            halves = dict.fromkeys(map(short, self.half_units()))
            parts.append(f"half of the last digit, ±{', ±'.join(halves)}")
        elif len(given) < len(cases):
            parts.append("a part in a billion, for rounding")
        return f"Tolerance: {'; '.join(parts)}"

    def closest(self, cases: list[Case]) -> str:
        """Give the numbers of a comparison where they are closest."""
        node = self.compares[0]
        sides = [self.segment(side) for side in (node.left, *node.comparators)]
        signs = [SIGNS[type(sign)] for sign in node.ops]
        rows = np.hstack(
            [
                np.array(
                    np.broadcast_arrays(*(self.value(case, s) for s in sides)),
                    dtype=float,
                ).reshape(len(sides), -1)
                for case in cases
            ]
        )
        with np.errstate(all="ignore"):
            gaps = np.abs(np.diff(rows, axis=0)) / np.abs(rows).max(axis=0)
        row = rows[:, np.argmin(gaps.min(axis=0))]
        told_apart = (
            digits
            for digits in range(3, 18)
            if len({f"{x:.{digits}g}" for x in row}) == len(set(row))
        )
        digits = next(told_apart, 3)
        first, *others = (f"{number:.{digits}g}" for number in row)
        pairs = zip(signs, others, strict=True)
        row_said = " ".join([first, *(f"{sign} {n}" for sign, n in pairs)])
        return (
            f"Compared: `{self.text}`, which is {row_said} where it is closest"
        )

    def alterations(self, cases: list[Case]) -> Iterator[str]:
        """Yield it with one number, sign or root altered; no comparison."""
        if self.compares:
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
        """Give the text with the sign between two operands turned round."""
        between = self.text[left.end_col_offset : right.col_offset]
        turned = re.sub(
            "[+-]", lambda sign: OPPOSITE[sign[0]], between, count=1
        )
        return self.replaced(left.end_col_offset, right.col_offset, turned)


def short(number: float) -> str:
    """Print two digits of a tolerance, with an exponent only if it is tiny."""
    if 0 < number < 1e-5:
        return f"{number:.0e}"
    return np.format_float_positional(
        number, precision=2, unique=False, fractional=False, trim="-"
    )


def parsed(text: str) -> ast.Expression:
    """Parse what a claim says, or raise MisfitError and say how to write it."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise MisfitError(f"'{text}' is no expression: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple):
            raise MisfitError(
                f"'{text}' has a comma: write 1_000 for a thousand, and a list "
                "in brackets"
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            raise MisfitError(f"'{text}' has a ^: write ** for a power")
    return tree
