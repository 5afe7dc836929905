"""What a kind of embed is, the kinds that there are, and the page that they work on."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from textwrap import indent
from typing import Any
from xml.etree.ElementTree import Element

from weave.basics.errors import PendingError, WeaveError, read_text
from weave.basics.log import log
from weave.project import Project
from weave.run.results import Results

OF_A_RUN = {"run", "result", "results", "files_read"}  # look-ups whose key begins with its name
# Characters that no text has: what an embed puts between them, plain editions leave out.
LEFT_OUT = ("\x0e", "\x0f")
NOT_YET = '<span class="pending" data-run="{}" role="img" aria-label="not run yet">…</span>'


@dataclass(frozen=True)
class Embed:
    """A kind of embed: its token, what becomes of that, and what else it does to a page.

    A kind has a token, or is called at the end of a page, or both. No two kinds have a named group
    of the same name in their patterns.
    """

    name: str  # a word of its own
    # What the token looks like: a verbose, multi-line regular expression in which the dot matches
    # line ends too. It begins with no letter, digit or underscore.
    pattern: str = ""
    # Gives what stands in the token's place: Markdown, or HTML that it hands to `context.stash`.
    # A WeaveError that it raises is shown there, and logged with the token's line.
    weave_token: "Callable[[re.Match[str], Context], str]" = lambda match, _: match[0]
    # A pattern of what is a mistake, such as what begins like the token and is none; and the mend.
    misspelt: tuple[str, str] = ("", "")
    # Gives what the kind adds below a page, in Markdown, once the page is woven.
    at_end: "Callable[[Context], str]" = lambda _: ""
    # Marks words in the page's tree of elements, or changes it otherwise.
    mark_tree: "Callable[[Element, Context], None]" = lambda *_: None


def block(name: str, words: str, weave_token: Callable[..., str], **more: Any) -> Embed:
    """Make a kind whose token has a line of its own, `::: WORDS`, also within a fold.

    Args:
        name: the kind's, a word of its own.
        words: the pattern of what follows the colons.
        weave_token: as in `Embed`; what it gives is indented as the token was.
        more: what else `Embed` takes.
    """

    def indented(match: re.Match[str], context: "Context") -> str:
        return indent(weave_token(match, context), margin(match))

    return Embed(name, rf"^[ \t]*:::[ ]+{words}[ \t]*$", indented, **more)


def margin(match: re.Match[str]) -> str:
    """Give what indents a token that begins a line, in a fold, say; within a line, nothing."""
    token = match[0]
    unindented = token.lstrip(" \t")
    return token[: len(token) - len(unindented)]


# Every kind, by its name. As `weave.embeds` is imported, it enters what each of its modules lists
# as EMBEDS. Three ask for them: `Context.weave` below calls `weave_token` for each token of a page,
# then `weave.engines.extension` calls each kind's `at_end`, and `mark_tree` once there is a tree.
KINDS: dict[str, Embed] = {}


@cache
def any_token() -> re.Pattern[str]:
    """Match the token of any kind, and only then what is misspelt: `lastgroup` names which."""
    tokens = [f"(?P<{kind.name}>{kind.pattern})" for kind in KINDS.values() if kind.pattern]
    for kind in KINDS.values():
        misspelt, _ = kind.misspelt
        if misspelt:
            tokens.append(f"(?P<not_{kind.name}>{misspelt})")
    # Most characters of a text begin no token: to see that at once makes it five times as fast.
    pattern = rf"(?!\w)(?:{'|'.join(tokens)})"
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
    shown: dict[str, str] = field(default_factory=dict)  # its figures so far, with their ids
    explored: list[str] = field(default_factory=list)  # those of them that can be dragged
    quoted: dict[str, None] = field(default_factory=dict)  # the snippets whose numbers do, in order
    said: dict[str, list[str]] = field(default_factory=dict)  # by mistake, the places that have it
    known: dict[str, Results] = field(default_factory=dict)  # what it has quoted results of so far
    woven: str = ""  # the whole page in Markdown, with placeholders for what was stashed
    plain: dict[str, str] = field(default_factory=dict)  # what these say in plain text
    asked: list[str] = field(default_factory=list)  # the runs that were looked up so far
    waits: set[str] = field(default_factory=set)  # for these runs, which are not there yet

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
        """Look something up; the page is made again when the answer changes.

        Raises:
            PendingError: a run is not there yet of which the answer is made.
        """
        self.trace[f"{kind} {key}"] = self.project.digest(f"{kind} {key}")
        if kind in OF_A_RUN:
            self.asked.append(key.partition(".")[0])
        try:
            return self.project.look_up(kind, key)
        except PendingError as error:
            self.waits.add(error.name)
            raise

    def results(self, name: str) -> Results:
        """Give all results of a snippet, or raise WeaveError if there are none."""
        return Results(self.look_up("run", name))

    def result(self, snippet: str, name: str) -> Any:
        """Give a result; the page is made again when it changes, not whenever the snippet does.

        Raises:
            WeaveError: the snippet failed, or has no such result.
        """
        self.look_up("result", f"{snippet}.{name}")  # a digest, for the trace alone
        if snippet not in self.known:
            self.known[snippet] = self.project.results(snippet)
        return getattr(self.known[snippet], name)

    def weave(self, text: str) -> str:
        """Put in what the tokens of a text stand for. A mistake is shown in its token's place.

        So is that something has not been run yet. A run that is out of date cannot give what only
        the next one will: what it lacks is no mistake either.
        """

        def shown(match: re.Match[str]) -> str:
            self.line = text.count("\n", 0, match.start()) + 1
            asked = len(self.asked)
            try:
                return self.put_in(match)
            except PendingError as error:
                return margin(match) + self.waiting(error.name, match)
            except Exception as error:
                flaw = mistake_at(match[0], error)
                for name in self.asked[asked:]:
                    if name in self.project.pending:
                        self.waits.add(name)
                        return margin(match) + self.waiting(name, match)
                return margin(match) + self.report(flaw)

        return any_token().sub(shown, text)

    def put_in(self, match: re.Match[str]) -> str:
        """Give what stands in a token's place; WeaveError if it is misspelt, or says so itself."""
        name = match.lastgroup or ""
        if name.startswith("not_"):
            _, mend = KINDS[name.removeprefix("not_")].misspelt
            raise WeaveError(mend)
        return KINDS[name].weave_token(match, self)

    def weave_part(self, text: str, place: str = "", own: Mapping[str, Any] | None = None) -> str:
        """Weave a text that an embed shows, and that stands at another place.

        Args:
            text: Markdown with tokens.
            place: where it stands; mistakes have the line of the embed's own token before it.
            own: what the text may quote beside the results of snippets.
        """
        shown_at = self.place(self.line)
        places = f"{shown_at}: {place}" if place else shown_at
        part = replace(self, place=lambda _: places, own=own or {}, captioned="")
        return part.weave(text)

    def of_caption(self, snippet: str, line: int = 1) -> "Context":
        """Give what weaves a part of a snippet's caption, which begins at a line of the script."""
        shown_at = self.place(self.line)
        script = f"snippets/{snippet}.py"

        def place(line_of_part: int) -> str:
            return f"{shown_at}: {script}:{line + line_of_part - 1}"

        return replace(self, place=place, line=1, own={}, captioned=snippet)

    def waiting(self, name: str, token: re.Match[str]) -> str:
        """Give what stands in the place of what has not been run yet: nothing like a number."""
        is_block = token[0].lstrip(" \t").startswith(":::")
        return self.stash(being_run(name) if is_block else NOT_YET.format(escape(name)), "…")

    def report(self, error: WeaveError, where: str = "") -> str:
        """Log a mistake with its page and line, once, and give what shows it on the page.

        The places of the same mistake after the first are for `report_again`.

        Args:
            error: the mistake; its line counts from the token's.
            where: the mistake's place, if it is not the line of the token at hand.
        """
        is_token = not where
        where = where or self.place(self.line + error.line)
        if str(error) not in self.said:
            self.said[str(error)] = [where]
            log.warning("%s: %s", where, error)
        elif is_token and where not in self.said[str(error)]:
            self.said[str(error)].append(where)
        return self.stash(mistake(where, str(error)), f"**{where}** `{error}`")

    def report_again(self) -> None:
        """Log where else on the page a mistake stands, once it is woven."""
        for message, (_, *again) in self.said.items():
            if again:
                log.warning("%s: the same again: %s", ", ".join(again), message)


