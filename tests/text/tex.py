"""A reader for the TeX of displayed results: what is printed becomes something to evaluate.

A variable is known by its TeX, such as `\\Sigma_q` or `d^*`. A letter with an index that is no name
itself is an entry, counted from 1. Vectors are columns, so that a product is one of matrices, and
`1/nm` is 1/(nm), as it is printed. Whatever the reader does not know is an error.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from scipy import integrate, special

Names = Mapping[str, Any]  # what the variables stand for, by their TeX
Term = Callable[[Names], Any]
TOKEN = re.compile(
    r"\\operatorname\{\w+\}|\\mathbb\{E\}|\\mathrm d|\\,d(?=\\?[a-z])|\\(?:begin|end)\{\w+\}"
    r"|\{\}|\\[A-Za-z]+|\\[^A-Za-z]|\d\.\d|\d|[A-Za-z]|[-+=^_{}()\[\]|,./&*]"
)
SILENT = re.compile(
    r"\{\}|\\[,;:! ]|\\([bB]igg?[lr]?|left|right|quad|boxed)|\\(begin|end)\{aligned\}"
)
RELATIONS = {"=", r"\simeq", r"\approx"}
OPENING = {"(": ")", "[": "]", "{": "}", r"\begin{pmatrix}": r"\end{pmatrix}"}
# What ends a product of factors that stand side by side.
ENDS = {*OPENING.values(), "+", "-", "/", ",", "&", r"\\", r"\cdot", r"\mathrm d", r"\,d"}
FUNCTIONS = {
    **{r"\ln": np.log, r"\exp": np.exp, r"\cos": np.cos, r"\Gamma": special.gamma},
    **{r"\operatorname{tr}": np.trace},
}
CONSTANTS = {r"\pi": math.pi, "e": math.e, r"\infty": math.inf}
Sign = tuple[str, int]  # and its line within the formula


class UnknownError(ValueError):
    """Something that the reader does not know; says which line of the formula has it."""


def tokens(tex: str) -> list[Sign]:
    """Split a formula into signs; spaces and sizes are left out."""
    found, at = [], 0
    while at < len(tex):
        if tex[at].isspace():
            at += 1
            continue
        line = tex.count("\n", 0, at)
        if not (match := TOKEN.match(tex, at)):
            raise UnknownError(f"{line}: '{tex[at]}' is not known")
        if not SILENT.fullmatch(match[0]):
            found.append((match[0], line))
        at = match.end()
    return found


def split(signs: list[Sign], at: set[str]) -> list[list[Sign]]:
    """Split at signs that stand in no brackets."""
    parts, depth = [[]], 0
    for sign in signs:
        depth += (sign[0] in OPENING) - (sign[0] in OPENING.values())
        if depth == 0 and sign[0] in at:
            parts.append([])
        else:
            parts[-1].append(sign)
    return [part for part in parts if part]


def read(signs: list[Sign], names: Names) -> list[list[Term]]:
    """Give the statements of a formula, each a chain of sides that are said to be equal."""
    if signs[0][0] == "{" and signs[-1][0] == "}":  # in a box
        signs = signs[1:-1]
    rows: list[list[Sign]] = []
    for row in split(signs, {r"\\"}):
        line = [sign for part in split(row, {"&"}) for sign in part]
        if rows and line[0][0] in RELATIONS | {"+", "-", r"\cdot"}:
            rows[-1] += line
        else:
            rows.append(line)
    statements = [part for row in rows for part in split(row, {",", ".", r"\qquad"})]
    return [[Reader(side, names).all() for side in split(s, RELATIONS)] for s in statements]


class Reader:
    """Reads a side from left to right; each method gives what evaluates the part it has read."""

    def __init__(self, signs: list[Sign], names: Names) -> None:
        self.signs, self.at, self.bar = [*signs, ("", signs[-1][1])], 0, ""
        self.names = {tuple(sign for sign, _ in tokens(name)): name for name in names}
        self.functions = {name for name, value in names.items() if callable(value)}

    @property
    def next(self) -> str:
        return self.signs[self.at][0]

    def take(self, expected: str = "") -> str:
        sign, line = self.signs[self.at]
        if not sign or (expected and sign != expected):
            raise UnknownError(f"{line}: '{sign}' where {expected or 'more'} should be")
        self.at += 1
        return sign

    def all(self) -> Term:
        side = self.sum()
        if self.next:
            raise UnknownError(f"{self.signs[self.at][1]}: '{self.next}' is not known here")
        return side

    def sum(self) -> Term:
        sign = self.take() if self.next in {"+", "-"} else "+"
        terms = [(sign, self.term())]
        while self.next in {"+", "-"}:
            terms.append((self.take(), self.term()))
        return lambda names: reduce(
            np.add, [term(names) if sign == "+" else -term(names) for sign, term in terms]
        )

    def term(self) -> Term:
        left = self.product()
        while self.next in {"/", r"\cdot"}:
            left = join(divide if self.take() == "/" else dot, left, self.product())
        return left

    def product(self) -> Term:
        left = self.factor()
        while self.next and self.next not in ENDS and self.next != self.bar:
            left = join(times, left, self.factor())
        return left

    def factor(self) -> Term:
        base = self.atom()
        while self.next in {"^", "_"}:
            if self.next == "_":
                base = self.entry(base)
                continue
            self.take()
            if self.next == r"\top":
                self.take()
                base = join(np.transpose, base)
            else:
                base = join(power, base, self.argument())
        return base

    def argument(self) -> Term:
        """Read what stands behind `\\frac`, `^` or `_`: a group, or one sign."""
        return self.within("{") if self.next == "{" else self.atom()

    def within(self, opening: str) -> Term:
        before, self.bar = self.bar, ""
        self.take(opening)
        inner = self.sum()
        self.take(OPENING[opening])
        self.bar = before
        return inner

    def between(self, bar: str) -> Term:
        before, self.bar = self.bar, self.take(bar)
        inner = self.sum()
        self.take(bar)
        self.bar = before
        return inner

    def atom(self) -> Term:
        if (name := self.name()) is not None:
            return self.variable(name)
        if self.next in {"(", "[", "{"}:
            return self.within(self.next)
        if self.next == "|":
            return join(np.abs, self.between("|"))
        if self.next == r"\|":
            return self.norm()
        if self.next.isdigit():
            return self.number()
        sign = self.take()
        if sign in CONSTANTS:
            return lambda _: CONSTANTS[sign]
        if sign in {r"\frac", r"\tfrac", r"\dfrac"}:
            return join(divide, self.argument(), self.argument())
        if sign == r"\sqrt":
            return join(np.sqrt, self.argument())
        if sign in FUNCTIONS:
            return join(FUNCTIONS[sign], self.operand({"(", "["}))
        if sign == r"\mathbb{E}":  # E(tr C)^2 is the mean of a square
            return mean(self.operand({"["}))
        if sign == r"\operatorname{Var}":
            return variance(self.operand({"(", "["}))
        if sign in {r"\sum", r"\int"}:
            return self.series() if sign == r"\sum" else self.integral()
        if sign == r"\begin{pmatrix}":
            return self.blocks()
        raise UnknownError(f"{self.signs[self.at - 1][1]}: '{sign}' is not known")

    def operand(self, brackets: set[str]) -> Term:
        return self.within(self.next) if self.next in brackets else self.product()

    def number(self) -> Term:
        """Read digits; as an argument without brackets a number has one, as in `\\frac12`."""
        alone = self.at and self.signs[self.at - 1][0] in {"^", "_", r"\frac", r"\tfrac", r"\sqrt"}
        alone = alone or (self.at > 1 and self.signs[self.at - 2][0] in {r"\frac", r"\tfrac"})
        digits = self.take()
        while not alone and self.next.isdigit():
            digits += self.take()
        return lambda _: float(digits)

    def name(self) -> str | None:
        """Find the longest name that stands here, and go over it."""
        for signs in sorted(self.names, key=len, reverse=True):
            if tuple(sign for sign, _ in self.signs[self.at : self.at + len(signs)]) == signs:
                self.at += len(signs)
                return self.names[signs]
        return None

    def variable(self, name: str) -> Term:
        """Give a variable, or its entry, or a function's value."""
        if name in self.functions:
            self.take("(")
            argument = self.sum()
            self.take(")")
            return lambda names: names[name](argument(names))
        return lambda names: names[name]

    def entry(self, base: Term) -> Term:
        indices = self.indices()
        return lambda names: np.asarray(base(names))[
            tuple(int(names.get(i, i)) - 1 for i in indices)
        ].item()

    def indices(self) -> list[str]:
        self.take("_")
        if self.next != "{":
            return [self.take()]
        self.take()
        found = []
        while self.next != "}":
            found.append(self.take())
        self.take()
        return [sign for sign in found if sign != ","]

    def norm(self) -> Term:
        inner, kind = self.between(r"\|"), ""
        if self.next == "_":
            [kind] = self.indices()
        if kind not in {"", "F", "1", "2"}:
            raise UnknownError(f"{self.signs[self.at - 1][1]}: the norm '{kind}' is not known")
        if kind == "1":
            return lambda names: np.abs(inner(names)).sum()
        return lambda names: np.sqrt(np.square(inner(names)).sum())

    def series(self) -> Term:
        """Read a sum: up to its bound, or as far as the names' `range` says."""
        self.take("_")
        group = self.take() == "{"
        self.at -= not group
        letters, upper = [], None
        while self.next not in {"=", "}"} and (group or not letters):
            letters.append(self.take())
        if self.next == "=":
            self.take()
            self.take("1")
        if group:
            self.take("}")
        if self.next == "^":
            self.take()
            upper = self.argument()
        body = self.product()

        def total(names: Names) -> Any:
            ends = [int(upper(names) if upper else names["range"])] * len(letters)
            each = np.ndindex(*ends)
            return sum(
                body({**names, **{x: i + 1 for x, i in zip(letters, at, strict=True)}})
                for at in each
            )

        return total

    def integral(self) -> Term:
        """Read an integral between bounds."""
        self.take("_")
        lower = self.argument()
        self.take("^")
        upper = self.argument()
        start = self.at
        depth = 0
        while depth or self.next not in {r"\mathrm d", r"\,d"}:
            depth += (self.next in OPENING) - (self.next in OPENING.values())
            self.take()
        end, letter = self.at, self.signs[self.at + 1][0]
        self.at += 2
        inner = Reader(self.signs[start:end], dict.fromkeys(self.names.values(), 0) | {letter: 0})
        inner.functions = self.functions
        body = inner.all()
        return lambda names: integrate.quad(
            lambda x: body({**names, letter: x}), lower(names), upper(names), epsabs=0, epsrel=1e-10
        )[0]

    def blocks(self) -> Term:
        rows, row = [], [self.sum()]
        while self.next in {"&", r"\\"}:
            if self.take() == r"\\":
                rows.append(row)
                row = []
            row.append(self.sum())
        rows.append(row)
        self.take(r"\end{pmatrix}")

        def matrix(names: Names) -> Any:
            parts = [[np.asarray(part(names)) for part in row] for row in rows]
            size = max(len(np.atleast_2d(part)) for row in parts for part in row)
            return np.block([[p if p.ndim else p * np.eye(size) for p in row] for row in parts])

        return matrix


