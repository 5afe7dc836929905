"""What a page may refer to by `[@key]`: a work in the bibliography, or a claim of a source.

The works stand in docs/references.bib, the claims in snippets/claims/. Each is listed on a page of
its own (`::: references` in docs/references.md, `::: claims …` in docs/claims.md), and each entry
there links back to wherever it is referred to.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pybtex.database import BibliographyData, parse_file
from pybtex.exceptions import PybtexError
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from weave.errors import WeaveError
from weave.site import Place
from weave.tokens import KEY, MARKS, TOKEN

HEADING = re.compile(r"^#+[ ]+(?P<heading>.+?)(?:[ ]+\{[^}]*\})?[ ]*$", re.MULTILINE)
TITLE = re.compile(r"\A---\n.*?^title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE | re.DOTALL)
ENTERED = re.compile(r"^@\w+(?:\.\w+)?\(\s*\"(?P<key>[\w-]+)\"", re.MULTILINE)


class Work(NamedTuple):
    """An entry of the bibliography.

    Attributes:
        label: how a page names it, such as `Madan and Seneta 1990`.
        text: the whole reference, in Markdown.
    """

    label: str
    text: str


class Mention(NamedTuple):
    """A place that refers to an entry.

    Attributes:
        page: its path below docs/.
        title: the page's title.
        section: the heading above it.
        anchor: where on the page.
    """

    page: str
    title: str
    section: str
    anchor: str


def works(root: Path) -> dict[str, Work]:
    """Give the bibliography by key, in alphabetical order.

    Raises:
        WeaveError: the file is no BibTeX.
    """
    file = root / "docs" / "references.bib"
    return _works(file, file.stat().st_mtime_ns) if file.is_file() else {}


@lru_cache(maxsize=1)
def _works(file: Path, _: int) -> dict[str, Work]:
    try:
        entries: BibliographyData = parse_file(str(file), "bibtex")
        style = find_plugin("pybtex.style.formatting", "plain")(abbreviate_names=True)
        markdown = find_plugin("pybtex.backends", "markdown")()
        formatted = list(style.format_bibliography(entries))
    except PybtexError as error:
        raise WeaveError(f"docs/references.bib: {error}") from None
    found = {
        entry.key: Work(label(entries.entries[entry.key]), entry.text.render(markdown))
        for entry in formatted
    }
    return dict(sorted(found.items(), key=lambda item: item[1].label.casefold()))


def label(entry: Any) -> str:
    """Name a work by its authors and year, as far as there are any, or by BibTeX's field `key`."""
    names = [surname(person) for person in entry.persons.get("author", [])]
    if len(names) > 2 or "others" in names:
        names = [f"{names[0]} et al."]
    who = " and ".join(names) or entry.fields.get("key", entry.key)
    return f"{who} {entry.fields.get('year', '')}".strip()


def surname(person: Any) -> str:
    """Give an author's surname, or a group's whole name, without BibTeX's braces."""
    return str(Text.from_latex(" ".join(person.prelast_names + person.last_names)))


def claims(root: Path) -> dict[str, str]:
    """Give the module under snippets/claims/ that holds each claim, by the claim's number."""
    found = {}
    for file in sorted((root / "snippets" / "claims").glob("*.py")):
        for entry in ENTERED.finditer(file.read_text("utf-8")):
            found[entry["key"]] = f"claims/{file.stem}"
    return found


def mentions(root: Path) -> dict[str, list[Mention]]:
    """Find every place that refers to an entry, in the order of pages and lines, by key."""
    files = sorted([*root.glob("docs/**/*.md"), *root.glob("snippets/claims/*.py")])
    return _mentions(root / "docs", tuple((file, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=1)
def _mentions(docs: Path, files: tuple[tuple[Path, int], ...]) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    for file, _ in files:
        text = file.read_text("utf-8")
        if file.suffix == ".md":
            mentioned = mentions_in_page(text, file.relative_to(docs).as_posix())
        else:
            mentioned = mentions_in_claims(text)
        for key, mention in mentioned:
            found.setdefault(key, []).append(mention)
    return found


def mentions_in_page(text: str, page: str) -> Iterator[tuple[str, Mention]]:
    """Yield the references on a page, with the anchors that the page will give them."""
    title = TITLE.match(text)
    headings = list(HEADING.finditer(text))
    seen: Counter[str] = Counter()
    for token in TOKEN.finditer(text):
        above = [heading["heading"] for heading in headings if heading.start() < token.start()]
        for key in KEY.findall(token["marks"] or ""):
            seen[key] += 1
            name = title["title"] if title else page
            yield key, Mention(page, name, above[-1] if above else name, anchor(key, seen[key]))


def mentions_in_claims(text: str) -> Iterator[tuple[str, Mention]]:
    """Yield the references in what claims.md says of each claim, where the claim is the anchor."""
    entries = [*ENTERED.finditer(text)]
    ends = [*(entry.start() for entry in entries[1:]), len(text)]
    for entry, end in zip(entries, ends, strict=False):
        keys = {
            key
            for token in MARKS.finditer(text, entry.end(), end)
            for key in KEY.findall(token["marks"])
        }
        for key in sorted(keys):
            yield key, Mention("claims.md", "Claims", entry["key"], entry["key"])


def anchor(key: str, time: int) -> str:
    """Name the place of a page's first, second, … reference to an entry."""
    return f"mark-{key}" if time == 1 else f"mark-{key}-{time}"


def listing(root: Path, place: Place) -> str:
    """Give the bibliography as a list, each work with links to where it is cited, in Markdown."""
    cited = mentions(root)
    lines = ['<ul class="references" markdown>']
    for key, work in works(root).items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{work.text}\n')
        lines.append(f"{links_back(cited.get(key, []), place, 'Cited in')}\n\n</li>")
    return "\n".join(["", *lines, "</ul>", ""])


def links_back(places: list[Mention], place: Place, words: str) -> str:
    """Link to the places that refer to an entry, one link for each section, in Markdown."""
    links: dict[tuple[str, str], str] = {}
    for mention in places:
        links.setdefault(
            (mention.page, mention.section),
            f"[{mention.section}]({place.to_root}{mention.page}#{mention.anchor})",
        )
    return f"{words} {', '.join(links.values())}\n{{ .back }}" if links else ""
