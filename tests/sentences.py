"""Sentences of the pages, with what they compute, compare and type."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from weave.embed import Context
from weave.embeds.value import OTHER_CHAPTER, compute, evaluate
from weave.errors import WeaveError

# What stands in a page and is no sentence: front matter, blocks of code, formulas, comments.
NO_TEXT = re.compile(
    r"\A---\n.*?^---$|^(?P<indent>[ \t]*)```.*?^(?P=indent)```[ \t]*$|\$\$.*?\$\$|<!--.*?-->|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)
TOKEN = re.compile(r"\{(?P<kind>[=?])[ ](?P<written>[^{}]+)\}")
FORMULA = re.compile(r"(?<!\\)\$[^$\n]+\$")
ASIDE = re.compile(r"\[@[^\]]*\]|\]\([^)]*\)|\{[^{}=?]*\}|<[^>]*>|“[^”]*”")
BLOCK = re.compile(r"^[ ]*(?:[-*]|\d+\.|\?\?\?|!!!|:::|\||#+|:  )", re.MULTILINE)
END = re.compile(r"(?<=[.!?])[*)”]*\s+(?=\S)(?![a-z])")
NUMBER = re.compile(r"(?<![\w.,^_/#&-])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?![\w-]|\.\d)")
EQUALS = re.compile(r"(?:=|\\approx|<|>|\\le|\\ge)\s*(-?[\d,]*\.?\d+)(?=\s*(?:$|[,;$%]|\\))")
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
WORTH = {word: number for number, word in enumerate(WORDS)} | {
    "sixteen": 16, "twenty": 20, "hundred": 100, "thousand": 1000, "million": 10**6, "half": 0.5,
    "tenth": 0.1, "quarter": 0.25, "third": 1 / 3, "twice": 2, "½": 0.5, "¼": 0.25,
}


@dataclass
class Sentence:
    """A sentence of a page, or a row of a table."""

    page: str
    line: int
    text: str
    around: str  # the paragraph up to its end, or the table's head

    def written(self, kind: str, text: str | None = None) -> list[str]:
        """Give the expressions in `{= }` or `{? }`."""
        found = TOKEN.finditer(self.text if text is None else text)
        return [m["written"].partition(" :")[0].strip() for m in found if m["kind"] == kind]


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def sentences(page: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences of a page, each with its line."""
    text = NO_TEXT.sub(blank, source)
    for paragraph in re.finditer(r"(?:^[ \t]*\S.*\n?)+", text, re.MULTILINE):
        starts = [m.start() for m in BLOCK.finditer(paragraph[0])]
        pieces = sorted({0, *starts, len(paragraph[0])})
        head = ""
        for start, end in zip(pieces, pieces[1:]):
            block = paragraph[0][start:end]
            line = source.count("\n", 0, paragraph.start() + start) + 1
            if block.lstrip().startswith("|"):
                head = head or block
                yield Sentence(page, line, block, head + block)
                continue
            hidden = [m.span() for m in (*TOKEN.finditer(block), *FORMULA.finditer(block))]
            ends = [m.end() for m in END.finditer(block) if not any(a <= m.start() < b for a, b in hidden)]
            for first, last in zip([0, *ends], [*ends, len(block)]):
                if block[first:last].strip():
                    yield Sentence(page, line + block.count("\n", 0, first), block[first:last], block[:last])


def value(text: str) -> float:
    return float(text.replace(",", ""))


def typed(text: str) -> list[float]:
    """Give the numbers that are typed in a text, in figures; in a formula, those that a letter equals."""
    text = TOKEN.sub(" ", text)
    found = [value(n) for f in FORMULA.findall(text) for n in EQUALS.findall(f.strip("$"))]
    plain = ASIDE.sub(" ", FORMULA.sub(" ", text))
    return found + [value(m[0]) for m in NUMBER.finditer(plain) if m[0]]
