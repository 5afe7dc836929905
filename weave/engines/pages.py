"""Pages under MkDocs: what each became is kept, and made anew only if what it is of has changed.

MkDocs converts a page between two events. It has none in which a plugin may say that a page need
not be converted; to convert nothing is as good, and takes MkDocs a millisecond:

    on_page_markdown    `Pages.begin` gives MkDocs the page's Markdown; nothing, if the page is kept
    (conversion)        MkDocs has Python-Markdown convert it, and the extension `weave` weaves it
    on_page_content     `Pages.end` keeps what it became, and gives MkDocs the page's HTML
"""

import logging
import posixpath
import re
from collections.abc import Iterable
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave.embeds.embed import Context, log
from weave.engines.notes import new_notes
from weave.pages import plain, search
from weave.project import Project, digest

ID = re.compile(r'\bid="([^"]+)"')
LINK = re.compile(r'\b(?:href|src)="([^"#?:]+)')


class AnyAnchor(set[str]):
    """The anchors of a page with mistakes: one that is missing may stand in what could not be made.

    So MkDocs finds no fault with a good link that leads there.
    """

    def __contains__(self, anchor: object) -> bool:
        """Tell that an anchor is there."""
        return True


class Pages:
    """The pages of one build.

    Args:
        project: has been refreshed.
        config: the site's. The extension `weave` finds in it which page is converted.
        files: all that the site will have, to which links may lead.

    Attributes:
        made: by page, what it became: `html`, the `title` and the `contents` that MkDocs wants to
            know, the `anchors` that it has, the `links` to anchors of other pages, its `sections`,
            which search lists, and its `plain` edition.
    """

    def __init__(self, project: Project, config: MkDocsConfig, files: Files) -> None:
        self.project = project
        self.config = config
        self.files = files
        self.made: dict[str, dict[str, Any]] = {}
        self.context: Context | None = None  # the page that is being converted
        self.heard = CountHandler()  # what is said meanwhile
        options = config.markdown_extensions, config.mdx_configs, config.validation
        # Digests of what no look-up answers: each address of the site, and the site's options.
        self.site = {f"address {address_of(file.url)}": "1" for file in files}
        self.site["options"] = digest(options)

    def begin(self, text: str, context: Context) -> str:
        """Give what MkDocs has to convert of a page: its text, or nothing if the page is kept.

        Args:
            text: the page's Markdown.
            context: the page, as its embeds will see it.
        """
        given = {**self.site, "text": digest(text)}
        entry = self.project.find("page", context.source, given)
        if entry:
            self.made[context.source] = entry.read("made")
            return ""
        context.trace["text"] = given["text"]
        self.context = context
        self.config.mdx_configs["weave"] = {"context": context}
        self.listen()
        return text

    def end(self, page: Page, html: str) -> dict[str, Any]:
        """Give what a page became, and tell MkDocs what it would know if it had converted the page.

        Args:
            page: MkDocs' own, which has begun.
            html: what MkDocs has converted; nothing, if the page is kept.
        """
        name = page.file.src_uri
        has_mistakes = bool(self.context and self.context.said)
        if self.context:
            self.stop_listening()
            self.made[name] = self.keep(page, html, self.context)
            self.context = None
        made = self.made[name]
        page.toc = get_toc(made["contents"])
        page._title_from_render = made["title"]
        page.present_anchor_ids = AnyAnchor() if has_mistakes else set(made["anchors"])
        page.links_to_anchors = {}
        for target, anchors in made["links"].items():
            if file := self.files.get_file_from_path(target):
                page.links_to_anchors[file] = anchors
        return made

    def keep(self, page: Page, html: str, context: Context) -> dict[str, Any]:
        """Give what a page became, and keep it unless there is something to say of the page.

        What there is to say has to be said at every build, and a quiet build hears nothing.
        """
        made = {
            "html": html,
            "title": page._title_from_render,
            "contents": getattr(context.markdown, "toc_tokens", []),
            "anchors": ID.findall(html),  # those too that MkDocs does not see: of what embeds made
            "links": {file.src_uri: at for file, at in (page.links_to_anchors or {}).items()},
            "sections": search.sections(html),
            "plain": plain.edition(context),
        }
        for line, note in new_notes(context):
            log.info("docs/%s:%d: %s", context.source, line, note)
        is_quiet = not log.isEnabledFor(logging.WARNING)
        if not self.heard.get_counts() and not is_quiet:
            context.trace["options"] = self.site["options"]
            context.trace["machinery pages"] = self.project.digest("machinery pages")
            for address in self.addresses_in(page, html):
                context.trace[address] = self.site[address]
            self.project.store.write("page", context.source, context.trace, {"made": made})
        return made

    def addresses_in(self, page: Page, html: str) -> Iterable[str]:
        """Give the addresses of the site to which a page links: another page with the same text is
        made once one of them is gone. A link that leads nowhere is a mistake, which is not kept.
        """
        folder = posixpath.dirname(page.url)
        found = {f"address {address_of(posixpath.join(folder, to))}" for to in LINK.findall(html)}
        return sorted(found & self.site.keys())

    def listen(self) -> None:
        """Begin to count what is said by anybody, of links, say."""
        self.heard = CountHandler(level=logging.INFO)
        for logger in (logging.getLogger(), logging.getLogger("mkdocs")):
            logger.addHandler(self.heard)

    def stop_listening(self) -> None:
        """End it; after a build that failed, too."""
        for logger in (logging.getLogger(), logging.getLogger("mkdocs")):
            logger.removeHandler(self.heard)


def address_of(url: str) -> str:
    """Give an address below the site's root in one of the ways in which it can be written."""
    return posixpath.normpath(url)
