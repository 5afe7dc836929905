"""Pages under MkDocs: what each became is kept, and made anew only if what it is of has changed."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave import plain, search
from weave.embed import Context
from weave.faults import Faults
from weave.project import Project


@dataclass
class Pages:
    """The pages of one build."""

    project: Project
    faults: Faults
    # Name the place of a line, by page, where that is no line of a page's own file.
    places: dict[str, Callable[[int], str]] = field(default_factory=dict)

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became, as MkDocs would have rendered it."""
        name, project = page.file.src_uri, self.project
        project.told[f"markdown {name}"] = page.markdown
        if not project.is_fresh("page", name):
            self.make(page, config, files)
        kept = partial(project.store.read, "page", name)
        page.content, page._title_from_render = kept("readable"), kept("title")
        page.toc, page.present_anchor_ids = get_toc(kept("contents")), set(kept("anchors"))
        found = {files.get_file_from_path(uri): at for uri, at in kept("links").items()}
        page.links_to_anchors = {file: at for file, at in found.items() if file}

    def make(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Make a page, and keep it."""
        name, project = page.file.src_uri, self.project
        own = ("machinery pages", "site ", f"markdown {name}")
        context = Context(project, name, trace={each: project.digest(each) for each in own})
        context.place = self.places.get(name, context.place)
        config.mdx_configs["weave"]["context"] = context
        said, loggers = CountHandler(level=logging.INFO), map(logging.getLogger, ("", "mkdocs"))
        with ExitStack() as at_end:
            for logger in loggers:
                logger.addHandler(said)
                at_end.callback(logger.removeHandler, said)
            Page.render(page, config, files)
            self.faults.check(name, page.content or "")
        html = page.content or ""
        parts = {
            "html": search.unmarked(html),
            "readable": search.readable(html),
            "title": page._title_from_render,
            "contents": getattr(context.markdown, "toc_tokens", []),
            "anchors": list(page.present_anchor_ids or ()),
            "plain": plain.edition(context, page, files),
            "links": {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()},
        }
        if not said.get_counts():  # what there is to say has to be said at every build
            parts["trace"] = context.trace
        project.store.write("page", name, parts)

    def in_full(self, page: Page) -> str:
        """Give a page's HTML, of which `render` gave what search reads."""
        html: str = self.project.store.read("page", page.file.src_uri, "html")
        return html

    def plain_edition(self, page: Page) -> str:
        """Give a page as Markdown that says the same."""
        text: str = self.project.store.read("page", page.file.src_uri, "plain")
        return text
