"""The glossary: a page's first use of each of its words links to what the word means.

The words are defined in one place, docs/glossary.md, as a definition list:

    Logit
    :   A number that goes into softmax. See [what large logits do](saturation.md).

The sentences before “See” are the tip that the link shows: by the browser as its title, and by
Material's script, which shows it to the keyboard too.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from weave.errors import WeaveError
from weave.site import place_of

log = logging.getLogger("mkdocs.weave")

PAGE = "glossary.md"
ENTRY = re.compile(
    r"^(?P<names>(?:\w.*\n)+):[ ]+(?P<definition>.+?)(?:[ ]See[ ]\[.*)?$", re.MULTILINE
)
# Where a word is not marked: links, code, what stands for itself, and what is set large.
PLAIN = {"a", "abbr", "button", "code", "pre", "summary", "h1", "h2", "h3", "h4", "h5", "h6"}
PLAIN_CLASSES = {"admonition-title", "answer", "chapters", "drawing", "references", "source"}


@dataclass(frozen=True)
class Term:
    """A word of the glossary.

    Attributes:
        name: as the glossary spells it.
        definition: what it means.
        anchor: where its entry stands; names of one entry share it.
    """

    name: str
    definition: str
    anchor: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Match the word in a text: with a capital or without, in the singular or the plural."""
        first, rest = self.name[0], re.escape(self.name[1:]).replace(r"\ ", r"\s+")
        queries = re.compile("(?<=[^aeiou])y$")  # but keys
        many = queries.sub("(?:y|ies)", rest) if queries.search(rest) else f"{rest}(?:s|es)?"
        return re.compile(rf"(?<![\w-])[{first.lower()}{first.upper()}]{many}(?![\w-])")


def terms(docs: Path) -> list[Term]:
    """Read the glossary.

    Raises:
        WeaveError: a word is defined twice.
    """
    file = docs / PAGE
    return _terms(file, file.stat().st_mtime_ns) if file.is_file() else []


@lru_cache(maxsize=1)
def _terms(file: Path, _: int) -> list[Term]:
    found: dict[str, Term] = {}
    for entry in ENTRY.finditer(file.read_text("utf-8")):
        names = entry["names"].splitlines()
        for name in names:
            if name.lower() in found:
                raise WeaveError(f"docs/{PAGE}: '{name}' is defined twice")
            found[name.lower()] = Term(name, entry["definition"], anchor(names[0]))
    return list(found.values())


def anchor(name: str) -> str:
    """Name the place of an entry on the glossary's page."""
    return re.sub(r"[^\w]+", "-", name.lower())


def first_uses(text: str, unused: list[Term]) -> Iterator[tuple[re.Match[str], Term]]:
    """Yield the words of `text` that are used for the first time, and take them off the list.

    All names of an entry are one word. Of two that begin at the same place, the longer is meant.
    """
    position = 0
    while found := [
        (match, term) for term in unused if (match := term.pattern.search(text, position))
    ]:
        match, term = min(found, key=lambda pair: (pair[0].start(), -pair[0].end()))
        yield match, term
        unused[:] = [other for other in unused if other.anchor != term.anchor]
        position = match.end()


class Marker(Treeprocessor):
    """Links a page's first use of each word; gives the glossary's own page its anchors."""

    def __init__(self, md: Markdown, docs: Path) -> None:
        super().__init__(md)
        self.docs = docs
        self.unused: list[Term] = []
        self.href = PAGE

    def run(self, root: Element) -> None:
        """Go through a page once, in the order of reading."""
        place = place_of(self.md, "")
        if place.source == PAGE:
            for entry in root.iter("dl"):
                add_anchors(entry)
            return
        try:
            self.unused = list(terms(self.docs))
        except WeaveError as error:
            log.warning("%s", error)
            return
        self.href = place.to_root + PAGE
        self.mark(root)

    def mark(self, element: Element) -> None:
        """Mark the words in an element, and in what it holds."""
        classes = (element.get("class") or "").split()
        if element.tag in PLAIN or PLAIN_CLASSES.intersection(classes):
            return
        children = list(element)
        element.text, links = self.split(element.text)
        element[:0] = links
        for child in children:
            if isinstance(child.tag, str):  # a comment's is a function
                self.mark(child)
            child.tail, links = self.split(child.tail)
            after = list(element).index(child) + 1
            element[after:after] = links

    def split(self, text: str | None) -> tuple[str | None, list[Element]]:
        """Give what stands before the first word to mark, and the links with what follows each."""
        if not text or not text.strip():
            return text, []
        links: list[Element] = []
        before, end = text, 0
        for match, term in first_uses(text, self.unused):
            if links:
                links[-1].tail = text[end : match.start()]
            else:
                before = text[: match.start()]
            link = Element(
                "a",
                {
                    "class": "term",
                    "href": f"{self.href}#{term.anchor}",
                    "title": f"{term.name}: {term.definition}",
                },
            )
            link.text = match[0]
            links.append(link)
            end = match.end()
        if links:
            links[-1].tail = text[end:]
        return before, links


def add_anchors(entry: Element) -> None:
    """Let links lead to the words of a definition list: to the first name of each entry."""
    before = None
    for part in entry:
        if part.tag == "dt" and before != "dt":
            part.set("id", anchor("".join(part.itertext())))
        before = part.tag
