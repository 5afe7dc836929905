"""Pages under MkDocs: what each became is kept, and made anew only if what it is of has changed."""

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave.embeds.embed import Context, log
from weave.engines.extension import BEGUN
from weave.engines.faults import Faults
from weave.pages import plain, search
from weave.project import Project, digest


@dataclass
class Pages:
    """The pages of one build."""

    project: Project
    faults: Faults
    # Name the place of a line, by page, where that is no line of a page's own file.
    places: dict[str, Callable[[int], str]] = field(default_factory=dict)
    options: object = None  # of the site, on which every page depends
    files: list[tuple[str, str]] = field(default_factory=list)  # to which links may lead: URI, URL

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became, as MkDocs would have rendered it."""
        name, project = page.file.src_uri, self.project
        given = self.given(page.markdown or "")
        if not project.is_fresh("page", name, given):
            self.make(page, config, files, given)
        # For the author, at every build; they keep no page from being kept.
        for line, note in (project.look_up("page_prose", name) or {}).get("notes", ()):
            log.info("docs/%s:%d: note: %s", name, line, note)
        kept = partial(project.store.read, "page", name)
        page.content, page._title_from_render = kept("readable"), kept("title")
        page.toc, page.present_anchor_ids = get_toc(kept("contents")), set(kept("anchors"))
        found = {files.get_file_from_path(uri): at for uri, at in kept("links").items()}
        page.links_to_anchors = {file: at for file, at in found.items() if file}

    def given(self, text: str) -> dict[str, str]:
        """Tell what a page is made of that MkDocs alone knows.

        Of snippets only those count that the text names: a new one touches no other page.
        """
        files = [(uri, url) for uri, url in self.files if uri[:9] != "snippets/" or uri in text]
        return {"text": digest(text), "site": digest((self.options, files))}

    def make(
        self, page: Page, config: MkDocsConfig, files: Files, given: Mapping[str, str]
    ) -> None:
        """Make a page of what is given, and keep it."""
        name, project = page.file.src_uri, self.project
        begun: list[Context] = []

        def begin(context: Context) -> None:
            context.place = self.places.get(name, context.place)
            begun.append(context)

        said, loggers = CountHandler(level=logging.INFO), map(logging.getLogger, ("", "mkdocs"))
        with ExitStack() as at_end:
            at_end.callback(BEGUN.reset, BEGUN.set((project, name, begin)))
            for logger in loggers:
                logger.addHandler(said)
                at_end.callback(logger.removeHandler, said)
            Page.render(page, config, files)
            (context,) = begun
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
            own = {"machinery pages": project.digest("machinery pages")}
            parts["trace"] = {**context.trace, **given, **own}
        project.store.write("page", name, parts)

    def in_full(self, page: Page) -> str:
        """Give a page's HTML, of which `render` gave what search reads."""
        html: str = self.project.store.read("page", page.file.src_uri, "html")
        return html

    def plain_edition(self, page: Page) -> str:
        """Give a page as Markdown that says the same."""
        text: str = self.project.store.read("page", page.file.src_uri, "plain")
        return text
