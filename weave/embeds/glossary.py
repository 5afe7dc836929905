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
from itertools import pairwise
from xml.etree.ElementTree import Element

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, Embed
from weave.project import Project, looks_up

PAGE = "glossary.md"
ENTRY = re.compile(
    r"^(?P<names>(?:\w[^\n]*\n)+):[ ]+(?P<definition>.+?)(?:\s+See[ ]\[.*?)?(?=\n\s*\n|\s*\Z)",
    re.MULTILINE | re.DOTALL,
)
# Where a word is not marked: links, code, what stands for itself, and what is set large.
PLAIN = {"a", "code", "summary", "h1", "h2", "h3", "h4", "h5", "h6"}
PLAIN_CLASSES = {"admonition-title", "answer", "references", "settled", "source"}


@dataclass(frozen=True)
class Term:
    """A word of the glossary, its meaning, and its entry's place, which all names there share."""

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


def names(project: Project) -> Iterator[tuple[int, Term]]:
    """Yield the names that the glossary defines, each with its line."""
    file = project.root / "docs" / PAGE
    text = file.read_text("utf-8-sig", errors="replace") if file.is_file() else ""
    for entry in ENTRY.finditer(text):
        first, *others = (name.strip() for name in entry["names"].splitlines())
        for line, name in enumerate([first, *others], text.count("\n", 0, entry.start()) + 1):
            yield line, Term(name, " ".join(entry["definition"].split()), anchor(first))


@looks_up("terms")
def terms(project: Project, _: str) -> dict[str, Term]:
    """Give each word of the glossary by its name in lower case."""
    # Of a word that is defined twice, the first entry.
    return {term.name.lower(): term for _, term in reversed([*names(project)])}


def anchor(name: str) -> str:
    """Name the place of an entry on the glossary's page."""
    return re.sub(r"[^\w]+", "-", name.lower())


def at_end(context: Context) -> str:
    """Say on the glossary's own page which words it defines twice."""
    said, seen = "", set()
    for line, term in names(context.project) if context.source == PAGE else ():
        if term.name.lower() in seen:
            twice = WeaveError(f"'{term.name}' is defined twice")
            said += "\n\n" + context.report(twice, f"docs/{PAGE}:{line}")
        seen.add(term.name.lower())
    return said


def mark_tree(root: Element, context: Context) -> None:
    """Link a page's first use of each word; give the glossary's own page its anchors."""
    if context.source != PAGE:
        mark(root, [*context.look_up("terms").values()], context)
        return
    for entry in root.iter("dl"):
        for before, part in pairwise([entry, *entry]):
            if part.tag == "dt" and before.tag != "dt":  # the first name of several
                part.set("id", anchor("".join(part.itertext())))


def mark(element: Element, unused: list[Term], context: Context) -> None:
    """Link words in an element, and in what it holds, in the order of reading.

    All names of an entry are one word. Of two that begin at the same place, the longer is meant.
    """
    classes = (element.get("class") or "").split()
    if element.tag in PLAIN or PLAIN_CLASSES.intersection(classes):
        return

    def link(owner: Element, slot: str, index: int) -> int:
        """Link the words of a text; give the index behind the last link in the element."""
        while True:
            text = getattr(owner, slot) or ""
            found = [(match, term) for term in unused if (match := term.pattern.search(text))]
            if not found:
                return index
            match, term = min(found, key=lambda pair: (pair[0].start(), -pair[0].end()))
            unused[:] = [other for other in unused if other.anchor != term.anchor]
            href, tip = f"{context.to_root}{PAGE}#{term.anchor}", f"{term.name}: {term.definition}"
            word = Element("a", {"class": "term", "href": href, "title": tip})
            word.text, word.tail = match[0], text[match.end() :]
            setattr(owner, slot, text[: match.start()])
            element.insert(index, word)
            owner, slot, index = word, "tail", index + 1

    children = [*element]
    index = link(element, "text", 0)
    for child in children:
        if isinstance(child.tag, str):  # a comment's is a function
            mark(child, unused, context)
        index = link(child, "tail", index + 1)


# It has no token.
EMBEDS = [Embed("glossary", r"(?!)", lambda *_: "", at_end=at_end, mark_tree=mark_tree)]
