"""MkDocs: the plugin `weave`, the only module that knows it. What pages say does not depend on it.

It refreshes the project once for each build, publishes the files beside the pages, hands each page
its context, and keeps what a page became, so that an edit makes those pages anew that it touches.
It makes a lab's page from Markdown, where mkdocs-jupyter would bring half a megabyte of its own.
"""

import importlib
import importlib.util
import json
import logging
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler
from mkdocs.utils.meta import get_data
from mkdocs.utils.templates import TemplateContext

from weave import lab, search
from weave.embed import Context, log, mistake
from weave.errors import WeaveError
from weave.project import project_at
from weave.published import published

AFTER_OTHER_PLUGINS = -100
NEVER_FRESH = {"nothing": "that anybody answers"}


class Later(ModuleType):
    """Stands for a module until something in it is used.

    mkdocs-jupyter imports the whole of nbconvert, half a second of every start; of its work the
    site needs no more than that notebooks become pages. (importlib's own LazyLoader would load a
    module as soon as it is imported.)
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = importlib.util.find_spec(name)

    def __getattr__(self, name: str) -> Any:
        """Load the module now."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


for _name in ("jupytext", "mkdocs_jupyter.convert"):
    sys.modules.setdefault(_name, Later(_name))


class WeavePlugin(BasePlugin):  # type: ignore[type-arg, no-untyped-call]
    """One object for all builds while serving."""

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Stay: MkDocs keeps the object of a plugin that has this method."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project of the mkdocs.yml in use, and have its snippets watched."""
        time_limit = config.mdx_configs.setdefault("weave", {}).get("time_limit", 60)
        root = Path(config.config_file_path).parent
        self.project = project_at(root, float(time_limit))
        self.places: dict[str, list[tuple[int, str]]] = {}
        config.watch.append(str(root / "snippets"))
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Bring snippets and labs up to date."""
        self.project.refresh()

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Publish what lies beside the pages."""
        for name, content in published(self.project).items():
            if old := files.get_file_from_path(name):  # written below docs/ for another engine
                files.remove(old)
            files.append(File.generated(config, name, content=content))
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Note what every page depends on: the options, and the files that links may lead to."""
        options = {key: value for key, value in config.mdx_configs.items() if key != "weave"}
        listed = sorted((file.src_uri, file.url) for file in files)
        self.project.tell("site ", (config.markdown_extensions, options, config.validation, listed))

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """Render every page in our way, notebooks too."""
        page.render = partial(self.render, page)  # type: ignore[method-assign]
        return page

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """Write a notebook as Markdown. A mistake fails a strict build, and shows on the page."""
        name, stem = page.file.src_uri, page.file.name
        if not name.endswith(".ipynb"):
            return None
        chapter = Path(config.docs_dir, f"{stem}.md")
        about = get_data(chapter.read_text("utf-8-sig"))[1] if chapter.is_file() else {}
        title = str(about.get("title", stem))
        links = lab.links(stem, title, config.repo_url or "", config.edit_uri or "")
        try:
            text, self.places[name] = lab.to_markdown(self.project, stem, links)
        except WeaveError as error:
            log.warning("docs/%s, %s", name, error)
            return f"# {stem}\n\n{mistake(f'docs/{name}', str(error))}\n"
        return text

    def render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Give a page what it became the last time, or make it, if something in it has changed."""
        name, project = page.file.src_uri, self.project
        project.tell(f"markdown {name}", page.markdown)
        if not project.is_fresh("page", name):
            own = ("machinery pages", "site ", f"markdown {name}")
            context = Context(project, name, trace={each: project.digest(each) for each in own})
            if name in self.places:
                context.place = partial(self.place_in_lab, name)
            config.mdx_configs["weave"]["context"] = context
            warnings = CountHandler(level=logging.WARNING)
            logging.getLogger("mkdocs").addHandler(warnings)
            Page.render(page, config, files)
            logging.getLogger("mkdocs").removeHandler(warnings)
            html, taken = search.hide(page.content or "")
            links = {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()}
            contents = getattr(context.markdown, "toc_tokens", [])
            rest = contents, page._title_from_render, list(page.present_anchor_ids or ()), links
            # What is wrong has to be said at every build.
            trace = NEVER_FRESH if warnings.get_counts() else context.trace
            parts = {"taken": taken, "rest": rest, "trace": trace}
            packed = {part: json.dumps(value) for part, value in parts.items()}
            project.store.write("page", name, packed | {"html": html})
        page.content = project.store.read("page", name, "html")
        contents, title, anchors, links = json.loads(project.store.read("page", name, "rest") or "")
        page.toc, page._title_from_render = get_toc(contents), title
        page.present_anchor_ids = set(anchors)
        found = {files.get_file_from_path(uri): at for uri, at in links.items()}
        page.links_to_anchors = {file: at for file, at in found.items() if file}

    def place_in_lab(self, name: str, line: int) -> str:
        """Name a place in a notebook, whose lines nobody counts: the cell, and the line in it."""
        begins, cell = max(each for each in self.places[name] if each[0] <= line)
        return f"docs/{name}, cell '{cell}', line {line - begins + 1}"

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Put back what search was not to see."""
        taken = self.project.store.read("page", page.file.src_uri, "taken")
        page.content = search.show(page.content or "", json.loads(taken or "[]"))

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> None:
        """Let go of the page's text: it is in the output now."""
        page.content = ""

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Sweep what no page of the site stands for any more."""
        self.project.sweep()
