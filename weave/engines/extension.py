"""The Python-Markdown extension: weaves a page before Markdown sees it, and marks words after.

The first is a preprocessor, so every token still has its line, and what it puts in (stashed HTML,
or Markdown for the code) goes through the rest of Python-Markdown untouched.
"""

from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pygments.token import STANDARD_TYPES, Name, Operator, Punctuation, Text

from weave.basics.errors import WeaveError
from weave.embeds.embed import KINDS, Context, log
from weave.pages.published import published
from weave.project import project_at
from weave.text.prose import NOTE

# In code, words and numbers that say something have a colour. An element around every name, comma
# and space as well would make four fifths of a page's elements.
STANDARD_TYPES |= dict.fromkeys([Name, Operator, Punctuation, Text.Whitespace], "")

NO_YAML = "what stands between its lines --- is no YAML; quote what holds a colon"

# The page that an engine has begun; its project is refreshed.
BEGUN: ContextVar[Context | None] = ContextVar("begun", default=None)


class Weave(Extension):
    """The extension."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Join Python-Markdown: after it has normalised white space (30), before fences (25)."""
        weaver = Weaver(md)
        md.preprocessors.register(weaver, "weave", 28)
        # After classes are known (attr_list, 8), before the anchors are collected (5) and the
        # links resolved (0).
        md.treeprocessors.register(Marker(weaver), "weave", 6)


@dataclass
class Weaver(Preprocessor):
    """Weaves the tokens of one page."""

    markdown: Markdown
    context: Context = field(init=False)

    def run(self, lines: list[str]) -> list[str]:
        """Replace every token of the page, and report the mistakes in what it says of numbers."""
        # Only now: an engine may load the extension to see whether that works, and render nothing.
        self.context = context = BEGUN.get() or outside(self.markdown)
        context.markdown, text = self.markdown, "\n".join(lines)
        page = f"docs/{context.source}"
        path = context.project.root / page
        if path.suffix == ".md":  # Markdown does not see its front matter
            whole = path.read_text("utf-8-sig", "replace") if path.is_file() else text
            above = whole.rstrip().count("\n") - text.rstrip().count("\n")
            context.place = lambda line: f"{page}:{above + line}"
        woven = context.weave(text)
        if text.startswith("---"):
            woven += "\n\n" + context.report(WeaveError(NO_YAML), f"{page}:1")
        for line, mistake in context.look_up("mistakes", context.source) or ():
            if mistake.startswith(NOTE):
                log.info("%s:%d: %s", page, line, mistake)
            else:
                woven += "\n\n" + context.report(WeaveError(mistake), f"{page}:{line}")
        context.woven = woven + "".join(kind.at_end(context) for kind in KINDS.values())
        return context.woven.split("\n")


@dataclass
class Marker(Treeprocessor):
    """Lets those kinds of embeds at the page's tree that have something to mark in it."""

    weaver: Weaver

    def run(self, root: Element) -> None:
        """Mark what there is to mark."""
        for kind in KINDS.values():
            kind.mark_tree(root, self.weaver.context)


def outside(md: Markdown) -> Context:
    """Begin a page without MkDocs: Zensical's, or one of no site, in the folder at work.

    Zensical runs no plugin, and lists `docs/` before it converts a page. So the files beside the
    pages are written below `docs/`, and a fresh clone needs a second build to publish them.
    """
    root, source, zensical = Path.cwd(), "", "rendering_context" in md.preprocessors
    if zensical:
        given: Any = md.preprocessors["rendering_context"]
        root, source = Path(given.config["root_dir"]), given.page.path
    project = project_at(root)
    project.refresh()
    for name, content in published(project).items() if zensical else ():
        file = project.root / "docs" / name
        if not file.is_file() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return Context(project, source)
