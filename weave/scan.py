"""What each file says to the rest of the site: its signs, and the entries that it refers to."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weave.errors import WeaveError
from weave.mentions import ELSEWHERE, Mention
from weave.project import Project, looks_up
from weave.run import notebook
from weave.tokens import IN_FORMULA, tokens

HEADING = re.compile(r"^#+[ ]+(?P<heading>.+?)(?:[ ]+\{[^}]*\})?[ ]*$", re.MULTILINE)
TITLE = re.compile(r"\A---\n.*?^title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE | re.DOTALL)
SCANNED = ("docs/**/*.md", "docs/labs/*.ipynb", "docs/*.bib", "snippets/**/*.py")


def mentions_in(text: str, page: str) -> Iterator[Mention]:
    """Yield the references on a page, in order, each with an anchor that no other has."""
    found = list(tokens(text))
    code = [range(*match.span()) for embed, match in found if embed.name == "code"]
    headings = [
        heading
        for heading in HEADING.finditer(text)
        if not any(heading.start() in lines for lines in code)  # a comment in code has a # too
    ]
    named = TITLE.match(text)
    title = named["title"] if named else headings[0]["heading"] if headings else page
    seen: Counter[str] = Counter()
    for embed, match in found:
        for key in embed.keys(match) if embed.keys else []:
            seen[key] += 1
            anchor = f"mark-{key}" if seen[key] == 1 else f"mark-{key}-{seen[key]}"
            above = [heading["heading"] for heading in headings if heading.start() < match.start()]
            in_table = text[: match.start()].rpartition("\n")[2].startswith("|")
            section = [title, *above][-1]
            yield Mention(key, page, title, section, anchor, in_table, match.start())


def signs_in(text: str) -> set[str]:
    """Give the signs that a text needs, with those of its formulas."""
    found = set(text)
    for embed, match in tokens(IN_FORMULA.sub("0", text)):
        found.update(embed.signs(match) if embed.signs else ())
    return found


def text_of(path: Path) -> str:
    """Give the text of a file; of a notebook, that of its cells."""
    if path.suffix != ".ipynb":
        return path.read_text("utf-8", errors="ignore")
    try:
        return "\n\n".join(cell.source for cell in notebook.read(path))
    except WeaveError:
        return ""  # reported where the notebook is run


@looks_up("scan")
def scan(project: Project, name: str) -> list[list[Any]]:
    """Give the signs of a file below the root, and the mentions on it, if it is a page."""

    def make() -> list[list[Any]]:
        text = text_of(project.root / name)
        mentions = mentions_in(text, name.removeprefix("docs/")) if name.endswith(".md") else []
        return [sorted(signs_in(text)), list(mentions)]

    sources = [f"file {name}", "machinery pages"]
    kept: list[list[Any]] = project.keep("scan", name, sources, make)
    return kept


@looks_up("scanned")
def scanned(project: Project, _: str) -> list[str]:
    """Name the files of the site, in the order of their names."""
    files = [file for pattern in SCANNED for file in project.root.glob(pattern)]
    return sorted(file.relative_to(project.root).as_posix() for file in files)


@looks_up("signs")
def signs(project: Project, _: str) -> str:
    """Give all signs that the site needs."""
    scans = [project.look_up("scan", name) for name in project.look_up("scanned")]
    return "".join(sorted({sign for signs, _ in scans for sign in signs}))


@looks_up("every-mention")
def every_mention(project: Project, _: str) -> dict[str, list[Mention]]:
    """Find every place that refers to an entry, in the order of pages and lines, by key."""
    scans = [project.look_up("scan", name) for name in project.look_up("scanned")]
    mentions = [Mention(*each) for _, mentions in scans for each in mentions]
    mentions += [mention for elsewhere in ELSEWHERE for mention in elsewhere(project)]
    found: dict[str, list[Mention]] = {}
    for mention in mentions:
        found.setdefault(mention.key, []).append(mention)
    return found


@looks_up("mentions")
def mentions(project: Project, key: str) -> list[Mention]:
    """Find every place that refers to an entry."""
    found: list[Mention] = project.look_up("every-mention").get(key, [])
    return found
