"""What is wrong with a page that no embed can see: said with its line, and shown while serving."""

import logging
import re
from pathlib import Path

from mkdocs.structure.files import File, Files
from mkdocs.utils import CountHandler
from mkdocs.utils.meta import get_data

from weave.embeds.embed import log, mistake

LINK = re.compile(
    r"Doc file '(?P<page>[^']+)' (?P<what>contains .*?link (?:to )?'(?P<link>[^']+)'.*)"
)


class Faults(logging.Filter):
    """The faults of a build, by page. As a filter it gives MkDocs's words about links a line."""

    def __init__(self, docs: Path) -> None:
        super().__init__()
        self.docs = docs
        self.shown: dict[str, list[str]] = {}
        for logger in (log, logging.getLogger("mkdocs.structure.pages")):
            for old in [each for each in logger.filters if isinstance(each, Faults)]:
                logger.removeFilter(old)
            logger.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Say of a broken link where it stands."""
        if found := LINK.match(record.getMessage()):
            message = f"{found['what']} Mend the link."
            record.msg, record.args = self.note(found["page"], message, found["link"]), ()
        return True

    def note(self, page: str, message: str, words: str) -> str:
        """Note a fault to be shown, and give it with the line where some words stand last."""
        text = self.text(page)
        # Whole words; a link that an embed has made stands in no line.
        at = [m.start() for m in re.finditer(rf"{re.escape(words)}(?!(?<=\w)[\w-])", text)]
        where = f"docs/{page}" + (f":{text.count(chr(10), 0, at[-1]) + 1}" if at else "")
        self.shown.setdefault(page, []).append(mistake(where, message))
        return f"{where}: {message}"

    def text(self, page: str) -> str:
        """Give what a page's file says."""
        return (self.docs / page).read_text("utf-8-sig", errors="replace")

    def read(self, file: File) -> str:
        """Give a page's Markdown, as far as it can be read."""
        try:
            text = file.content_string
        except UnicodeDecodeError as error:
            said = f"{error}; save the page as UTF-8"
            log.warning("%s", self.note(file.src_uri, said, "\ufffd"))
            text = self.text(file.src_uri)
        if text.startswith("---") and get_data(text)[0] == text:
            said = "what stands between its lines --- is no YAML; quote what holds a colon"
            log.warning("%s", self.note(file.src_uri, said, text.partition("\n---")[0]))
        return text

    def show(self, files: Files) -> None:
        """Put the faults of each page above its heading, in the site that is there."""
        for page, mistakes in self.shown.items():
            if file := files.get_file_from_path(page):
                path = Path(file.abs_dest_path)
                html = path.read_text("utf-8")
                boxes = "".join(f"<p>{each}</p>" for each in mistakes)
                heading = "<h1" if "<h1" in html else "</body"
                path.write_text(html.replace(heading, boxes + heading, 1), "utf-8")


def were_counted() -> bool:
    """Tell whether a strict build has seen a warning: only then does MkDocs count them."""
    counters = [h for h in logging.getLogger("mkdocs").handlers if isinstance(h, CountHandler)]
    return any(counter.get_counts() for counter in counters)
