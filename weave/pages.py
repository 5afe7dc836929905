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
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryFile

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave import plain, search
from weave.embed import Context
from weave.faults import Faults
from weave.project import Project

FEW = 8  # pages that are made sooner by one process than it is copied


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
            "links": {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()},
        }
        if not said.get_counts():  # what there is to say has to be said at every build
            parts["trace"] = context.trace
        project.store.write("page", name, parts)

    def make_all(self, config: MkDocsConfig, files: Files) -> None:
        """Make all pages that have changed, and their plain editions, by copies of the process."""
        pages = [file.page for file in files.documentation_pages() if file.page]
        if len(pages) <= FEW:
            return
        store, build, context = self.project.store, os.getpid(), multiprocessing.get_context("fork")

        def work() -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build says that it was stopped,
            for stream in (1, 2):  # and whatever there is to say of a page
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            logging.captureWarnings(True)
            store.reopen()
            while (number := os.read(numbers.fileno(), 4)) and os.getppid() == build:
                page = pages[int.from_bytes(number, "big")]
                page = config.plugins.on_pre_page(page, config=config, files=files)
                page.read_source(config)
                page.markdown = config.plugins.on_page_markdown(
                    page.markdown or "", page=page, config=config, files=files
                )
                page.render(config, files)
                self.plain_edition(page, self.in_full(page))

        copies = [context.Process(target=work, daemon=True) for _ in range(os.cpu_count() or 1)]
        gc.collect()
        gc.freeze()  # else a collection in a copy would write to all that they share
        with store.closed():
            # They read one file, each from where another has stopped: a copy that is killed would
            # keep a lock. If the machine refuses more processes, there are fewer, or none.
            with suppress(OSError), TemporaryFile(buffering=0) as numbers:
                numbers.write(b"".join(at.to_bytes(4, "big") for at in range(len(pages))))
                numbers.seek(0)
                for copy in copies:
                    copy.start()
            for copy in copies:
                if copy.pid:
                    copy.join()
        gc.unfreeze()

    def in_full(self, page: Page) -> str:
        """Give a page's HTML, of which `render` gave what search reads."""
        html: str = self.project.store.read("page", page.file.src_uri, "html")
        return html

    def plain_edition(self, page: Page, html: str) -> str:
        """Give a page, from its HTML in full, as Markdown."""
        question = f"html {page.file.src_uri}"
        self.project.told[question] = html
        text: str = self.project.keep("plain", question, partial(plain.to_markdown, html))
        return text
