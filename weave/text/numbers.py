"""Numbers that a text types in figures, and the numbers that code knows.

One rule serves pages, captions and text alternatives. A number is checked where code has a part in
what the sentence says: the sentence quotes a result, or an assertion has words of it, or it is a
caption's. Then the number is known if it is

- 0 or 1: a mean of 0, a variance of 1, weights between 0 and 1;
- in the name or the keys of what the sentence quotes: 64 in `{= spread.std[64] }`;
- a number in the code of an assertion whose words the sentence has;
- a setting: a number that the computing cell of such a snippet assigns to a name, as in `n = 512`.
  Of several, as in `dims = [4, 16, 64]` or `for d in [4, 64]`, all count where the sentence has all
  of them, and else the ends of the list; none where it quotes a key, which says which is meant.

Where the text gives the name as well, as in `$d = 64$`, only the setting of this name counts.

Messages, comments and docstrings make no number known. What the rule cannot see: a setting in the
place of another of the same snippet; a number in words, such as "twelve"; a bound that is far from
what it bounds (`longest < 400` makes 400 known, as "below 400" is true). A number in a sentence in
which code has no part is no mistake. If none of the snippets that the page names has it as a
setting, there is a note on it (`note_on` in `weave/text/prose.py`).
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from weave.text.sentences import ASIDE, FORMULA, QUOTATION, VALUE

# A number stands by itself: 64, 1,024, .5; not the 2 of Qwen2 or of 2D, nor a part of a formula, as
# in 2√d, 8/d, 2 ln n and 10^d.
NUMBER = re.compile(
    r"(?<![\w.,^_/#&×√-])(?<!\d[ ]×[ ])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))"
    r"(?![\w×^]|-(?![a-z])|\.\d|/[^\W\d]|[ ]ln\b)"
)
# In a formula only what something is, or is less or more than: `d = 64`, `s > 2`.
EQUALS = re.compile(
    r"(?P<name>\b[A-Za-z]\w*)?\s*(?:=|\\approx|<|>|\\le|\\ge)\s*(?P<digits>-?[\d,]*\.?\d+)"
    r"(?=\s*(?:$|[,;$%]|\\(?!cdot|times|sqrt|ln)))"
)
BARE_FORMULA = re.compile(r"\$(\d[\d,.]*)\$")  # $512$ is a number like any other
LIST_MARKER = re.compile(r"\A\s*\d+\.\s")
CLOCK_TIME = re.compile(r"\b\d{1,2}:\d{2}\b")
TITLE = re.compile(r"(?<=\S )[A-Z][\w-]*[ \u00a0]$")  # Theorem 1, June 2017, Gemma 2
PERCENT = re.compile(r"\s*\\?%")
WITHIN_NAME = re.compile(r"-?\d+\.?\d*|-?\.\d+")
LAST = "[-1]"  # a place in a list, and no number of ours
ASSUMED = {0.0, 1.0}


@dataclass(frozen=True)
class TypedNumber:
    """A number that a sentence types, and where in the sentence its digits stand."""

    digits: str  # as typed: 1,024
    start: int
    name: str = ""  # what a formula says that it is: d in $d = 64$
    percent: bool = False

    @property
    def values(self) -> set[float]:
        """What code may have for it: 12% is .12, or 12 if code counts in percent."""
        size = float(self.digits.replace(",", ""))
        return {size, size / 100} if self.percent else {size}


@lru_cache(2**13)
def typed_numbers(text: str) -> list[TypedNumber]:
    """Find the numbers that are typed in a sentence; in a formula, those that something equals."""
    text = VALUE.sub(blank, text)
    text = BARE_FORMULA.sub(r" \1 ", text)
    plain = text
    for pattern in (FORMULA, ASIDE, QUOTATION, LIST_MARKER, CLOCK_TIME):
        plain = pattern.sub(blank, plain)
    found = []
    for match in NUMBER.finditer(plain):
        if not TITLE.search(plain[: match.start()]):
            percent = bool(PERCENT.match(text, match.end()))
            found.append(TypedNumber(match[0], match.start(), percent=percent))
    for formula in FORMULA.finditer(text):
        for match in EQUALS.finditer(text, *formula.span()):
            percent = bool(PERCENT.match(text, match.end()))
            name = match["name"] or ""
            found.append(TypedNumber(match["digits"], match.start("digits"), name, percent))
    return found


def blank(match: re.Match[str]) -> str:
    """Give as many spaces, so that what follows keeps its place."""
    return " " * len(match[0])


@lru_cache(2**12)
def numbers_in_code(code: str) -> frozenset[float]:
    """Give the numbers that stand in some Python, but not those in its texts and comments.

    A text that is a key counts, as it does where it is quoted: 64 in `share["d = 64"]`.
    """
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            with suppress(OverflowError):
                found.add(float(node.value))
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            found |= {float(digits) for digits in WITHIN_NAME.findall(str(node.slice.value))}
    return frozenset(found)


@lru_cache(2**13)
def numbers_quoted(text: str) -> frozenset[float]:
    """Give the numbers in the names and keys of what a sentence quotes: 64 in `spread.std[64]`."""
    found = set()
    for quoted in VALUE.finditer(text):
        name, _, _format = (quoted["written"] or "").partition(" :")
        digits_within = WITHIN_NAME.findall(name.replace(LAST, ""))
        found |= {float(digits) for digits in digits_within}
    return frozenset(found)


@dataclass
class Settings:
    """The numbers that a computing cell assigns to names: `n = 512`, `for d in [4, 16, 64]`."""

    single: dict[str, set[float]] = field(default_factory=lambda: defaultdict(set))
    several: list[set[float]] = field(default_factory=list)  # a set for each list

    def add(self, name: str, value: ast.expr) -> None:
        """Note what a name is given, if that is a number or some numbers, written out."""
        if (number := number_written(value)) is not None:
            self.single[name].add(number)
        elif listed := set(numbers_listed(value)):
            self.several.append(listed)


def settings_of(code: str) -> Settings:
    """Read the settings in the code of a computing cell."""
    found = Settings()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name, value in names_given(target, node.value):
                    found.add(name, value)
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            found.add(node.target.id, node.iter)
    return found


def names_given(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name that an assignment gives, with what it is given: `width, d = 512, 64`."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, its_value in zip(target.elts, value.elts, strict=False):
            yield from names_given(part, its_value)


def number_written(node: ast.expr) -> float | None:
    """Give a number that is written out, also as arithmetic on such: `2**20`, `-8`, `1 / 0.07`."""
    if any(not isinstance(each, WRITTEN) for each in ast.walk(node)):
        return None
    try:
        number = eval(ast.unparse(node), {"__builtins__": {}})
        return float(number) if isinstance(number, int | float) else None
    except (ArithmeticError, TypeError):  # also of a number that is too large
        return None


WRITTEN = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator)


def numbers_listed(node: ast.expr) -> Iterator[float]:
    """Yield the numbers written out in a list, a tuple, a set or a dict, and in those within it."""
    parts: list[ast.expr | None] = []
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = [*node.elts]
    elif isinstance(node, ast.Dict):
        parts = [*node.keys, *node.values]
    for part in parts:
        if part is not None:
            number = number_written(part)
            yield from numbers_listed(part) if number is None else [number]


def unknown_numbers(
    sentence: str, asserted: Iterable[str], settings: Iterable[Settings]
) -> Iterator[tuple[str, str]]:
    """Yield each number that is typed in a sentence and that code does not know, and say why.

    Args:
        sentence: as it is written.
        asserted: the code of the assertions whose words the sentence has.
        settings: of the snippets that it quotes, that assert words of it, or whose caption it is.
    """
    numbers = typed_numbers(sentence)
    if not numbers:
        return
    keys = numbers_quoted(sentence)
    stated = ASSUMED | keys  # by the sentence itself, or by what is asserted of it
    for code in asserted:
        stated |= numbers_in_code(code)
    typed = set().union(*(number.values for number in numbers))
    set_in_code: set[float] = set()
    named: dict[str, set[float]] = defaultdict(set)
    for each in settings:
        for name, values in each.single.items():
            named[name] |= values
            set_in_code |= values
        if not keys:
            for values in each.several:
                is_named_whole = values <= typed | ASSUMED
                set_in_code |= values if is_named_whole else {min(values), max(values)}
    for number in numbers:
        if number.values & stated:
            continue
        of_this_name = named.get(number.name)
        if of_this_name and not number.values & of_this_name:
            found = " or ".join(f"{value:g}" for value in sorted(of_this_name))
            mistake = f"the code has {number.name} = {found}, and the text {number.digits}"
            yield number.digits, mistake
        elif not number.values & set_in_code:
            mend = "quote it, or name it in the computing cell"
            yield number.digits, f"no code knows {number.digits}: {mend}"
