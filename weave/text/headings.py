"""Pages as sections: their titles, and their headings with the ids that these have."""

import re

from markdown.extensions.toc import slugify

from weave.basics.errors import WeaveError
from weave.project import Project, looks_up

HEADING = re.compile(
    r"^[ ]*#+[ ]+(?P<heading>.+?)(?:[ ]+\{(?:#(?P<id>[\w-]+))?[^}]*\})?[ ]*$", re.MULTILINE
)
TITLE = re.compile(r"\A---\n(?:(?!---).*\n)*?title:[ ]*(?P<title>.+?)[ ]*$", re.MULTILINE)


def title_of(text: str, page: str) -> str:
    """Give a page's title: its front matter's, or its first heading, or else its name."""
    if found := TITLE.match(text):
        return found["title"].strip("\"'")
    heading = HEADING.search(text)
    return heading["heading"] if heading else page


def id_of(heading: re.Match[str]) -> str:
    """Give a heading's id, where it is written or can be told from the words."""
    return heading["id"] or ("" if "$" in heading["heading"] else slugify(heading["heading"], "-"))


@looks_up("section")
def section(project: Project, place: str) -> list[str]:
    """Give the title of a page and a heading on it; without one, the title again."""
    page, _, anchor = place.partition("#")
    path = project.root / "docs" / page
    if not path.is_file():
        raise WeaveError(f"no page is '{place}', to which a claim or a lab belongs")
    text = path.read_text("utf-8-sig", errors="replace")
    title = title_of(text, page)
    headings = {id_of(found): found["heading"] for found in HEADING.finditer(text)} | {"": title}
    return [title, headings.get(anchor, title)]
