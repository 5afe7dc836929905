"""MkDocs: the plugin `weave`. What pages say does not depend on it.

MkDocs calls the methods `on_…`. In the order of a build:

    on_startup              whether a site is built or served
    on_config               the project to which mkdocs.yml belongs, and where its site is built
    on_pre_build            files that cannot be read are refused
    on_files                snippets and labs are run if they have changed; files beside the pages
    on_nav                  the pages of this build
    on_pre_page             a lab is converted like any page
    on_page_read_source     a page's text; a lab is written as Markdown
    on_page_markdown        what is to be converted: nothing, if the page is kept
    on_page_content         what the page became, and its sections for search
    on_env                  once all pages are converted: links to anchors that are not there
    on_post_template        the theme's other pages, finished
    on_page_context         what the theme's templates are told of a page
    on_post_page            a page within the theme, finished
    on_post_build           notes; search's list, the fonts; the new site takes the last one's place
    on_build_error          where an error has ended the build: the last site stays
    on_serve                after the first build: the server looks for edits (`LiveSite.join`)
    on_shutdown             at the end of the program: what is being run is stopped

`pages_kept.py` says how a page is kept, `live.py` how the site is served while it is made.
"""

import logging
import sqlite3
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

from weave.basics.errors import WeaveError, read_text
from weave.basics.log import log
from weave.basics.store import is_damage
from weave.embeds.embed import Context, mistake
from weave.engines import progress
from weave.engines.links import NameLine, name_lines
from weave.engines.live import LiveSite
from weave.engines.notes import Notes
from weave.engines.pages_kept import Pages
from weave.engines.serving import (
    DamagedError,
    UnreadableError,
    end_as_by_control_c,
    go_on_without_build,
    look_often,
    reloads,
)
from weave.pages import finish, lab, outside, plain, search, slides
from weave.pages.assets import minified_script, minified_sheet
from weave.pages.bare import bare_pages
from weave.pages.old_addresses import old_addresses
from weave.pages.published import published
from weave.pages.themed import Themed
from weave.pages.web_fonts import write_fonts, write_whole_fonts
from weave.project import WATCHED, Project, is_no_edit, project_at
from weave.run.runner import processes

AFTER_OTHER_PLUGINS = -100


