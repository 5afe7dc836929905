"""Broken links, which MkDocs finds: in its words, with the line where to mend them."""

import logging
import re
from pathlib import Path

# MkDocs' words for a link that is broken.
BROKEN = re.compile(
    r"Doc file '(?P<page>[^']+)' (?P<what>contains .*?link (?:to )?'(?P<link>[^']+)'.*)"
)


class NameLine(logging.Filter):
    """Says of a broken link on which line of its page it stands last.

    Args:
        docs: the folder that holds the pages.
    """

    def __init__(self, docs: Path) -> None:
        super().__init__()
        self.docs = docs

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the page and the line before what MkDocs says; let everything pass.

        Args:
            record: what MkDocs says of a page.
        """
        if broken := BROKEN.match(record.getMessage()):
            line = self.line_of(broken["link"], broken["page"])
            place = f"docs/{broken['page']}" + (f":{line}" if line else "")
            record.msg = f"{place}: {broken['what']} Mend the link."
            record.args = ()
        return True

    def line_of(self, link: str, page: str) -> int:
        """Find a link in a page; 0 if an embed has made it, and it stands in no line."""
        text = (self.docs / page).read_text("utf-8-sig", errors="replace")
        # Not `other.md#the`, where `other.md#there` stands.
        whole = re.compile(rf"{re.escape(link)}(?![\w#-])")
        found = [match.start() for match in whole.finditer(text)]
        return text.count("\n", 0, found[-1]) + 1 if found else 0


def name_lines(docs: Path) -> None:
    """Have MkDocs name the lines of broken links, in this build's pages and no other's."""
    logger = logging.getLogger("mkdocs.structure.pages")
    logger.filters = [each for each in logger.filters if not isinstance(each, NameLine)]
    logger.addFilter(NameLine(docs))
