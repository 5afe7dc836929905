"""Addresses within a page: each stands for one place, and none moves with a number.

What is wrong with them breaks links from elsewhere, and else nobody sees it: of two places with one
id a browser takes the first, Python-Markdown gives the second of two headings an id of its own, and
it makes a heading's id of the number that is printed there today.
"""

import re
from collections.abc import Iterator

from weave.embeds.embed import Context, Embed, any_token, report_flaws
from weave.text.headings import Heading, blanked, headings

ID = re.compile(
    r"""
      \{(?!=)[^{}\n]*?\#(?P<attribute>[\w-]+)[^{}\n]*\}  # {#id}, { .class #id }
    | <[a-z][^<>]*?\bid="(?P<html>[^"]+)"
    | \\label\{(?P<formula>[\w-]+)\}
    """,
    re.VERBOSE,
)

MOVES = "the address of '{}' would move with the number in it: write one behind it, {{#some-words}}"
TWICE = "the id '{}' stands at {} already: write another behind one of the two, {{#some-words}}"


def report_addresses(context: Context) -> str:
    """Report the ids that a page has twice, and the headings whose id moves."""
    return report_flaws(context, flaws)


def flaws(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the ids of the page `name`, each flaw with its line."""
    found = headings(text)
    for heading in found:
        if "{=" in heading.words and not heading.id:
            yield heading.line, MOVES.format(heading.words)
    first: dict[str, int] = {}  # on which line an id stands first
    for line, id in sorted({*written_ids(text), *ids_of(found)}):
        if id in first:
            yield line, TWICE.format(id, f"{name}:{first[id]}")
        first.setdefault(id, line)


def ids_of(found: list[Heading]) -> Iterator[tuple[int, str]]:
    """Yield the ids of headings, each with its line."""
    for heading in found:
        if heading.id:
            yield heading.line, heading.id


def written_ids(text: str) -> Iterator[tuple[int, str]]:
    """Yield the ids that are written on a page, each with its line."""
    text = any_token().sub(without_code, text)
    for match in ID.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        id = match["attribute"] or match["html"] or f"formula-{match['formula']}"
        yield line, id


def without_code(token: re.Match[str]) -> str:
    """Give a token that is no code as it is."""
    return blanked(token) if token.lastgroup in {"code", "raw"} else token[0]


# It has no token.
EMBEDS = [Embed("addresses", at_end=report_addresses)]
