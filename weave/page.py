"""The Python-Markdown extension: weaves a page before Markdown sees it, and marks words after.

The first is a preprocessor, so every token still has its line, and what it puts in (stashed HTML,
or Markdown for the code) goes through the rest of Python-Markdown untouched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pygments.token import STANDARD_TYPES, Name, Operator, Punctuation, Text

from weave import embeds, prose, zensical  # noqa: F401 (prose enters a look-up)
from weave.embed import Context, log
from weave.errors import WeaveError
from weave.project import project_at
from weave.scan import mentions_in

# In code, words and numbers that say something have a colour. An element around every name, comma
# and space as well would make four fifths of a page's elements.
STANDARD_TYPES |= dict.fromkeys([Name, Operator, Punctuation, Text.Whitespace], "")


class Weave(Extension):
    """The extension, with its options and their defaults."""

    def __init__(self, **options: Any) -> None:
        self.config = {
            "root": [".", "The project's folder, where no engine says which it is."],
            "time_limit": [60, "Seconds after which a snippet is stopped."],
            "context": ["", "The page at hand: an engine's plugin hands it over."],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Join Python-Markdown: after it has normalised white space (30), before fences (25)."""
        time_limit = float(self.getConfig("time_limit"))
        handed_over = self.getConfig("context")
        context = (
            handed_over
            or zensical.join(md, time_limit)
            or Context(project_at(Path(self.getConfig("root")), time_limit))
        )
        context.markdown = md
        md.preprocessors.register(Weaver(context, is_fresh=bool(handed_over)), "weave", 28)
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
        ends = (getattr(module, "at_end", None) for module in embeds.MODULES)
        said = "".join(f"\n\n{mistake}" for mistake in self.mistakes())
        context.woven = woven + said + "".join(end(context) for end in ends if end)
        return context.woven.split("\n")

    def mistakes(self) -> Iterator[str]:
        """Report the mistakes in what the page says of numbers, and log the notes."""
        page = f"docs/{self.context.source}"
        found = self.context.look_up("page_prose", self.context.source) or {}
        for line, note in found.get("notes", ()):
            log.info("%s:%d: note: %s", page, line, note)
        for line, mistake in found.get("mistakes", ()):
            yield self.context.report(WeaveError(mistake), f"{page}:{line}")


@dataclass
class Marker(Treeprocessor):
    """Lets those kinds of embeds at the page's tree that have something to mark in it."""

    context: Context

    def run(self, root: Element) -> None:
        """Mark what there is to mark."""
        for module in embeds.MODULES:
            if mark := getattr(module, "mark_tree", None):
                mark(root, self.context)
