"""The glossary: a page's first use of each of its words links to what the word means.

The words are defined in one place, docs/glossary.md, as a definition list:

    Logit
    :   A number that goes into softmax. See [what large logits do](saturation.md).

The sentences before “See” are the tip that the link shows: by the browser as its title, and by
Material's script, which shows it to the keyboard too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from weave.embed import Context
from weave.errors import WeaveError
from weave.project import Project, looks_up

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


@looks_up("terms")
def terms(project: Project, _: str) -> list[Term]:
    """Read the glossary.

    Raises:
        WeaveError: a word is defined twice.
    """
    file = project.root / "docs" / PAGE
    found: dict[str, Term] = {}
    for entry in ENTRY.finditer(file.read_text("utf-8")) if file.is_file() else ():
        names = entry["names"].splitlines()
        for name in names:
            if name.lower() in found:
                raise WeaveError(f"docs/{PAGE}: '{name}' is defined twice")
            found[name.lower()] = Term(name, entry["definition"], anchor(names[0]))
    return list(found.values())


@looks_up("term-names")
def names(project: Project, _: str) -> list[tuple[str, str]]:
    """Give the words that are looked for on each page, and where their entries stand."""
    return [(term.name, term.anchor) for term in project.look_up("terms")]


@looks_up("definition")
def definition(project: Project, name: str) -> str:
    """Give what a word means."""
    return next(str(t.definition) for t in project.look_up("terms") if t.name == name)


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


def mark_tree(root: Element, context: Context) -> None:
    """Link a page's first use of each word; give the glossary's own page its anchors."""
    if context.source == PAGE:
        for entry in root.iter("dl"):
            add_anchors(entry)
        return
    try:
        context.look_up("term-names")
        Marker(context).mark(root)
    except WeaveError as error:
        context.report(error)


class Marker:
    """Goes through a page once, in the order of reading."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.unused: list[Term] = list(context.project.look_up("terms"))

    def mark(self, element: Element) -> None:
        """Mark the words in an element, and in what it holds."""
        classes = (element.get("class") or "").split()
        if element.tag in PLAIN or PLAIN_CLASSES.intersection(classes):
            return
        children = list(element)
        element.text, links = self.split(element.text or "")
        element[:0] = links
        for child in children:
            if isinstance(child.tag, str):  # a comment's is a function
                self.mark(child)
            child.tail, links = self.split(child.tail or "")
            after = list(element).index(child) + 1
            element[after:after] = links

    def split(self, text: str) -> tuple[str, list[Element]]:
        """Give what stands before the first word to mark, and the links with what follows each."""
        pieces, links, end = [], [], 0
        for match, term in first_uses(text, self.unused):
            meaning = self.context.look_up("definition", term.name)
            href = f"{self.context.to_root}{PAGE}#{term.anchor}"
            links.append(
                Element("a", {"class": "term", "href": href}, title=f"{term.name}: {meaning}")
            )
            links[-1].text = match[0]
            pieces.append(text[end : match.start()])
            end = match.end()
        pieces.append(text[end:])
        for link, piece in zip(links, pieces[1:], strict=True):
            link.tail = piece
        return pieces[0], links


def add_anchors(entry: Element) -> None:
    """Let links lead to the words of a definition list: to the first name of each entry."""
    before = None
    for part in entry:
        if part.tag == "dt" and before != "dt":
            part.set("id", anchor("".join(part.itertext())))
        before = part.tag
