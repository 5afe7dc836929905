"""What each file says to the rest of the site: its signs, and the entries that it refers to."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from markdown.extensions.toc import slugify

from weave.basics.errors import WeaveError
from weave.embeds.embed import Context, token, tokens
from weave.project import Project, looks_up
from weave.run import notebook

HEADING = re.compile(
    r"^[ ]*#+[ ]+(?P<heading>.+?)(?:[ ]+\{(?:#(?P<id>[\w-]+))?[^}]*\})?[ ]*$", re.MULTILINE
)
TITLE = re.compile(r"\A---\n.*?^title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE | re.DOTALL)
SCANNED = ("docs/**/*.md", "docs/labs/*.ipynb", "docs/*.bib", "snippets/**/*.py")


class Mention(NamedTuple):
    """A place that refers to an entry, a work or a claim, by its key."""

    key: str
    page: str  # its path below docs/
    title: str
    section: str  # the heading above it
    anchor: str
    in_table: bool = False  # in a row of one, and not in the text
    position: int = 0  # of its token, in the page's text


# Mentions that stand in no page's Markdown but in what an embed shows: each kind may enter some.
ELSEWHERE: list[Callable[[Project], Iterable[Mention]]] = []


def mentions_in(text: str, page: str) -> Iterator[Mention]:
    """Yield the references on a page to works, in order, each with an anchor of its own."""
    found = list(tokens(text))
    code = [range(*match.span()) for embed, match in found if embed.name == "code"]
    headings = [
        heading
        for heading in HEADING.finditer(text)
        if not any(heading.start() in lines for lines in code)  # a comment in code has a # too
    ]
    title = title_of(text, page)
    seen: Counter[str] = Counter()
    for embed, match in found:
        for key in embed.keys(match):
            seen[key] += 1
            anchor = f"mark-{key}" if seen[key] == 1 else f"mark-{key}-{seen[key]}"
            above = [heading["heading"] for heading in headings if heading.start() < match.start()]
            section = [title, *above][-1]
            yield Mention(key, page, title, section, anchor, in_table(match), match.start())


def in_table(match: re.Match[str]) -> bool:
    """Tell whether a token stands in a table's row."""
    return match.string[: match.start()].rpartition("\n")[2].lstrip().startswith("|")


def title_of(text: str, page: str) -> str:
    """Give a page's title: its front matter's, or its first heading, or else its name."""
    found = TITLE.match(text)
    if found:
        return found["title"]
    heading = HEADING.search(text)
    return heading["heading"] if heading else page


def signs_in(text: str) -> set[str]:
    """Give the signs that a text needs, with those of its formulas."""
    plain = token(in_formula=True).sub("0", text)
    return {*text}.union(*(embed.signs(match) for embed, match in tokens(plain)))


def scan(root: Path, name: str) -> list[Any]:
    """Give the signs of a file below the root, and the mentions on it, if it is a page."""
    text, path = "", root / name
    if path.suffix != ".ipynb":
        text = path.read_text("utf-8", errors="ignore")
    else:
        with suppress(WeaveError):  # reported where the notebook is run
            text = "\n\n".join(cell.source for cell in notebook.read(path))
    mentions = mentions_in(text, name.removeprefix("docs/")) if name.endswith(".md") else []
    return ["".join(sorted(signs_in(text))), list(mentions)]


@looks_up("scans")
def scans(project: Project, _: str) -> list[list[Any]]:
    """Scan the files of the site, in the order of their names."""
    files = [file for pattern in SCANNED for file in project.root.glob(pattern)]
    names = sorted(f.relative_to(project.root).as_posix() for f in files if f.is_file())
    return [project.keep("scan", f"file {n}", partial(scan, project.root, n)) for n in names]


@looks_up("signs")
def signs(project: Project, _: str) -> str:
    """Give all signs that the site needs."""
    return "".join(sorted({sign for signs, _ in project.look_up("scans") for sign in signs}))


@looks_up("mentions", entry="mentioned")
def mentions(project: Project, _: str) -> dict[str, list[Mention]]:
    """Find every place that refers to an entry, in the order of pages and lines, by key."""
    on_pages = [Mention(*each) for _, found in project.look_up("scans") for each in found]
    found: dict[str, list[Mention]] = {}
    for mention in [*on_pages, *(m for elsewhere in ELSEWHERE for m in elsewhere(project))]:
        found.setdefault(mention.key, []).append(mention)
    return found


@looks_up("section")
def section(project: Project, place: str) -> list[str]:
    """Give the title of a page and a heading on it; without one, the title again."""
    page, _, anchor = place.partition("#")
    path = project.root / "docs" / page
    if not path.is_file():
        return []
    text = path.read_text("utf-8", errors="replace")
    headings = {
        found["id"] or slugify(found["heading"], "-"): found["heading"]
        for found in HEADING.finditer(text)
    }
    title = title_of(text, page)
    return [title, headings.get(anchor, title)]


def links_back(context: Context, key: str, words: str) -> str:
    """Link to the places that refer to an entry, one link for each section, after some words.

    The pages are named as well, because sections of several pages may share a name. Where a page's
    text refers to the entry, its tables are left out.
    """
    places: list[Mention] = context.look_up("mentioned", key) or []
    in_text = {mention.page for mention in places if not mention.in_table}
    pages: dict[str, dict[str, str]] = {}
    for mention in places:
        if mention.in_table and mention.page in in_text:
            continue
        link = f"[{mention.section}]({context.to_root}{mention.page}#{mention.anchor})"
        pages.setdefault(mention.title, {}).setdefault(mention.section, link)
    named = [f"*{title}*: {', '.join(links.values())}" for title, links in pages.items()]
    return context.part(f"{words} {'; '.join(named)}\n{{ .back }}") if named else ""
