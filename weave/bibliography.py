"""The bibliography: docs/references.bib, read and formatted by pybtex, and how a page cites it.

`[@vaswani2017]` on a page names the work and links to its entry in docs/references.md, which
`::: references` lists; the entry links back.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pybtex.database import BibliographyData, parse_file
from pybtex.exceptions import PybtexError
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from weave.errors import WeaveError

PAGE = "references.md"


class Work(NamedTuple):
    """An entry of the bibliography.

    Attributes:
        label: how a page names it, such as `Madan and Seneta 1990`.
        text: the whole reference, in Markdown.
    """

    label: str
    text: str


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


def cite(places: Mapping[str, str], known: Mapping[str, Work], to_root: str) -> str:
    """Name works in brackets, each with a link to its entry.

    Args:
        places: by key the link's id, as `#mark-vaswani2017`, or nothing.
        known: the bibliography.
        to_root: the way from the page up to docs/.
    """
    named = [
        f"[{known[key].label}]({to_root}{PAGE}#{key}){{ {place} .work }}"
        for key, place in places.items()
    ]
    return f"({'; '.join(named)})"


def listing(known: Mapping[str, Work], back: Mapping[str, str]) -> str:
    """Give the bibliography as a list, in Markdown.

    Args:
        known: the bibliography.
        back: by key the links to the places that cite a work.
    """
    lines = ['<ul class="references" markdown>']
    for key, work in known.items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{work.text}\n')
        lines.append(f"{back[key]}\n\n</li>")
    return "\n".join(["", *lines, "</ul>", ""])
