"""Pages under MkDocs: what each became is kept, and made anew only if what it is of has changed.

MkDocs converts a page between two events. It has none in which a plugin may say that a page need
not be converted; to convert nothing is as good, and takes MkDocs a millisecond:

    on_page_markdown    `Pages.begin` gives MkDocs the page's Markdown; nothing, if the page is kept
    (conversion)        MkDocs has Python-Markdown convert it, and the extension `weave` weaves it
    on_page_content     `Pages.end` keeps what it became, and gives MkDocs the page's HTML

While serving, a page may wait for what has not been run yet: a *draft*. It is held in memory alone,
so that nothing of it can ever be published. As a server starts, one page is made before the others,
of which there are drafts that say so.
"""

import logging
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from threading import get_ident
from typing import Any, NamedTuple
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from weave.basics.log import log
from weave.embeds.embed import Context
from weave.pages import plain, search
from weave.project import Project, digest
from weave.text.headings import title_of

ID = re.compile(r'\bid="([^"]+)"')
LINK = re.compile(r'\b(?:href|src)="([^"#?:]+)')


BEING_MADE = '<p><span class="pending">This page is being made.</span></p>'


class Draft(NamedTuple):
    """A page that waits for runs: what it was made of, as an entry has it, and what it became."""

    trace: Mapping[str, str]
    made: dict[str, Any]
    waits: set[str]  # names of snippets and labs


class AnyAnchor(set[str]):
    """The anchors of a page that lacks something: one may stand in what could not be made.

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
        drafts: those of the last build, by page; in the end, those of this.
        first: the page that is made before the others, if one is: they wait for the next build.
        open: the addresses of pages that are being read.

    Attributes:
        made: by page, what it became: `html`, the `title` and the `contents` that MkDocs wants to
            know, the `anchors` that it has, the `links` to anchors of other pages, the ids of its
            `figures`, the names of its `explorables`, its `sections`, which search lists, and its
            `plain` edition.
    """

    def __init__(
        self,
        project: Project,
        config: MkDocsConfig,
        files: Files,
        drafts: dict[str, Draft],
        first: str = "",
        open: Collection[str] = (),
    ) -> None:
        self.project = project
        self.config = config
        self.files = files
        self.drafts = drafts
        self.first = first
        self.open = open
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
        draft = self.drafts.get(context.source)
        if draft and (self.project.is_fresh(draft, given) or self.may_stay(draft, context, given)):
            self.made[context.source] = draft.made
            return ""
        self.drafts.pop(context.source, None)
        entry = self.project.find("page", context.source, given)
        if entry:
            self.made[context.source] = entry.read("made")
            return ""
        if self.first not in ("", context.source):
            self.put_off(text, context.source)
            return ""
        context.trace["text"] = given["text"]
        self.context = context
        self.config.mdx_configs["weave"] = {"context": context}
        self.listen()
        return text

    def may_stay(self, draft: Draft, context: Context, given: Mapping[str, str]) -> bool:
        """Tell whether a draft that has got some of its runs need not be made again now.

        It waits for others, its text is as it was, and nobody reads it.
        """
        still_waits = not draft.waits.isdisjoint(self.project.pending)
        is_same = all(given.get(key, then) == then for key, then in draft.trace.items())
        return still_waits and is_same and self.address(context.source) not in self.open

    def address(self, name: str) -> str:
        """Give the address of a page below the site's root, as a browser asks for it."""
        file = self.files.get_file_from_path(name)
        return "" if file is None or file.url == "./" else unquote(file.url)

    def put_off(self, text: str, name: str) -> None:
        """Have a page made by the next build."""
        made: dict[str, Any] = {
            "html": BEING_MADE,
            "title": title_of(text, name),
            "contents": [],
            "anchors": [],
            "links": {},
            "figures": [],
            "explorables": [],
            "sections": [],
            "plain": "",
        }
        self.made[name] = made
        self.drafts[name] = Draft({"next build": "1"}, made, set())  # a trace that never fits

    def end(self, page: Page, html: str) -> dict[str, Any]:
        """Give what a page became, and tell MkDocs what it would know if it had converted the page.

        Args:
            page: MkDocs' own, which has begun.
            html: what MkDocs has converted; nothing, if the page is kept.
        """
        name = page.file.src_uri
        lacks_something = bool(self.context and self.context.said)
        if self.context:
            self.stop_listening()
            self.made[name] = self.keep(page, html, self.context)
            self.context = None
        made = self.made[name]
        page.toc = get_toc(made["contents"])
        page._title_from_render = made["title"]
        lacks_something = lacks_something or name in self.drafts
        page.present_anchor_ids = AnyAnchor() if lacks_something else set(made["anchors"])
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
            "figures": [*context.shown.values()],
            "explorables": context.explored,
            "sections": search.sections(html),
            "plain": plain.edition(context),
        }
        is_quiet = not log.isEnabledFor(logging.WARNING)
        context.trace["options"] = self.site["options"]
        context.trace["machinery pages"] = self.project.digest("machinery pages")
        for address in self.addresses_in(page, html):
            context.trace[address] = self.site[address]
        if context.waits:
            self.drafts[context.source] = Draft(context.trace, made, context.waits)
        elif not self.heard.get_counts() and not is_quiet:
            self.project.store.write("page", context.source, context.trace, {"made": made})
        return made

    def addresses_in(self, page: Page, html: str) -> Iterable[str]:
        """Give the addresses of the site to which a page links: another page with the same text is
        made once one of them is gone. A link that leads nowhere is a mistake, which is not kept.
        """
        folder = posixpath.dirname(page.url)
        found = {f"address {address_of(posixpath.join(folder, to))}" for to in LINK.findall(html)}
        return sorted(found & self.site.keys())

    def waits(self) -> dict[str, set[str]]:
        """Give the runs for which drafts wait, by the page's address."""
        return {self.address(name): draft.waits for name, draft in self.drafts.items()}

    def listen(self) -> None:
        """Begin to count what is said by anybody, of links, say."""
        self.heard = CountHandler(level=logging.INFO)
        here = get_ident()  # in another, a server may answer
        self.heard.addFilter(lambda record: record.thread == here)
        for logger in (logging.getLogger(), logging.getLogger("mkdocs")):
            logger.addHandler(self.heard)

    def stop_listening(self) -> None:
        """End it; after a build that failed, too."""
        for logger in (logging.getLogger(), logging.getLogger("mkdocs")):
            logger.removeHandler(self.heard)


def address_of(url: str) -> str:
    """Give an address below the site's root in one of the ways in which it can be written."""
    return posixpath.normpath(url)
