"""Pages as sections: their titles, and their headings with the ids that these have."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown.extensions.toc import slugify

from weave.basics.errors import WeaveError
from weave.project import Project, looks_up
from weave.text.sentences import NO_TEXT

HEADING = re.compile(
    r"^[ ]*#+[ ]+(?P<words>.+?)(?:[ ]+\{(?!=)(?P<attributes>[^}]*)\})?[ ]*$", re.MULTILINE
)
ID = re.compile(r"#([\w-]+)")
TITLE = re.compile(r"\A---\n(?:(?!---).*\n)*?title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE)


class Heading(NamedTuple):
    """A heading of a page."""

    line: int  # counted from 1
    words: str  # in Markdown
    id: str  # as it is written, or made of the words; empty if they hold what is computed or set


def headings(text: str) -> list[Heading]:
    """Give the headings of a page in Markdown, in their order."""
    return [heading for heading, _ in sections(text) if heading]


def sections(text: str) -> Iterator[tuple[Heading | None, str]]:
    """Yield each heading with the text below it; what is above the first has None.

    Code and formulas on lines of their own are left out of the text.
    """
    without_code = NO_TEXT.sub(blanked, text)
    matches = []
    for match in HEADING.finditer(text):
        if "#" in without_code[match.start() : match.start("words")]:  # else a comment in code
            matches.append(match)
    ends = [match.start() for match in matches] + [len(text)]
    yield None, without_code[: ends[0]]
    for match, end in zip(matches, ends[1:], strict=True):
        line = text.count("\n", 0, match.start()) + 1
        id = id_of(match["words"], match["attributes"] or "")
        yield Heading(line, match["words"], id), without_code[match.end() : end]


def blanked(match: re.Match[str]) -> str:
    """Give spaces in place of a text, so that what follows stands where it did."""
    return re.sub(r"[^\n]", " ", match[0])


def id_of(words: str, attributes: str) -> str:
    """Give a heading's id, where it is written or can be told from the words."""
    if written := ID.search(attributes):
        return written[1]
    if "$" in words or "{=" in words:
        return ""
    return slugify(words, "-")


def title_of(text: str, page: str) -> str:
    """Give a page's title: its front matter's, or its first heading, or else its name."""
    if found := TITLE.match(text):
        return found["title"].strip("\"'")
    first = next(iter(headings(text)), None)
    return first.words if first else page


@looks_up("section")
def section(project: Project, place: str) -> list[str]:
    """Give the title of a page and a heading on it; without one, the title again."""
    page, _, anchor = place.partition("#")
    path = project.root / "docs" / page
    if not path.is_file():
        raise WeaveError(f"no page is '{place}', to which a claim or a lab belongs")
    text = path.read_text("utf-8-sig", errors="replace")
    title = title_of(text, page)
    for heading in headings(text):
        if anchor and heading.id == anchor:
            return [title, heading.words]
    return [title, title]
