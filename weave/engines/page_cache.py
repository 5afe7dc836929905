"""Pages under MkDocs: what each became is kept, and made anew only if what it is of has changed."""

import logging
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave.embeds.embed import Context, log
from weave.engines.extension import BEGUN
from weave.pages import plain, search
from weave.project import Project, digest
from weave.text.prose import NOTE

SNIPPET_FILE = re.compile(r"snippets/[\w-]+/[\w-]+\.\w+")


@dataclass
class Pages:
    """The pages of one build."""

    project: Project
    # Name the place of a line, by page, where that is no line of a page's own file.
    places: dict[str, Callable[[int], str]] = field(default_factory=dict)
    options: object = None  # of the site, on which every page depends
    files: list[tuple[str, str]] = field(default_factory=list)  # to which links may lead: URI, URL
    # What reads a part of each page that was rendered, by the page's name.
    read: dict[str, Callable[[str], Any]] = field(default_factory=dict)

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became, as MkDocs would have rendered it."""
        name = page.file.src_uri
        entry = self.project.find("page", name, self.given(page.markdown or ""))
        self.read[name] = entry.read if entry else self.make(page, config, files)
        page.content = self.kept(page, "readable")
        page._title_from_render = self.kept(page, "title")
        page.toc = get_toc(self.kept(page, "contents"))
        page.present_anchor_ids = set(self.kept(page, "anchors"))
        found = {files.get_file_from_path(uri): at for uri, at in self.kept(page, "links").items()}
        page.links_to_anchors = {file: at for file, at in found.items() if file}

    def given(self, text: str) -> dict[str, str]:
        """Give digests of what no look-up answers: the text, the options, where links may lead."""
        # Of snippets only those count that are named (see `make`): a new one touches no other page.
        links = [each for each in self.files if not each[0].startswith("snippets/")]
        return {"text": digest(text), "site": digest((self.options, links))}

    def make(self, page: Page, config: MkDocsConfig, files: Files) -> Callable[[str], Any]:
        """Make a page, and keep it; give what reads its parts."""
        name, text, project = page.file.src_uri, page.markdown or "", self.project
        context = Context(project, name, self.places.get(name, "page:{}".format))
        said = CountHandler(level=logging.INFO)
        said.addFilter(lambda record: NOTE not in record.getMessage())
        with ExitStack() as at_end:
            at_end.callback(BEGUN.reset, BEGUN.set(context))
            for logger in map(logging.getLogger, ("", "mkdocs")):
                logger.addHandler(said)
                at_end.callback(logger.removeHandler, said)
            Page.render(page, config, files)
        html, woven = page.content or "", plain.edition(context)
        parts = {
            "html": html,
            "readable": search.readable(html),
            "title": page._title_from_render,
            "contents": getattr(context.markdown, "toc_tokens", []),
            "anchors": re.findall(r'\bid="([^"]+)"', html),  # in what embeds made, too
            "plain": woven,
            "links": {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()},
        }
        # What there is to say has to be said at every build, and a quiet one hears nothing.
        heard = log.isEnabledFor(logging.WARNING)
        if not heard or said.get_counts():
            return parts.get
        for file in SNIPPET_FILE.findall(text + woven):
            context.look_up("is_file", file)
        own = {"machinery pages": project.digest("machinery pages")}
        trace = {**context.trace, **self.given(text), **own}
        return project.store.write("page", name, trace, parts).read

    def kept(self, page: Page, part: str) -> Any:
        """Give a part of what a page became; `html` is the whole, of which search reads less."""
        return self.read[page.file.src_uri](part)
