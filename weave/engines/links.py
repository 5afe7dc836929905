"""Broken links, which MkDocs finds: with the line where to mend them, and a box beside them."""

import logging
import posixpath
import re
from html import escape

from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from weave.basics.errors import did_you_mean
from weave.basics.log import log
from weave.embeds.embed import mistake
from weave.project import Project

# MkDocs' words for a link that is broken.
BROKEN = re.compile(
    r"Doc file '(?P<page>[^']+)' (?P<what>contains .*?link (?:to )?'(?P<link>[^']+)'.*)"
)


class NameLine(logging.Filter):
    """Says of a broken link on which line of its page it stands last, and where the page is now.

    Args:
        project: whose pages have the links.

    Attributes:
        heard: the links of the page at hand that MkDocs has warned of, each with the mistake.
    """

    def __init__(self, project: Project) -> None:
        super().__init__()
        self.project = project
        self.heard: list[tuple[str, str]] = []

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the page and the line before what MkDocs says; let everything pass.

        Args:
            record: what MkDocs says of a page.
        """
        if broken := BROKEN.match(record.getMessage()):
            place = self.place(broken["link"], broken["page"])
            mend = self.moved(broken["link"], broken["page"]) or "Mend the link."
            flaw = f"{broken['what']} {mend}"
            record.msg = f"{place}: {flaw}"
            record.args = ()
            if record.levelno >= logging.WARNING:
                self.heard.append((broken["link"], mistake(place, flaw)))
        return True

    def moved(self, link: str, page: str) -> str:
        """Say where the page is now to which a link led; nothing if it has not moved."""
        old = posixpath.normpath(posixpath.join(posixpath.dirname(page), link.partition("#")[0]))
        now = self.project.look_up("moved").to.get(old)
        return f"'{old}' is now '{now}': have the link lead there." if now else ""

    def show_heard(self, html: str) -> str:
        """Show beside the links of a page what MkDocs has warned of as it was converted."""
        for link, box in self.heard:
            html = with_box(html, link, box)
        self.heard = []
        return html

    def show_lost(self, page: Page, level: int) -> None:
        """Say which links of a page lead to an anchor that is not there, and show it on the page.

        MkDocs would say it without what is near, and only once the pages are written.

        Args:
            page: all pages have been converted.
            level: that of the warning. MkDocs itself says what is less than one.
        """
        if level < logging.WARNING:
            return
        links_to_anchors, page.links_to_anchors = page.links_to_anchors or {}, {}
        for file, links in links_to_anchors.items():
            there = file.page.present_anchor_ids if file.page else None
            for anchor, link in links.items():
                if there is None or anchor in there:
                    continue
                where = self.place(link, page.file.src_uri)
                flaw = f"the link '{link}' leads nowhere: docs/{file.src_uri} has no '#{anchor}'"
                flaw += did_you_mean(anchor, there, "#")
                log.log(level, "%s: %s", where, flaw)
                box = mistake(where, flaw)
                page.content = with_box(page.content or "", address(link, file, page), box)

    def place(self, link: str, page: str) -> str:
        """Name the place of a link: its page, and the line, if it stands in one."""
        line = self.line_of(link, page)
        return f"docs/{page}" + (f":{line}" if line else "")

    def line_of(self, link: str, page: str) -> int:
        """Find a link in a page; 0 if an embed has made it, and it stands in no line."""
        file = self.project.root / "docs" / page
        text = file.read_text("utf-8-sig", errors="replace")
        # Not `other.md#the`, where `other.md#there` stands.
        whole = re.compile(rf"{re.escape(link)}(?![\w#-])")
        found = [match.start() for match in whole.finditer(text)]
        return text.count("\n", 0, found[-1]) + 1 if found else 0


def address(link: str, file: File, page: Page) -> str:
    """Give the address that MkDocs has made of a link to an anchor of a file."""
    path, _, anchor = link.partition("#")
    return f"{get_relative_url(file.url, page.file.url) if path else ''}#{anchor}"


def with_box(html: str, link: str, box: str) -> str:
    """Put what shows a mistake behind the last link, or picture, that leads to an address."""
    leads_there = rf"<a\b[^>]*\bhref=\"{re.escape(escape(link))}\".*?</a>"
    shows_it = rf"<img\b[^>]*\bsrc=\"{re.escape(escape(link))}\"[^>]*>"
    found = [*re.finditer(f"{leads_there}|{shows_it}", html, re.DOTALL)]
    if not found:  # an embed has made it
        return f"{html}\n<p>{box}</p>"
    return f"{html[: found[-1].end()]} {box}{html[found[-1].end() :]}"


def name_lines(project: Project) -> NameLine:
    """Have MkDocs name the lines of broken links, in this build's pages and no other's."""
    logger = logging.getLogger("mkdocs.structure.pages")
    logger.filters = [each for each in logger.filters if not isinstance(each, NameLine)]
    names_lines = NameLine(project)
    logger.addFilter(names_lines)
    return names_lines
