"""The bibliography: docs/references.bib, read and formatted by pybtex, and how a page cites it.

`[@vaswani2017]` on a page names the work and links to its entry in docs/references.md, which
`::: references` lists; the entry links back.
"""

import re
from pathlib import Path
from typing import Any

from weave.basics.errors import WeaveError, did_you_mean, read_text
from weave.embeds.embed import Context, Embed, block
from weave.project import Project, looks_up
from weave.text.headings import HEADING, id_of, title_of
from weave.text.sentences import NO_TEXT

PAGE = "references.md"
FILE = "docs/references.bib"
HEADING_OR_CITATION = re.compile(rf"{HEADING.pattern}|\[@(?P<works>[^\]]+)\]", re.MULTILINE)
KEY = re.compile(r"\w+")  # a work's


def cite(match: re.Match[str], context: Context) -> str:
    """Name works in brackets, each with a link to its entry."""
    named = []
    for key in KEY.findall(match[0]):
        work = context.look_up("work", key)
        if work is None:
            hint = did_you_mean(key, context.look_up("works"))
            raise WeaveError(f"no work in {FILE} is '{key}'{hint}")
        named.append(f"[{work[0]}]({context.to_root}{PAGE}#{key}){{ .work }}")
    return f"({'; '.join(named)})"


def listing(match: re.Match[str], context: Context) -> str:
    """Give the bibliography as a list, each work with links to the sections that cite it."""
    lines = ['<ul class="references" markdown>']
    for key, (_, text) in context.look_up("works").items():
        lines.append(f'<li id="{key}" markdown="block">\n\n{text}\n')
        named = []
        for title, sections in (context.look_up("citing", key) or {}).items():
            links = [f"[{heading}]({place})" for heading, place in sections.items()]
            named.append(f"*{title}*: {', '.join(links)}")
        if named:
            lines.append(context.weave_part(f"Cited in {'; '.join(named)}\n{{ .back }}\n"))
        lines.append("</li>")
    return "\n".join(["", *lines, "</ul>", ""])


@looks_up("works", entry="work")
def works(project: Project, _: str) -> dict[str, list[str]]:
    """Give how pages name a work, and the whole reference, by key, in alphabetical order."""
    return dict(project.keep("works", f"file {FILE}", lambda: read(project.root / FILE)))


def read(file: Path) -> dict[str, list[str]]:
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
        markdown = find_plugin("pybtex.backends", "markdown")()
        formatted = list(style.format_entries(entries.values()))
    except PybtexError as error:
        raise WeaveError(f"{FILE}: {error}") from None
    found = {e.key: [label(entries[e.key]), e.text.render(markdown)] for e in formatted}
    return dict(sorted(found.items(), key=lambda item: item[1][0].casefold()))


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


@looks_up("citations", entry="citing")
def citations(project: Project, _: str) -> dict[str, dict[str, dict[str, str]]]:
    """Give by work, and by the title of a page, the sections that cite it, with their addresses."""
    citing: dict[str, dict[str, dict[str, str]]] = {}
    for file in sorted(project.root.glob("docs/[!.]*.md")):
        text = file.read_text("utf-8-sig", errors="replace")
        title = section = title_of(text, file.name)
        place = file.name
        for found in HEADING_OR_CITATION.finditer(NO_TEXT.sub("", text)):
            for work in KEY.findall(found["works"] or ""):
                citing.setdefault(work, {}).setdefault(title, {})[section] = place
            if found["heading"]:
                section, place = found["heading"], f"{file.name}#{id_of(found)}".rstrip("#")
    for key, row in project.look_up("claims").items():
        for work in KEY.findall(" ".join(row["cites"])):
            citing.setdefault(work, {}).setdefault("Claims", {})[key] = f"claims.md#{key}"
    return citing


MISSPELT = (r"\[@", "a reference is written [@key], with letters and digits, or [@key; key]")
EMBEDS = [
    Embed("citation", r"\[@\w+(?:;\s*@?\w+)*\]", cite, misspelt=MISSPELT),
    block("bibliography", r"references", listing),
]
