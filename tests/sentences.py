"""The sentences of a page: what they quote, what they compare, and what numbers they type."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from weave.embed import Context
from weave.embeds.value import as_written, compute, to_python

# Front matter, blocks of code, formulas, comments and code in a line hold no sentence.
NO_TEXT = re.compile(
    r"\A---\n.*?^---$ | ^(?P<indent>[ \t]*)```.*?^(?P=indent)```[ \t]*$"
    r"| \$\$.*?\$\$ | <!--.*?--> | `[^`\n]+`",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
TOKEN = re.compile(r"\{(?P<kind>[=?])[ ](?P<written>[^{}]+)\}")
FORMULA = re.compile(r"(?<!\\)\$[^$\n]+\$")
# Where a number is no statement of ours: references, addresses, attributes, quotations.
ASIDE = re.compile(r"\[@[^\]]*\]|\]\([^)]*\)|\{[^{}]*\}|<[^>]*>|“[^”]*”")
BLOCK = re.compile(r"^[ ]*(?:[-*]|\d+\.|\?\?\?|!!!|:::|\||\#+|:[ ]{2})[ ]", re.MULTILINE)
HEADING = re.compile(r"[ ]*#+[ ]")
END = re.compile(r"[.!?][*)”]*\s+(?![a-z(])|:\*\*\s+")
NUMBER = re.compile(
    r"(?<![\w.,^_/#&×√-])(?<!\d[ ]×[ ])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?![\w×-]|\.\d)"
)
EQUALS = re.compile(
    r"(?:=|\\approx|<|>|\\le|\\ge)\s*(-?[\d,]*\.?\d+)(?=\s*(?:$|[,;$%]|\\(?!cdot|times|sqrt|ln)))"
)
COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
WORTH = {word: count for count, word in enumerate(COUNTED.split(" "))} | {
    "sixteen": 16, "twenty": 20, "hundred": 100, "thousand": 1000, "million": 10**6,
    "half": 0.5, "tenth": 0.1, "quarter": 0.25, "twice": 2, "½": 0.5,
}  # fmt: skip


@dataclass
class Sentence:
    """A sentence of a page, or a row of a table."""

    line: int
    text: str
    before: str  # what stands above it in its section

    @property
    def is_row(self) -> bool:
        """Tell whether it is a row of a table."""
        return self.text.lstrip().startswith("|")

    @property
    def words(self) -> str:
        """The text without what is quoted, compared or set as a formula."""
        return FORMULA.sub(" ", TOKEN.sub(" ", self.text))


def sentences(source: str) -> Iterator[Sentence]:
    """Yield the sentences of a page, each with its line."""
    text = NO_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    section = 0
    for paragraph in re.finditer(r"(?:^[ \t]*\S.*\n?)+", text, re.MULTILINE):
        if HEADING.match(paragraph[0]):
            section = paragraph.start()
        starts = [match.start() for match in BLOCK.finditer(paragraph[0])]
        for start, end in pairwise(sorted({0, *starts, len(paragraph[0])})):
            block = paragraph[0][start:end]
            line = source.count("\n", 0, paragraph.start() + start) + 1
            if block.lstrip().startswith("|"):
                yield Sentence(line, block, text[section : paragraph.start() + start])
                continue
            spans = [m.span() for m in (*TOKEN.finditer(block), *FORMULA.finditer(block))]
            hidden = {place for span in spans for place in range(*span)}
            ends = [m.end() for m in END.finditer(block) if m.start() not in hidden]
            for first, last in pairwise(sorted({0, *ends, len(block)})):
                here = line + block.count("\n", 0, first)
                above = text[section : paragraph.start() + start + first]
                yield Sentence(here, block[first:last], above)


def expressions(text: str, kind: str = "=?") -> list[str]:
    """Give the expressions in `{= }` and `{? }`."""
    found = [match for match in TOKEN.finditer(text) if match["kind"] in kind]
    return [match["written"].partition(" :")[0].strip() for match in found]


def parse(written: str) -> ast.expr:
    """Parse an expression as a page writes it."""
    return ast.parse(to_python(written), mode="eval").body


def value(digits: str) -> float:
    """Read a number as a page prints it."""
    return float(digits.replace(",", ""))


def typed(text: str) -> list[re.Match[str]]:
    """Find the numbers that are typed in figures; in a formula, those that something equals."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    text = TOKEN.sub(blank, text)
    formulas = [EQUALS.finditer(text, *match.span()) for match in FORMULA.finditer(text)]
    plain = ASIDE.sub(blank, FORMULA.sub(blank, text))
    return [*NUMBER.finditer(plain), *(found for each in formulas for found in each)]


def figures(match: re.Match[str]) -> str:
    """Give the digits that `typed` has found."""
    return match[1] if match.re is EQUALS else match[0]


def in_code(written: str) -> set[float]:
    """Give the numbers in an expression, and those in its names and texts, such as `'d = 64'`."""
    found = set()
    for node in ast.walk(parse(written)):
        text = {ast.Constant: "value", ast.Attribute: "attr"}.get(type(node))
        if text:
            digits = re.findall(r"\d[\d,]*\.?\d*(?:e-?\d+)?|\.\d+", str(getattr(node, text)))
            found |= {value(each) for each in digits}
    return found


def keys(written: str, context: Context) -> list[Any]:
    """Give the keys by which an expression reads dicts; the places in an array are none."""
    found = []
    for node in ast.walk(parse(written)):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            read, _ = compute(as_written(ast.unparse(node.value)), context)
            if isinstance(read, Mapping):
                found.append(node.slice.value)
    return found
