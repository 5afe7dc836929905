"""The bibliography: docs/references.bib, read and formatted by pybtex, and how a page cites it.

`[@vaswani2017]` on a page names the work and links to its entry in docs/references.md, which
`::: references` lists; the entry links back.
"""

import re
from pathlib import Path
from re import Match
from typing import Any, NamedTuple

from weave.basics.errors import WeaveError, did_you_mean
from weave.embeds.crossrefs import links_back
from weave.embeds.embed import Context, Embed, block, keys
from weave.project import Project, looks_up

PAGE = "references.md"
FILE = "docs/references.bib"
KEY = r"\w+"  # a work's: a claim's ends in a number after a hyphen (see `claims`)


class Work(NamedTuple):
    """An entry: how a page names it, and the whole reference, in Markdown."""

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


def listing(match: Match[str], context: Context) -> str:
    """Give the bibliography as a list, each work with links to where it is cited."""
    lines = ['<ul class="references" markdown>']
    for key, work in context.look_up("works").items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{work.text}\n')
        lines.append(f"{links_back(context, key, 'Cited in')}\n\n</li>")
    return "\n".join(["", *lines, "</ul>", ""])


@looks_up("works", entry="work")
def works(project: Project, _: str) -> dict[str, Work]:
    """Give the bibliography by key, in alphabetical order."""
    made = project.keep("works", f"file {FILE}", lambda: read(project.root / FILE))
    return {key: Work(*work) for key, work in made.items()}


def read(file: Path) -> dict[str, Work]:
    """Read and format the bibliography, if there is one; a WeaveError says if it is no BibTeX."""
    if not file.is_file():
        return {}
    # A third of a second to import, and needed only when the file has changed.
    from pybtex.database import parse_file
    from pybtex.exceptions import PybtexError
    from pybtex.plugin import find_plugin

    try:
        entries = parse_file(str(file), "bibtex").entries
        style = find_plugin("pybtex.style.formatting", "plain")(abbreviate_names=True)
        markdown = find_plugin("pybtex.backends", "markdown")()
        formatted = list(style.format_entries(entries.values()))
    except PybtexError as error:
        raise WeaveError(f"{FILE}: {error}") from None
    for key in entries:
        if not re.fullmatch(KEY, key):
            raise WeaveError(f"{FILE}: rename '{key}': letters, digits and _ alone make a key")
    found = {e.key: Work(label(entries[e.key]), e.text.render(markdown)) for e in formatted}
    return dict(sorted(found.items(), key=lambda item: item[1].label.casefold()))


def label(entry: Any) -> str:
    """Name a work by its authors and year, as far as there are any, or by BibTeX's field `key`."""
    # A group has no first name: its whole name is the last. `rich` leaves out BibTeX's braces.
    names = [
        " ".join(map(str, person.rich_prelast_names + person.rich_last_names))
        for person in entry.persons.get("author", [])
    ]
    if len(names) > 2 or "others" in names:
        names = [f"{names[0]} et al."]
    who = " and ".join(names) or entry.fields.get("key", entry.key)
    return f"{who} {entry.fields.get('year', '')}".strip()


MISSPELT = (r"\[@", "a reference is written [@key], or [@key; key] for several")
EMBEDS = [
    Embed("citation", rf"\[@{KEY}(?:;\s*@?{KEY})*\]", cite, keys=keys, misspelt=MISSPELT),
    block("bibliography", r"references", listing),
]
