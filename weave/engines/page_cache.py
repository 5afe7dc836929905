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


@dataclass
class Pages:
    """The pages of one build."""

    project: Project
    # Name the place of a line, by page, where that is no line of a page's own file.
    places: dict[str, Callable[[int], str]] = field(default_factory=dict)
    options: object = None  # of the site, on which every page depends
    files: list[tuple[str, str]] = field(default_factory=list)  # to which links may lead: URI, URL

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became, as MkDocs would have rendered it."""
        given = self.given(page.markdown or "", self.kept(page, "plain") or "")
        if not self.project.is_fresh("page", page.file.src_uri, given):
            self.make(page, config, files)
        page.content = self.kept(page, "readable")
        page._title_from_render = self.kept(page, "title")
        page.toc = get_toc(self.kept(page, "contents"))
        page.present_anchor_ids = set(self.kept(page, "anchors"))
        found = {files.get_file_from_path(uri): at for uri, at in self.kept(page, "links").items()}
        page.links_to_anchors = {file: at for file, at in found.items() if file}

    def given(self, text: str, woven: str) -> dict[str, str]:
        """Give digests of what no look-up answers: the text, the options, where links may lead."""
        # Of snippets only those count that are named: a new one touches no other page.
        said = text + woven
        links = [each for each in self.files if each[0][:9] != "snippets/" or each[0] in said]
        return {"text": digest(text), "site": digest((self.options, links))}

    def make(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Make a page, and keep it."""
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
        if heard and not said.get_counts() and not project.is_replaced(context.trace):
            own = {"machinery pages": project.digest("machinery pages")}
            parts["trace"] = {**context.trace, **self.given(text, woven), **own}
        project.store.write("page", name, parts)

    def kept(self, page: Page, part: str) -> Any:
        """Give a part of what a page became; `html` is the whole, of which search reads less."""
        return self.project.store.read("page", page.file.src_uri, part)
