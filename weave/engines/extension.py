"""The Python-Markdown extension: weaves a page before Markdown sees it, and marks words after.

The first is a preprocessor, so every token still has its line, and what it puts in (stashed HTML,
or Markdown for the code) goes through the rest of Python-Markdown untouched.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pygments.token import STANDARD_TYPES, Name, Operator, Punctuation, Text

import weave.embeds.every
import weave.text.prose  # noqa: F401 (it enters a look-up)
from weave.basics.errors import WeaveError
from weave.embeds.crossrefs import mentions_in
from weave.embeds.embed import KINDS, Context
from weave.engines import zensical
from weave.project import Project, project_at

# In code, words and numbers that say something have a colour. An element around every name, comma
# and space as well would make four fifths of a page's elements.
STANDARD_TYPES |= dict.fromkeys([Name, Operator, Punctuation, Text.Whitespace], "")


# What an engine says of the page that it has begun: its project, which is refreshed, its path below
# docs/, and who is told of its context.
BEGUN: ContextVar[tuple[Project, str, Callable[[Context], object]] | None] = ContextVar(
    "begun", default=None
)


class Weave(Extension):
    """The extension, with its options and their defaults."""

    def __init__(self, **options: Any) -> None:
        self.config = {
            "root": [".", "The project's folder, where no engine says which it is."],
            "time_limit": [60, "Seconds after which a snippet is stopped."],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Join Python-Markdown: after it has normalised white space (30), before fences (25)."""
        time_limit = float(self.getConfig("time_limit"))
        if begun := BEGUN.get():
            project, source, tell = begun
        else:
            outside = project_at(Path(self.getConfig("root")), time_limit), ""
            project, source = zensical.page_of(md, time_limit) or outside
        context = Context(project, source, markdown=md)
        if begun:
            tell(context)
        md.preprocessors.register(Weaver(context, is_fresh=bool(begun)), "weave", 28)
        # After classes are known (attr_list, 8), before the anchors are collected (5) and the
        # links resolved (0).
        md.treeprocessors.register(Marker(context), "weave", 6)


@dataclass
class Weaver(Preprocessor):
    """Weaves the tokens of one page."""

    context: Context
    is_fresh: bool  # whether an engine's plugin has refreshed the project, once for all pages

    def run(self, lines: list[str]) -> list[str]:
        """Replace every token of the page."""
        text, context = "\n".join(lines), self.context
        if not self.is_fresh:
            context.project.refresh()
        zensical.write_files(context)
        path = context.project.root / "docs" / context.source
        if path.suffix == ".md":  # Markdown does not see its front matter
            whole = (
                path.read_text("utf-8-sig", "replace").rstrip() if path.is_file() else text.rstrip()
            )
            above = whole.count("\n") - text.rstrip().count("\n")
            context.place = lambda line: f"docs/{context.source}:{above + line}"
        found = mentions_in(text, context.source)
        context.anchors = {(each.position, each.key): f"#{each.anchor}" for each in found}
        woven = context.weave(text)
        said = "".join(f"\n\n{mistake}" for mistake in self.mistakes())
        context.woven = woven + said + "".join(kind.at_end(context) for kind in KINDS.values())
        return context.woven.split("\n")

    def mistakes(self) -> Iterator[str]:
        """Report the mistakes in what the page says of numbers."""
        page = f"docs/{self.context.source}"
        found = self.context.look_up("page_prose", self.context.source) or {}
        for line, mistake in found.get("mistakes", ()):
            yield self.context.report(WeaveError(mistake), f"{page}:{line}")


@dataclass
class Marker(Treeprocessor):
    """Lets those kinds of embeds at the page's tree that have something to mark in it."""

    context: Context

    def run(self, root: Element) -> None:
        """Mark what there is to mark."""
        for kind in KINDS.values():
            kind.mark_tree(root, self.context)
