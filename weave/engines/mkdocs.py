"""MkDocs: the plugin `weave`. What pages say does not depend on it.

It refreshes the project once for each build, publishes the files beside the pages, and has `pages`
give each page what it became. It makes a lab's page from Markdown.
"""

import logging
import re
import sqlite3
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler
from mkdocs.utils.templates import TemplateContext
from rcssmin import cssmin
from rjsmin import jsmin

from weave.basics.errors import WeaveError, read_text
from weave.embeds.embed import log, mistake
from weave.engines.page_cache import Pages
from weave.pages import lab, plain, search
from weave.pages.finish import Site
from weave.pages.published import published
from weave.pages.web_fonts import write_fonts
from weave.project import WATCHED, project_at
from weave.run.runner import processes

AFTER_OTHER_PLUGINS = -100
# MkDocs' words for a link that is broken.
LINK = re.compile(
    r"Doc file '(?P<page>[^']+)' (?P<what>contains .*?link (?:to )?'(?P<link>[^']+)'.*)"
)


class WeavePlugin(BasePlugin):  # type: ignore[type-arg, no-untyped-call]
    """One object for all builds while serving."""

    in_place = False  # a server's site, or one that is built in part
    site: Site | None = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Stay: MkDocs keeps the object of a plugin that has this method."""
        self.in_place = command == "serve" or dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project of the mkdocs.yml in use, and have its folders watched."""
        root = Path(config.config_file_path).parent
        logging.getLogger("mkdocs.structure.pages").filters = [partial(name_line, config.docs_dir)]
        self.project = project_at(root)
        self.pages = Pages(self.project)
        if not self.in_place:
            self.site = Site(Path(config.site_dir))
            config.site_dir = str(self.site.new)
        config.watch += [str(root / folder) for folder in WATCHED if (root / folder).is_dir()]
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Bring snippets and labs up to date; publish what lies beside the pages."""
        self.project.refresh()
        for name, content in published(self.project).items():
            if old := files.get_file_from_path(name):  # written below docs/ for another engine
                files.remove(old)
            files.append(File.generated(config, name, content=content))
        tool = files.get_file_from_path("check_attention.py")
        if tool and config.site_url:  # what it prints links to this site
            site = f'SITE = "{config.site_url}"'
            tool.content_string = tool.content_string.replace('SITE = ""', site, 1)
        for minify, ours in ((jsmin, files.javascript_files()), (cssmin, files.css_files())):
            for file in ours:
                if file.src_dir == config.docs_dir:
                    path = Path(config.docs_dir, file.src_uri)
                    file.content_string = minify(read_text(path, f"docs/{file.src_uri}"))
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Note what every page depends on: the options, and the files that links may lead to."""
        self.nav = nav
        self.pages.options = config.markdown_extensions, config.mdx_configs, config.validation
        self.pages.files = sorted((file.src_uri, file.url) for file in files)

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> None:
        """Keep the theme's templates compiled, where Jinja keeps such: a quarter of an edit."""
        env.bytecode_cache = FileSystemBytecodeCache()

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """Render every page in our way, notebooks too."""
        page.render = partial(self.pages.render, page)  # type: ignore[method-assign]
        return page

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """Read a page, or write a notebook as Markdown; its mistakes show on the page."""
        name, stem = page.file.src_uri, page.file.name
        try:
            if not name.endswith(".ipynb"):
                return read_text(Path(config.docs_dir, name), f"docs/{name}")
            title, _ = self.project.look_up("section", f"{stem}.md")
            links = lab.links(stem, title, page.edit_url or "")
            text, self.pages.places[name] = lab.to_markdown(self.project, stem, links)
        except WeaveError as error:
            said = str(error) if str(error).startswith("docs/") else f"docs/{name}, {error}"
            log.warning(said)
            where, _, flaw = said.partition(": ")
            return f"# {stem}\n\n{mistake(where, flaw)}\n"
        return text

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Give the page in full: search has read what it can."""
        page.content = self.pages.kept(page, "html")
        if self.site:
            plain.write(self.pages.kept(page, "plain"), page, self.site.new)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> None:
        """Let go of the page's text, which is in the output now: 25 MB in all."""
        page.content = ""

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Leave out the sitemap where no address is known."""
        return output if config.site_url or template_name != "sitemap.xml" else ""

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Put up the site; after a strict build with warnings the last one stays."""
        counters = [h for h in logging.getLogger("mkdocs").handlers if isinstance(h, CountHandler)]
        if any(counter.get_counts() for counter in counters):  # MkDocs counts if it is strict
            return
        search.write_list(Path(config.site_dir), {p.url: str(p.title) for p in self.nav.pages})
        write_fonts(self.project, Path(config.site_dir))
        if self.site:
            plain.write_list(self.nav, self.site.new, config)
            config.site_dir = str(self.site.publish(self.project.store))

    def on_serve(self, server: LiveReloadServer, **_: object) -> LiveReloadServer:
        """Look for changes every tenth of a second, not every half; make ready for runs."""
        processes()
        for path in (paths := list(server._watched_paths)):
            server.unwatch(path)
        server.observer = type(server.observer)(timeout=0.1)
        server.build_delay = 0.02  # files saved together are seen together
        for path in paths:
            server.watch(path)
        return server

    def on_build_error(self, *, error: Exception) -> None:
        """Let the last site stand, and say in a sentence what the machine has refused."""
        if self.site:
            self.site.beside.cleanup()
        if isinstance(error, WeaveError | OSError | sqlite3.Error):
            raise Abort(f"{error}. The last site is as it was.")


def name_line(docs: str, record: logging.LogRecord) -> bool:
    """Say of a broken link on which line it stands last."""
    if found := LINK.match(record.getMessage()):
        text = Path(docs, found["page"]).read_text("utf-8-sig", errors="replace")
        # Whole words; a link that an embed has made stands in no line.
        at = [m.start() for m in re.finditer(rf"{re.escape(found['link'])}(?![\w#-])", text)]
        line = f":{text.count(chr(10), 0, at[-1]) + 1}" if at else ""
        record.msg = f"docs/{found['page']}{line}: {found['what']} Mend the link."
        record.args = ()
    return True