class WeavePlugin(BasePlugin):  # type: ignore[type-arg, no-untyped-call]
    """The plugin: one object for all builds while serving.

    Attributes:
        live: a site that is served while it is made: it waits for no runs.
        in_place: whether MkDocs builds where the site is shown: one that is served and not made
            again, or that is built in part.
        site: any other: it is built beside the last one, and finished for publishing.
        project: of which it is made.
        pages: those of this build.
        context: the page that is being read.
        links: names the lines of broken ones, and shows these.
        notes: what the author has been told, while serving.
        is_broken: whether a lab of this build failed, which is not published.
        listed: the sections that search will list.
        nav: the contents.
    """

    live: LiveSite | None = None
    is_live = False
    in_place = False
    site: finish.Site | None = None
    project: Project
    pages: Pages | None = None
    context: Context
    links: NameLine
    is_broken = False
    listed: list[search.Listed]
    nav: Navigation

    def __init__(self) -> None:
        super().__init__()
        self.notes = Notes()

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Learn what MkDocs is about to do. It keeps the object of a plugin that has this method.

        Args:
            command: `build` or `serve`.
            dirty: whether only pages are built that were saved since the last build.
        """
        self.in_place = command == "serve" or dirty
        self.is_live = command == "serve" and reloads() and not dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the project, have its folders watched, and choose where its site is built.

        Args:
            config: what mkdocs.yml says.
        """
        root = Path(config.config_file_path).parent
        self.project = project_at(root)
        self.links = name_lines(self.project)
        logging.getLogger("mkdocs.commands.build").addFilter(is_worth_saying)
        config.watch += [str(root / folder) for folder in WATCHED if (root / folder).is_dir()]
        if self.is_live:
            self.live = self.live or LiveSite(self.project)
            config.site_dir = str(self.live.folder(Path(config.site_dir)))
        elif not self.in_place:
            self.notes = Notes()  # MkDocs keeps the object for the next build of this process
            self.site = finish.Site(Path(config.site_dir))
            config.site_dir = str(self.site.new)
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Refuse files that cannot be read, before MkDocs empties the folder of the last site.

        And before anything else is said: what links to such a page and asserts its words would be.

        Args:
            config: what mkdocs.yml says.

        Raises:
            UnreadableError: one is not UTF-8, or a merge has left two versions in it.
        """
        for folder in filter(None, (config.docs_dir, config.theme.custom_dir)):
            for path in sorted(Path(folder).rglob("*")):
                if path.suffix in {".md", ".js", ".css", ".html"} and not is_no_edit(path.name):
                    refuse_unreadable(path, path.relative_to(Path(folder).parent).as_posix())

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Bring snippets and labs up to date, and add what is published beside the pages.

        Args:
            files: those below docs/, and the theme's.
            config: what mkdocs.yml says.
        """
        for file in list(files):
            if is_no_edit(file.src_uri.rpartition("/")[2]):
                files.remove(file)
        if not config.site_url:  # it would be of addresses that nobody knows
            config.theme.static_templates.discard("sitemap.xml")  # only now: it is no file to copy
        docs = Path(config.docs_dir)
        if not self.live:
            runner = self.project.runner
            runner.heard = lambda: progress.say(runner.state())
        self.project.refresh(self.live.patience() if self.live else None)
        for name, content in published(self.project, config.site_url or "").items():
            replace(files, File.generated(config, name, content=content))
        for file in [*files.javascript_files(), *files.css_files()]:
            if file.src_dir == config.docs_dir:
                minified = minified_script if file.is_javascript() else minified_sheet
                code = read_text(docs / file.src_uri, f"docs/{file.src_uri}")
                file.content_string = minified(code)
            if self.site and file.is_css():
                file.content_string = finish.sheet(file.content_string)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Begin with the pages.

        Args:
            nav: the contents.
            config: what mkdocs.yml says.
            files: all that the site will have.
        """
        self.nav = nav
        if self.live:
            live = (self.live.drafts, self.live.first, self.live.open_pages())
            self.pages = Pages(self.project, config, files, *live)
        else:
            self.pages = Pages(self.project, config, files, {})
        self.listed = []
        self.is_broken = False

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """Have MkDocs convert a lab like any page.

        mkdocs-jupyter, which makes a notebook a page, has put a `render` of its own on it.

        Args:
            page: which will be read next.
            config: what mkdocs.yml says.
            files: all that the site will have.
        """
        vars(page).pop("render", None)
        return page

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """Read a page, or write a lab as Markdown; its mistakes show on the page.

        Args:
            page: of which MkDocs knows the file.
            config: what mkdocs.yml says.
        """
        name, stem = page.file.src_uri, page.file.name
        self.context = Context(self.project, name)
        if not name.endswith(".ipynb"):
            return read_text(Path(config.docs_dir, name), f"docs/{name}")
        try:
            title, _ = self.project.look_up("section", f"{stem}.md")
            links = lab.links(stem, title, page.edit_url or "")
            text, self.context.place = lab.to_markdown(self.context, stem, links)
        except WeaveError as error:
            self.is_broken = True
            where = error.where or f"docs/{name}"
            log.warning("%s: %s", where, error.message)
            return f"# {stem}\n\n{mistake(where, error.message)}\n"
        return text

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        """Give MkDocs what it has to convert of a page: nothing, if the page is kept.

        Args:
            markdown: the page's text, without its front matter.
            page: the page.
            config: what mkdocs.yml says.
            files: all that the site will have.
        """
        assert self.pages
        return self.pages.begin(markdown, self.context)

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Give the HTML of a page, and note its sections for search.

        Args:
            html: what MkDocs has converted; nothing, if the page is kept.
            page: the page.
            config: what mkdocs.yml says.
            files: all that the site will have.
        """
        assert self.pages
        made = self.pages.end(page, self.links.show_heard(html))
        self.listed += search.listed(page, made["sections"])
        # Material's plugin need not read the page once more, drawings and all.
        page.meta["search"] = {"exclude": True}
        return str(made["html"])

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> None:
        """Show where links lead to no anchor, now that all are known; keep templates compiled.

        Jinja keeps those of the theme: a quarter of an edit.

        Args:
            env: Jinja's.
            config: what mkdocs.yml says.
            files: all that the site will have.
        """
        for file in files.documentation_pages():
            if file.page:
                self.links.show_lost(file.page, config.validation.links.anchors)
        env.bytecode_cache = FileSystemBytecodeCache()

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Finish the theme's other pages.

        Args:
            output: what the template has become.
            template_name: such as `404.html`.
            config: what mkdocs.yml says.
        """
        return finish.page(output) if self.site and template_name.endswith(".html") else output

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Tell the theme's templates where a page's slides are, if it has some.

        Args:
            context: what the templates know.
            page: the page.
            config: what mkdocs.yml says.
            nav: the contents.
        """
        assert self.pages
        figures = self.pages.made[page.file.src_uri]["figures"]
        context["slides"] = slides.address(page.url, figures)  # type: ignore[typeddict-unknown-key]
        return context

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Finish a page that is published, and write what belongs to it.

        That is: pages for its explorables, slides, pages at its old addresses, and its plain
        edition.

        Args:
            output: the page within the theme.
            page: the page.
            config: what mkdocs.yml says.
        """
        assert self.pages
        made = self.pages.made[page.file.src_uri]
        themed = Themed(output, page.url, str(page.title), config.site_name)
        moved = self.project.look_up("moved").to.items()
        once = [old.rpartition(".")[0] for old, now in moved if now == page.file.src_uri]
        beside = {
            **bare_pages(themed, made["explorables"]),
            **slides.slides(themed, made["figures"]),
            **old_addresses(once, page.url, str(page.title), page.canonical_url),
        }
        for path, html in beside.items():
            file = Path(config.site_dir, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(finish.page(html) if self.site else html, "utf-8")
        if not self.site:
            return output
        plain.write(made["plain"], page, self.site.new)
        return finish.page(outside.with_data(output, page, made["sections"], config))

    @event_priority(AFTER_OTHER_PLUGINS)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Say notes, and put up the site; after a strict build with warnings the last one stays.

        Args:
            config: what mkdocs.yml says.

        Raises:
            Abort: a lab failed, and it is no draft that is served.
        """
        self.notes.say(self.project)
        counters = [h for h in logging.getLogger("mkdocs").handlers if isinstance(h, CountHandler)]
        if any(counter.get_counts() for counter in counters):  # MkDocs counts if it is strict
            return
        if self.is_broken and self.site:
            raise Abort("A lab failed. The site stays as it is.")
        search.write_index(self.listed, Path(config.site_dir))
        if self.live and self.pages:
            write_whole_fonts(Path(config.site_dir))
            self.live.finish(Path(config.site_dir), self.pages.waits())
        else:
            write_fonts(self.project, Path(config.site_dir))
        if self.site:
            plain.write_list(self.nav, self.site.new, config)
            config.site_dir = str(self.site.publish(self.project.store))
            log.info("The site is in %s", config.site_dir)

    def on_build_error(self, *, error: Exception) -> None:
        """Let the last site stand, and say in a sentence what the machine has refused.

        Args:
            error: that has ended the build.
        """
        if self.pages:
            self.pages.stop_listening()
        if self.site:
            self.site.beside.cleanup()
        if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
            self.project.begin_again(error)
            raise DamagedError("What was kept is damaged: build again. The site stays as it is.")
        if isinstance(error, WeaveError | OSError | sqlite3.Error):
            raise Abort(f"{error}. The site stays as it is.")

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: object
    ) -> LiveReloadServer:
        """Look for changes often, go on when a file cannot be read, and answer meanwhile.

        Args:
            server: MkDocs' own, which has not been started.
            config: what mkdocs.yml says.
            builder: what the server calls to build the site.
        """
        look_often(server)
        go_on_without_build(server)
        end_as_by_control_c()
        processes()  # the first edit need not wait until libraries are loaded
        if self.live:
            self.live.join(server)
        return server

    def on_shutdown(self) -> None:
        """Stop what is being run; nobody waits for it any more."""
        if hasattr(self, "project"):  # else the build has ended before it was found
            self.project.runner.close()


def is_worth_saying(record: logging.LogRecord) -> bool:
    """Tell whether what MkDocs says is of use: not of the folder beside the site, which goes.

    Args:
        record: what it says.
    """
    said = record.getMessage()
    return said != "Cleaning site directory" and ".site-" not in said


def replace(files: Files, file: File) -> None:
    """Add a file, in place of one with its name: a notebook, or what Zensical finds below docs/."""
    if old := files.get_file_from_path(file.src_uri):
        files.remove(old)
    files.append(file)


def refuse_unreadable(path: Path, name: str) -> None:
    """Raise UnreadableError if a file is not UTF-8, or a merge has left two versions in it.

    Args:
        path: the file.
        name: what the error calls it.
    """
    try:
        read_text(path, name)
    except WeaveError as error:
        raise UnreadableError(f"{error}. The site stays as it is.") from None
