"""The bibliography: docs/references.bib, read and formatted by pybtex, and how a page cites it.

`[@vaswani2017]` on a page names the work and links to its entry in docs/references.md, which
`::: references` lists; the entry links back.
"""

import re
from re import Match
from typing import Any, NamedTuple

from weave.embed import Context, Embed
from weave.errors import WeaveError, did_you_mean
from weave.mentions import links_back
from weave.project import Project, looks_up

PAGE = "references.md"
FILE = "docs/references.bib"
KEY = re.compile(r"\w+")


class Work(NamedTuple):
    """An entry of the bibliography.

    Attributes:
        label: how a page names it, such as `Madan and Seneta 1990`.
        text: the whole reference, in Markdown.
    """

    label: str
    text: str


def cite(match: Match[str], context: Context) -> str:
    """Name works in brackets, each with a link to its entry."""
    named = []
    for key in keys(match):
        work = context.look_up("work", key)
        if work is None:
            hint = did_you_mean(key, context.look_up("works"))
            raise WeaveError(f"no work in {FILE} is '{key}'{hint}")
        anchor = context.anchor(match, key)
        named.append(f"[{work.label}]({context.to_root}{PAGE}#{key}){{ {anchor} .work }}")
    return f"({'; '.join(named)})"


def keys(match: Match[str]) -> list[str]:
    """Name the works that are cited."""
    return KEY.findall(match["works"])


def listing(match: Match[str], context: Context) -> str:
    """Give the bibliography as a list, each work with links to where it is cited."""
    lines = ['<ul class="references" markdown>']
    for key, work in context.look_up("works").items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{work.text}\n')
        lines.append(f"{links_back(context, key, 'Cited in')}\n\n</li>")
    return "\n".join(["", *lines, "</ul>", ""])


@looks_up("works")
def works(project: Project, _: str) -> dict[str, Work]:
    """Give the bibliography by key, in alphabetical order.

    Raises:
        WeaveError: the file is no BibTeX.
    """
    if not (project.root / FILE).is_file():
        return {}
    made = project.keep(
        "works", FILE, [f"file {FILE}", "machinery pages"], lambda: read(str(project.root / FILE))
    )
    return {key: Work(*work) for key, work in made.items()}


@looks_up("work")
def work(project: Project, key: str) -> Work | None:
    """Give an entry of the bibliography."""
    found: Work | None = project.look_up("works", "").get(key)
    return found


def read(file: str) -> dict[str, Work]:
    """Read and format the bibliography.

    Raises:
        WeaveError: the file is no BibTeX.
    """
    # A third of a second to import, and needed only when the file has changed.
    from pybtex.database import parse_file
    from pybtex.exceptions import PybtexError
    from pybtex.plugin import find_plugin

    try:
        entries = parse_file(file, "bibtex")
        style = find_plugin("pybtex.style.formatting", "plain")(abbreviate_names=True)
        markdown = find_plugin("pybtex.backends", "markdown")()
        formatted = list(style.format_bibliography(entries))
    except PybtexError as error:
        raise WeaveError(f"{FILE}: {error}") from None
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
    from pybtex.richtext import Text

    return str(Text.from_latex(" ".join(person.prelast_names + person.last_names)))


MISSPELT = (r"\[@", "a reference is written [@key], or [@key; key] for several")
EMBEDS = [
    # A claim's key ends in a number after a hyphen (see `claims`); a work's has no hyphen.
    Embed("citation", r"\[@(?P<works>\w+(?:;\s*@?\w+)*)\]", cite, keys=keys, misspelt=MISSPELT),
    Embed("bibliography", r"^[ \t]*:::[ ]+references[ \t]*$", listing),
]
