"""Pages under MkDocs: what each became is kept, and made anew only if something in it has changed.

The first page of a build that has to be made has all of them made, by copies of the process on all
cores. A copy keeps each page as soon as it is made, and the build finds it there. Nothing has to be
handed back, and where a copy fails, the build makes the page itself, and says what is wrong.
"""

import gc
import logging
import multiprocessing
import os
import signal
from collections.abc import Callable
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
    by_copies: bool  # whether they may be made so: Linux alone copies a process safely, at once
    # Name the place of a line, by page, where that is no line of a page's own file.
    places: dict[str, Callable[[int], str]] = field(default_factory=dict)

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became, as MkDocs would have rendered it."""
        name, project = page.file.src_uri, self.project
        project.told[f"markdown {name}"] = page.markdown
        if self.by_copies and not project.is_fresh("page", name):
            self.by_copies = False  # once for each build, and never in a copy
            self.make_all(config, files)
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
        warnings = CountHandler(level=logging.WARNING)
        logging.getLogger("mkdocs").addHandler(warnings)
        try:
            Page.render(page, config, files)
            self.faults.check(name, page.content or "")
        finally:
            logging.getLogger("mkdocs").removeHandler(warnings)
        html = page.content or ""
        parts = {
            "html": search.unmarked(html),
            "readable": search.readable(html),
            "title": page._title_from_render,
            "contents": getattr(context.markdown, "toc_tokens", []),
            "anchors": list(page.present_anchor_ids or ()),
            "links": {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()},
        }
        if not warnings.get_counts():  # what is wrong has to be said at every build
            parts["trace"] = context.trace
        project.store.write("page", name, parts)

    def make_all(self, config: MkDocsConfig, files: Files) -> None:
        """Make all pages that have changed, and their plain editions, by copies of the process."""
        context = multiprocessing.get_context("fork")
        pages, begun = (
            [f.page for f in files.documentation_pages() if f.page],
            context.Value("i", 0),
        )

        def work() -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build says that it was stopped,
            for stream in (1, 2):  # and what is wrong with a page
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            self.project.store.reopen()
            while True:
                with begun:
                    at, begun.value = begun.value, begun.value + 1
                if at >= len(pages):
                    return
                page = config.plugins.on_pre_page(pages[at], config=config, files=files)
                page.read_source(config)
                page.markdown = config.plugins.on_page_markdown(
                    page.markdown or "", page=page, config=config, files=files
                )
                page.render(config, files)
                self.plain_edition(page)

        copies = [context.Process(target=work, daemon=True) for _ in range(os.cpu_count() or 1)]
        gc.collect()
        gc.freeze()  # else collections would copy, in each, all that the copies share
        for copy in copies:
            copy.start()
        for copy in copies:
            copy.join()

    def in_full(self, page: Page) -> str:
        """Give a page's HTML, of which `render` gave what search reads."""
        html: str = self.project.store.read("page", page.file.src_uri, "html")
        return html

    def plain_edition(self, page: Page) -> str:
        """Give a page as Markdown."""
        question, html = f"html {page.file.src_uri}", self.in_full(page)
        self.project.told[question] = html
        text: str = self.project.keep("plain", question, partial(plain.to_markdown, html))
        return text
