"""The bibliography: docs/references.bib, read and formatted by pybtex, and how a page cites it.

`[@vaswani2017]` on a page names the work and links to its entry in docs/references.md, which
`::: references` lists; the entry links back.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from weave.basics.errors import PendingError, WeaveError, did_you_mean, read_text
from weave.embeds.embed import Context, Embed, block
from weave.project import Project, looks_up
from weave.text.headings import sections, title_of

PAGE = "references.md"
FILE = "docs/references.bib"
CITATION = re.compile(r"\[@(?P<works>[^\]]+)\]")
KEY = re.compile(r"\w+")  # a work's


def weave_citation(match: re.Match[str], context: Context) -> str:
    """Name works in brackets, each with a link to its entry."""
    links = []
    for key in KEY.findall(match[0]):
        work = context.look_up("work", key)
        if work is None:
            hint = did_you_mean(key, context.look_up("works"))
            raise WeaveError(f"no work in {FILE} is '{key}'{hint}")
        name, _ = work
        links.append(f"[{name}]({context.to_root}{PAGE}#{key}){{ .work }}")
    return f"({'; '.join(links)})"


def weave_bibliography(match: re.Match[str], context: Context) -> str:
    """Give the bibliography as a list, each work with links to the sections that cite it."""
    lines = ["", '<ul class="references" markdown>']
    for key, (_, reference) in context.look_up("works").items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{reference}\n')
        pages = []
        for title, places in (context.look_up("citing", key) or {}).items():
            links = ", ".join(f"[{heading}]({place})" for heading, place in places.items())
            pages.append(f"*{title}*: {links}")
        if pages:
            lines.append(context.weave_part(f"Cited in {'; '.join(pages)}\n{{ .back }}\n"))
        lines.append("</li>")
    return "\n".join([*lines, "</ul>", ""])


@looks_up("works", entry="work")
def works(project: Project, _: str) -> dict[str, list[str]]:
    """Give how pages name a work, and the whole reference, by key, in alphabetical order."""
    made = project.keep("works", f"file {FILE}", lambda: read_bibliography(project.root / FILE))
    return dict(made)


def read_bibliography(file: Path) -> dict[str, list[str]]:
    """Read and format the bibliography, if there is one; a WeaveError says if it is no BibTeX."""
    if not file.is_file():
        return {}
    # A third of a second to import, and needed only when the file has changed.
    from pybtex.database import parse_string
    from pybtex.exceptions import PybtexError
    from pybtex.plugin import find_plugin

    try:
        entries = parse_string(read_text(file, FILE), "bibtex").entries
        style = find_plugin("pybtex.style.formatting", "plain")(abbreviate_names=True)
        references = list(style.format_entries(entries.values()))
    except PybtexError as error:
        raise WeaveError(f"{FILE}: {error}") from None
    markdown = find_plugin("pybtex.backends", "markdown")()
    found = {}
    for reference in references:
        name = label(entries[reference.key])
        found[reference.key] = [name, reference.text.render(markdown)]
    return dict(sorted(found.items(), key=lambda work: work[1][0].casefold()))


def label(entry: Any) -> str:
    """Name a work by its authors and year, as far as there are any, or by BibTeX's field `key`."""
    # A group has no first name: its whole name is the last. `rich` leaves out BibTeX's braces.
    names = []
    for person in entry.persons.get("author", []):
        parts = person.rich_prelast_names + person.rich_last_names
        names.append(" ".join(str(part) for part in parts))
    if len(names) > 2 or "others" in names:
        names = [f"{names[0]} et al."]
    who = " and ".join(names)
    if not who:
        who = entry.fields.get("key", entry.key)
    year = entry.fields.get("year", "")
    return f"{who} {year}".strip()


@looks_up("citations", entry="citing")
def citations(project: Project, _: str) -> dict[str, dict[str, dict[str, str]]]:
    """Give by work, and by the title of a page, the sections that cite it, with their addresses."""
    citing: dict[str, dict[str, dict[str, str]]] = {}

    def note(works: str, title: str, section: str, place: str) -> None:
        for work in KEY.findall(works):
            citing.setdefault(work, {}).setdefault(title, {})[section] = place

    for file in sorted(project.root.glob("docs/[!.]*.md")):
        text = file.read_text("utf-8-sig", errors="replace")
        title = title_of(text, file.name)
        for heading, below in sections(text):
            section = heading.words if heading else title
            anchor = f"#{heading.id}" if heading and heading.id else ""
            for citation in CITATION.finditer(below):
                note(citation["works"], title, section, file.name + anchor)
    with suppress(PendingError):  # the list is made again when they are there
        for number, claim in project.look_up("claims").items():
            note(" ".join(claim["cites"]), "Claims", number, f"claims.md#{number}")
    return citing


MISSPELT = (r"\[@", "a reference is written [@key], with letters and digits, or [@key; key]")
# A footnote takes a reader to the page's end and back; a fold stands where it is wanted.
FOOTNOTE = (
    r"\[\^[^\]\s]+\]",
    'there are no footnotes: write the aside into a fold, ??? depth "what one gets", and a '
    "reference as [@key]",
)
EMBEDS = [
    Embed("citation", r"\[@\w+(?:;\s*@?\w+)*\]", weave_citation, misspelt=MISSPELT),
    Embed("footnote", misspelt=FOOTNOTE),
    block("bibliography", r"references", weave_bibliography),
]
