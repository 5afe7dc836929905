"""What a kind of embed is made of: its token in the Markdown, and the page that it stands on."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from re import Match
from typing import Any

from weave.errors import WeaveError
from weave.project import Project
from weave.results import Results

# MkDocs counts the warnings of loggers under its own name: `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.weave")


@dataclass(frozen=True)
class Embed:
    """A kind of embed: a module in `weave/embeds/` holds one or more in its list EMBEDS.

    Attributes:
        name: a word of its own.
        pattern: what its token looks like, as a verbose, multi-line regular expression in which
            the dot matches line ends too. No two embeds have a named group of the same name.
        weave: gives what the token becomes: Markdown, or HTML that it hands to `context.stash`.
        misspelt: what begins like the token and is none, and how the token is written.
        keys: gives the entries (works, claims) that the token refers to, which link back.
        in_formula: gives what the token becomes inside a formula, as TeX.
        signs: gives the signs that the token shows beyond those that stand in it, for the fonts.
    """

    name: str
    pattern: str
    weave: "Callable[[Match[str], Context], str]"
    misspelt: tuple[str, str] | None = None
    keys: Callable[[Match[str]], list[str]] | None = None
    in_formula: "Callable[[Match[str], Context], str] | None" = None
    signs: Callable[[Match[str]], Iterable[str]] | None = None


@dataclass
class Context:
    """The page that is being woven, as its embeds see it.

    Attributes:
        project: where everything is looked up.
        source: the page's path below docs/, such as `variance.md`; empty outside a site.
        place: names the place of a line, counted from 1, as an author would look for it.
        markdown: the converter at work.
        weave: weaves a text, or the TeX of a formula; see `part` and `tex`.
        line: the line of the token at hand.
        prefix: what errors say before all else, where a text is woven that stands elsewhere.
        own: values that a text may quote beside the results, by name.
        anchors: the ids of the places that refer to an entry, by position and key.
        trace: the digests of all that was looked up so far.
        shown: the figures that stand on the page so far.
    """

    project: Project
    source: str = ""
    place: Callable[[int], str] = "page:{}".format
    markdown: Any = None
    weave: "Callable[[str, Context, bool], str]" = lambda text, *_: text
    line: int = 0
    prefix: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    anchors: Mapping[tuple[int, str], str] = field(default_factory=dict)
    trace: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)

    @property
    def chapter(self) -> str:
        """The page's stem, which its snippets' folder shares."""
        return self.source.rpartition("/")[2].partition(".")[0]

    @property
    def to_root(self) -> str:
        """The way from the page up to docs/."""
        return "../" * self.source.count("/")

    def stash(self, html: str) -> str:
        """Hide finished HTML from Markdown, and give what stands for it meanwhile."""
        placeholder: str = self.markdown.htmlStash.store(html)
        return placeholder

    def look_up(self, kind: str, key: str = "") -> Any:
        """Look something up; the page is made again when the answer changes."""
        self.trace[f"{kind} {key}"] = self.project.digest(f"{kind} {key}")
        return self.project.look_up(kind, key)

    def results(self, name: str) -> Results:
        """Give the results of a snippet, or raise WeaveError if there are none."""
        self.look_up("run", name)
        self.project.check(name)
        return Results(name, self.project.store)

    def anchor(self, match: Match[str], key: str) -> str:
        """Give a reference the id to come back to, as an attribute; a nested text has none."""
        name = self.anchors.get((match.start(), key))
        return f"#{name}" if name else ""

    def part(self, text: str, prefix: str = "", own: Mapping[str, Any] | None = None) -> str:
        """Weave a text that an embed shows, such as a caption; see `prefix` and `own` above."""
        where = self.place(self.line)  # the token's own line, whatever the line of the text
        inner = replace(self, place=lambda _: where, prefix=prefix, own=own or {}, anchors={})
        return self.weave(text, inner, False)

    def tex(self, tex: str) -> str:
        """Put in what other embeds are in a formula."""
        return self.weave(tex, self, True)

    def report(self, error: WeaveError) -> str:
        """Log a mistake with its page and line, and show it in its place on the page."""
        where, message = self.place(self.line + error.line), f"{self.prefix}{error}"
        log.warning("%s: %s", where, message)
        return self.stash(mistake(where, message))


def mistake(where: str, message: str) -> str:
    """Show a mistake in its place on the page."""
    return f'<span class="weave-error"><b>{escape(where)}</b> <code>{escape(message)}</code></span>'
