"""Texts as sentences: a page's, or a caption's, with their words and the values that they quote."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# Front matter, blocks of code, formulas on lines of their own, comments and code in a line.
NO_TEXT = re.compile(
    r"\A---\n.*?^---$ | ^(?P<indent>[ \t]*)```.*?^(?P=indent)```[ \t]*$"
    r"| \$\$.*?\$\$ | <!--.*?--> | `[^`\n]+`",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
VALUE = re.compile(r"\{=[ ](?P<written>[^{}]+)\}|\{for[ ][^{}]*\}")
FORMULA = re.compile(r"(?<!\\)\$[^$]+\$")
# Where words and numbers are no statement of ours: references, addresses, attributes.
ASIDE = re.compile(r"\[@[^\]]*\]|\]\([^)]*\)|\{[ ]?[:.#][^{}]*\}|</?[a-zA-Z][^<>$]*>")
QUOTATION = re.compile(r"“[^”]*”")
BLOCK = re.compile(r"^[ ]*(?:[-*]|\d+\.|\?\?\?|!!!|:::|\||\#+|:[ ]{2})[ ]", re.MULTILINE)
END = re.compile(r"[.!?][*)”]*\s+(?![a-z(])|:\*\*\s+")
WORD = re.compile(r"\d[\d,.]*\d|[^\W_]+(?:_+[^\W_]+)*|…")
CODE = re.compile(r"`[^`\n]+`")


class Sentence(NamedTuple):
    """A sentence of a page, or a row of a table."""

    line: int
    text: str  # as written
    words: str  # without marks, between spaces; an ellipsis stands for a computed number


@dataclass(frozen=True, eq=False)  # one object while the file stays as it is
class Text:
    """A page, or a snippet's caption and text alternative."""

    name: str  # below the root
    source: str
    sentences: list[Sentence]


def in_words(text: str) -> str:
    """Give the words of a text in Markdown."""
    found = WORD.findall(ASIDE.sub(" ", CODE.sub(" ", VALUE.sub(" … ", text))))
    return f" {' '.join(found)} ".casefold()


def sentences(source: str) -> Iterator[Sentence]:
    """Yield the sentences of a page, each with its line."""
    text = NO_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    for paragraph in re.finditer(r"(?:^[ \t]*\S.*\n?)+", text, re.MULTILINE):
        starts = [match.start() for match in BLOCK.finditer(paragraph[0])]
        for start, end in pairwise(sorted({0, *starts, len(paragraph[0])})):
            block = paragraph[0][start:end]
            line = source.count("\n", 0, paragraph.start() + start) + 1
            ends = []
            if not block.lstrip().startswith(("|", ":::")):
                spans = [m.span() for m in (*VALUE.finditer(block), *FORMULA.finditer(block))]
                hidden = {place for span in spans for place in range(*span)}
                ends = [m.end() for m in END.finditer(block) if m.start() not in hidden]
            for first, last in pairwise(sorted({0, *ends, len(block)})):
                at = line + block.count("\n", 0, first)
                if not block.startswith(":::"):
                    yield Sentence(at, block[first:last], in_words(block[first:last]))


@lru_cache(2**14)  # while serving, most texts are as they were
def matches(words: str, text: Text) -> list[int]:
    """Tell in which sentences some words stand; an ellipsis stands for what lies between."""
    parts = map(in_words, words.replace("...", "…").split("…"))
    first, *others = [part for part in parts if part.strip()] or [" "]
    found = [n for n, sentence in enumerate(text.sentences) if first in sentence.words]
    return [n for n in found if in_order(others, text.sentences[n].words.partition(first)[2])]


def in_order(parts: Iterable[str], words: str) -> bool:
    """Tell whether each part, with a space at both ends, follows the one before."""
    found = " "
    for part in parts:
        _, found, words = f" {words}".partition(part)
    return bool(found)


def nearest(words: str, texts: list[Text]) -> tuple[Text, Sentence] | None:
    """Find the sentence that has most of some words in their order; the first of several."""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(in_words(words).split())

    def shared(pair: tuple[Text, Sentence]) -> int:
        matcher.set_seq1(pair[1].words.split())
        return sum(block.size for block in matcher.get_matching_blocks())

    pairs = [(text, sentence) for text in texts for sentence in text.sentences]
    best = max(pairs, key=shared, default=None)
    return best if best and shared(best) else None


@lru_cache(2**12)
def mentions(page: Text, name: str) -> bool:
    """Tell whether a page names a snippet somewhere."""
    return name in page.source


@lru_cache(2**12)
def shown_at(page: Text, name: str) -> int:
    """Give the line of a page where a snippet's figure stands, or 0."""
    found = re.search(rf"^[ \t]*:::[^\n]*\b{re.escape(name)}\b", page.source, re.MULTILINE)
    return page.source.count("\n", 0, found.start()) + 1 if found else 0