def mistake_at(token: str, error: Exception) -> WeaveError:
    """Give what went wrong with a token as an author reads it.

    Python's own errors name the token: that of a key that is no literal, say. That what is kept is
    damaged is no mistake on a page, and is raised again.
    """
    if isinstance(error, sqlite3.DatabaseError):
        raise error
    if isinstance(error, WeaveError):
        return error
    return WeaveError(f"'{token.strip()[:80]}': {type(error).__name__}: {error}")


def report_flaws(context: Context, flaws: Callable[[str, str], Iterable[tuple[int, str]]]) -> str:
    """Report what is wrong with a page as it is written, and give what shows it below the page.

    Args:
        context: the page.
        flaws: finds them in the text of the page's file, whose name it is given too: each with its
            line.
    """
    name = f"docs/{context.source}"
    path = context.project.root / name
    if path.suffix != ".md" or not path.is_file():
        return ""
    try:
        text = read_text(path, name)
    except WeaveError:  # the page itself says so
        return ""
    shown = ""
    for line, flaw in flaws(text, name):
        shown += "\n\n" + context.report(WeaveError(flaw), f"{name}:{line}")
    return shown


def being_run(name: str) -> str:
    """Say that a snippet or a lab is being run; while serving, a script adds for how long."""
    name = escape(name)
    return f'<span class="pending" data-run="{name}"><b>{name}</b> is being run</span>'


def mistake(where: str, message: str) -> str:
    """Show a mistake in its place on the page."""
    return f'<span class="weave-error"><b>{escape(where)}</b> <code>{escape(message)}</code></span>'
