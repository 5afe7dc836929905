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
from functools import cached_property, lru_cache
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
    def begins(self) -> str:
        """What a text in lower case has in it if it has the word: far faster to look for."""
        return self.name.split()[0].lower().removesuffix("y")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Match the word in a text: with a capital or without, in the singular or the plural."""
        first = f"[{self.name[0].lower()}{self.name[0].upper()}]"
        rest = re.escape(self.name[1:]).replace(r"\ ", r"\s+")
        if re.search("[^aeiou]y$", rest):  # query, queries; but key, keys
            rest = rest.removesuffix("y") + "(?:y|ies)"
        else:
            rest += "(?:s|es)?"
        return re.compile(rf"(?<![\w-]){first}{rest}(?![\w-])")

    def first_in(self, text: str, lower: str) -> re.Match[str] | None:
        """Find the word in a text, which is given in lower case, too."""
        return self.pattern.search(text) if self.begins in lower else None


def terms_with_lines(project: Project) -> Iterator[tuple[int, Term]]:
    """Yield the words that the glossary defines, each with its line there."""
    file = project.root / "docs" / PAGE
    text = file.read_text("utf-8-sig", errors="replace") if file.is_file() else ""
    for entry in ENTRY.finditer(text):
        definition = " ".join(entry["definition"].split())
        names = [name.strip() for name in entry["names"].splitlines()]
        first_line = text.count("\n", 0, entry.start()) + 1
        for line, name in enumerate(names, start=first_line):
            yield line, Term(name, definition, entry_id(names[0]))


@looks_up("terms", entry="term")
def terms(project: Project, _: str) -> dict[str, Term]:
    """Give each word of the glossary by its name in lower case."""
    found: dict[str, Term] = {}
    for _line, term in terms_with_lines(project):
        found.setdefault(term.name.lower(), term)  # of a word that is defined twice, the first
    return found


@looks_up("words")
def words_in(project: Project, text: str) -> list[str]:
    """Name the words of the glossary that stand in a text, as `terms` has them.

    A page asks this of all its text, and `term` of what it has: so it is made again when its own
    words change, or a new one is a word of its text, and not for any other.
    """
    return names_in(text, tuple(project.look_up("terms").values()))


@lru_cache(2**10)  # most pages stay as they are from one build to the next, and so do the words
def names_in(text: str, terms: tuple[Term, ...]) -> list[str]:
    """Name those of some words that stand in a text, in lower case."""
    lower = text.lower()
    return [term.name.lower() for term in terms if term.first_in(text, lower)]


def entry_id(name: str) -> str:
    """Name the place of an entry on the glossary's page."""
    return re.sub(r"[^\w]+", "-", name.lower())


def report_words_defined_twice(context: Context) -> str:
    """Say on the glossary's own page which words it defines twice."""
    if context.source != PAGE:
        return ""
    shown = ""
    seen = set()
    for line, term in terms_with_lines(context.project):
        name = term.name.lower()
        if name in seen:
            twice = WeaveError(f"'{term.name}' is defined twice")
            shown += "\n\n" + context.report(twice, f"docs/{PAGE}:{line}")
        seen.add(name)
    return shown


def link_or_name_words(root: Element, context: Context) -> None:
    """Link a page's first use of each word; give the glossary's own page its anchors."""
    if context.source == PAGE:
        name_entries(root)
    else:
        words = context.look_up("words", "\n".join(texts_to_link(root)))
        link_words(root, [context.look_up("term", word) for word in words], context)


def name_entries(root: Element) -> None:
    """Give each entry of a definition list an id, after the first of its names."""
    for entries in root.iter("dl"):
        before = "dl"
        for part in entries:
            if part.tag == "dt" and before != "dt":
                part.set("id", entry_id("".join(part.itertext())))
            before = part.tag


def is_left_alone(element: Element) -> bool:
    """Tell whether no word in an element is linked."""
    classes = (element.get("class") or "").split()
    return element.tag in PLAIN or not PLAIN_CLASSES.isdisjoint(classes)


def texts_to_link(element: Element) -> Iterator[str]:
    """Yield the texts in which `link_words` looks for words."""
    if is_left_alone(element):
        return
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from texts_to_link(child)
        yield child.tail or ""


def link_words(element: Element, unused: list[Term], context: Context) -> None:
    """Link words in an element, and in what it holds, in the order of reading.

    Args:
        element: of the page's tree; it is changed in place.
        unused: the words that the page has not used so far; what is linked is taken out.
        context: the page.
    """
    if is_left_alone(element):
        return
    children = list(element)
    element.text, links = linked(element.text or "", unused, context)
    element[:0] = links
    for child in children:
        if isinstance(child.tag, str):  # a comment's is a function
            link_words(child, unused, context)
        child.tail, links = linked(child.tail or "", unused, context)
        behind = list(element).index(child) + 1
        element[behind:behind] = links


def linked(text: str, unused: list[Term], context: Context) -> tuple[str, list[Element]]:
    """Take a text apart at the words in it that are not used yet.

    All names of an entry are one word. Of two that begin at the same place, the longer is meant.

    Returns:
        What stands before the first word, and a link for each, which has what follows as its tail.
    """
    links: list[Element] = []
    before = text
    while found := first_word(text, unused):
        match, term = found
        unused[:] = [other for other in unused if other.anchor != term.anchor]
        link = Element("a")
        link.set("class", "term")
        link.set("href", f"{context.to_root}{PAGE}#{term.anchor}")
        link.set("title", f"{term.name}: {term.definition}")
        link.text = match[0]
        if links:
            links[-1].tail = text[: match.start()]
        else:
            before = text[: match.start()]
        text = text[match.end() :]
        link.tail = text
        links.append(link)
    return before, links


def first_word(text: str, unused: list[Term]) -> tuple[re.Match[str], Term] | None:
    """Find the first of some words in a text; of two at one place, the longer."""
    lower = text.lower()
    found = []
    for term in unused:
        if match := term.first_in(text, lower):
            found.append((match, term))
    return min(found, key=lambda word: (word[0].start(), -word[0].end()), default=None)


# It has no token.
EMBEDS = [
    Embed("glossary", at_end=report_words_defined_twice, mark_tree=link_or_name_words),
]