def join(operation: Callable[..., Any], *parts: Term) -> Term:
    return lambda names: operation(*(part(names) for part in parts))


def times(a: Any, b: Any) -> Any:
    return squeezed(a @ b) if np.ndim(a) and np.ndim(b) else a * b


def squeezed(a: Any) -> Any:
    return a.item() if np.size(a) == 1 else a


def divide(a: Any, b: Any) -> Any:
    if np.ndim(b):
        raise ArithmeticError("division by a matrix")
    return a / b


def dot(a: Any, b: Any) -> Any:
    return squeezed(np.transpose(a) @ b) if np.ndim(a) and np.ndim(b) else a * b


def power(a: Any, b: Any) -> Any:
    if not np.ndim(a):
        return float(a) ** b
    if b != int(b):
        raise ArithmeticError("a root of a matrix")
    return np.linalg.matrix_power(a, int(b))


def mean(inner: Term) -> Term:
    """Average over the names' `nodes`: pairs of a weight and what is random, as it is there."""
    return lambda names: sum(w * inner({**names, **at}) for w, at in names["nodes"])


def variance(inner: Term) -> Term:
    def spread(names: Names) -> Any:
        centre = mean(inner)(names)
        return mean(lambda at: (inner(at) - centre) ** 2)(names)

    return spread
