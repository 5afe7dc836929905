"""Broken links, which MkDocs finds: in its words, with the line where to mend them."""

import logging
import posixpath
import re

from weave.project import Project

# MkDocs' words for a link that is broken.
BROKEN = re.compile(
    r"Doc file '(?P<page>[^']+)' (?P<what>contains .*?link (?:to )?'(?P<link>[^']+)'.*)"
)


class NameLine(logging.Filter):
    """Says of a broken link on which line of its page it stands last, and where the page is now.

    Args:
        project: whose pages have the links.
    """

    def __init__(self, project: Project) -> None:
        super().__init__()
        self.project = project

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the page and the line before what MkDocs says; let everything pass.

        Args:
            record: what MkDocs says of a page.
        """
        if broken := BROKEN.match(record.getMessage()):
            line = self.line_of(broken["link"], broken["page"])
            place = f"docs/{broken['page']}" + (f":{line}" if line else "")
            mend = self.moved(broken["link"], broken["page"]) or "Mend the link."
            record.msg = f"{place}: {broken['what']} {mend}"
            record.args = ()
        return True

    def moved(self, link: str, page: str) -> str:
        """Say where the page is now to which a link led; nothing if it has not moved."""
        old = posixpath.normpath(posixpath.join(posixpath.dirname(page), link.partition("#")[0]))
        now = self.project.look_up("moved").to.get(old)
        return f"'{old}' is now '{now}': have the link lead there." if now else ""

    def line_of(self, link: str, page: str) -> int:
        """Find a link in a page; 0 if an embed has made it, and it stands in no line."""
        file = self.project.root / "docs" / page
        text = file.read_text("utf-8-sig", errors="replace")
        # Not `other.md#the`, where `other.md#there` stands.
        whole = re.compile(rf"{re.escape(link)}(?![\w#-])")
        found = [match.start() for match in whole.finditer(text)]
        return text.count("\n", 0, found[-1]) + 1 if found else 0


def name_lines(project: Project) -> None:
    """Have MkDocs name the lines of broken links, in this build's pages and no other's."""
    logger = logging.getLogger("mkdocs.structure.pages")
    logger.filters = [each for each in logger.filters if not isinstance(each, NameLine)]
    logger.addFilter(NameLine(project))
