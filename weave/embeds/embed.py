"""What a kind of embed is, and the page that its tokens stand on, which weaves them."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from textwrap import indent
from typing import Any
from xml.etree.ElementTree import Element

from weave.basics.errors import WeaveError
from weave.project import Project
from weave.run.results import Results

# MkDocs counts the warnings of loggers under its own name: `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.weave")


@dataclass(frozen=True)
class Embed:
    """A kind of embed: a module in `weave/embeds/` holds one or more in its list EMBEDS."""

    name: str  # a word of its own
    # What its token looks like, as a verbose, multi-line regular expression in which the dot
    # matches line ends too. It begins with no letter, digit or underscore. No two embeds have a
    # named group of the same name.
    pattern: str
    # Gives what the token becomes: Markdown, or HTML that it hands to `context.stash`.
    weave: "Callable[[re.Match[str], Context], str]"
    # What begins like the token and is none, and how the token is written.
    misspelt: tuple[str, str] = ("", "")
    # Gives what the kind adds below a page, in Markdown, once the page is woven.
    at_end: "Callable[[Context], str]" = lambda _: ""
    # Marks words in the page's tree of elements, or changes it otherwise.
    mark_tree: "Callable[[Element, Context], None]" = lambda *_: None


def block(name: str, words: str, weave: Callable[..., str], **more: Any) -> Embed:
    """Make a kind whose token has a line of its own, `::: WORDS`, also within a fold.

    What it becomes is indented as the token was. `words` is the pattern of what follows the colons.
    """

    def indented(match: re.Match[str], context: "Context") -> str:
        return indent(weave(match, context), margin(match))

    return Embed(name, rf"^[ \t]*:::[ ]+{words}[ \t]*$", indented, **more)


def margin(match: re.Match[str]) -> str:
    """Give what indents a token that begins a line, in a fold, say; within a line, nothing."""
    return match[0][: len(match[0]) - len(match[0].lstrip(" \t"))]


KINDS: dict[str, Embed] = {}  # by name; `weave.embeds` enters them


@cache
def token() -> re.Pattern[str]:
    """Match the token of any kind, and only then what is misspelt: `lastgroup` names which."""
    spelt = [f"(?P<{embed.name}>{embed.pattern})" for embed in KINDS.values()]
    misspelt = [f"(?P<not_{e.name}>{e.misspelt[0]})" for e in KINDS.values() if e.misspelt[0]]
    # Most characters of a text begin no token: to see that at once makes it five times as fast.
    pattern = rf"(?!\w)(?:{'|'.join(spelt + misspelt)})"
    return re.compile(pattern, re.VERBOSE | re.MULTILINE | re.DOTALL)


@dataclass
class Context:
    """The page that is being woven, as its embeds see it."""

    project: Project  # where everything is looked up
    source: str = ""  # its path below docs/, such as `variance.md`; empty outside a site
    place: Callable[[int], str] = "page:{}".format  # names the place of a line, counted from 1
    markdown: Any = None  # the converter at work
    line: int = 0  # of the token at hand
    own: Mapping[str, Any] = field(default_factory=dict)  # what it may quote beside the results
    captioned: str = ""  # the snippet whose caption this is: its results go by their own names
    trace: dict[str, str] = field(default_factory=dict)  # digests of all that was looked up
    shown: set[str] = field(default_factory=set)  # the figures that stand on the page so far
    quoted: dict[str, None] = field(default_factory=dict)  # the snippets whose numbers do, in order
    said: set[str] = field(default_factory=set)  # the mistakes that were logged so far
    known: dict[str, Results] = field(default_factory=dict)  # what it has quoted results of so far
    woven: str = ""  # the whole page in Markdown, with placeholders for what was stashed
    plain: dict[str, str] = field(default_factory=dict)  # what these say in plain text

    @property
    def chapter(self) -> str:
        """The page's stem, which its snippets' folder shares."""
        return self.source.rpartition("/")[2].partition(".")[0]

    @property
    def to_root(self) -> str:
        """The way from the page up to docs/."""
        return "../" * self.source.count("/")

    def figure_id(self, snippet: str) -> str:
        """Give the id of a snippet's figure: a chapter's own have short ones."""
        return f"figure-{snippet.removeprefix(f'{self.chapter}/').replace('/', '-')}"

    def stash(self, html: str, plain: str = "") -> str:
        """Hide finished HTML from Markdown, and give what stands for it meanwhile.

        `plain` says the same in the page's plain edition: Markdown, on one line.
        """
        placeholder = str(self.markdown.htmlStash.store(html))
        self.plain[placeholder] = plain
        return placeholder

    def look_up(self, kind: str, key: str = "") -> Any:
        """Look something up; the page is made again when the answer changes."""
        self.trace[f"{kind} {key}"] = self.project.digest(f"{kind} {key}")
        return self.project.look_up(kind, key)

    def results(self, name: str) -> Results:
        """Give the results of a snippet, or raise WeaveError if there are none."""
        if name not in self.known:
            self.known[name] = Results(self.look_up("run", name))
        return self.known[name]

    def weave(self, text: str) -> str:
        """Put in what the tokens of a text stand for. A mistake is shown in its token's place."""

        def woven(match: re.Match[str]) -> str:
            self.line = text.count("\n", 0, match.start()) + 1
            kind = match.lastgroup or ""
            try:
                if kind in KINDS:
                    return KINDS[kind].weave(match, self)
                raise WeaveError(KINDS[kind.removeprefix("not_")].misspelt[1])
            except WeaveError as error:
                return margin(match) + self.report(error)
            except Exception as error:  # Python's own, say of a key that is no literal
                flaw = f"'{match[0].strip()[:80]}': {type(error).__name__}: {error}"
                return margin(match) + self.report(WeaveError(flaw))

        return token().sub(woven, text)

    def weave_part(self, text: str, place: str = "", own: Mapping[str, Any] | None = None) -> str:
        """Weave a text that an embed shows, and that stands at another place."""
        # The token's own line comes first, whatever the line of the text.
        places = ": ".join(filter(None, (self.place(self.line), place)))
        return replace(self, place=lambda _: places, own=own or {}, captioned="").weave(text)

    def of_caption(self, snippet: str, line: int = 1) -> "Context":
        """Give what weaves a part of a snippet's caption, which begins at a line of the script."""
        shown_at = self.place(self.line)
        script = f"snippets/{snippet}.py"

        def place(line_of_part: int) -> str:
            return f"{shown_at}: {script}:{line + line_of_part - 1}"

        return replace(self, place=place, line=1, own={}, captioned=snippet)

    def report(self, error: WeaveError, where: str = "") -> str:
        """Log a mistake with its page and line, once, and show it in its place on the page."""
        where = where or self.place(self.line + error.line)
        if str(error) not in self.said:
            self.said.add(str(error))
            log.warning("%s: %s", where, error)
        return self.stash(mistake(where, str(error)), f"**{where}** `{error}`")


def mistake(where: str, message: str) -> str:
    """Show a mistake in its place on the page."""
    return f'<span class="weave-error"><b>{escape(where)}</b> <code>{escape(message)}</code></span>'
