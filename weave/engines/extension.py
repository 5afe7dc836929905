"""The Python-Markdown extension: weaves a page before Markdown sees it, and marks words after.

The first is a preprocessor, so every token still has its line, and what it puts in (stashed HTML,
or Markdown for the code) goes through the rest of Python-Markdown untouched.
"""

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pygments.token import STANDARD_TYPES, Name, Operator, Punctuation, Text

from weave.basics.errors import WeaveError
from weave.embeds.embed import KINDS, Context
from weave.pages.published import published
from weave.project import project_at
from weave.text import prose  # noqa: F401 (it answers the look-up of mistakes)

# In code, words and numbers that say something have a colour. An element around every name, comma
# and space as well would make four fifths of a page's elements.
STANDARD_TYPES |= dict.fromkeys([Name, Operator, Punctuation, Text.Whitespace], "")

NO_YAML = "what stands between its lines --- is no YAML; quote what holds a colon"


class Weave(Extension):
    """The extension, which `mkdocs.yml` lists as `weave`.

    Args:
        context: the page that is converted, if the engine knows it. MkDocs' plugin does, and sets
            it as an option of the extension. Without it, the page is Zensical's, which says itself
            what it converts, or one that stands in no site.
    """

    def __init__(self, context: Context | None = None) -> None:
        super().__init__()
        self.context = context

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Join Python-Markdown, which calls this when a converter is made.

        Args:
            md: the converter.
        """
        weaver = Weaver(md, self.context)
        # After white space is normalised (30), before fences are taken out (25).
        md.preprocessors.register(weaver, "weave", 28)
        # After classes are known (attr_list, 8), before the anchors are collected (5) and the
        # links resolved (0).
        md.treeprocessors.register(Marker(weaver), "weave", 6)


class Weaver(Preprocessor):
    """Weaves the tokens of a page.

    Args:
        md: the converter at work.
        given: the page, if the engine has said which it is.
    """

    context: Context  # the page that was woven last

    def __init__(self, md: Markdown, given: Context | None) -> None:
        super().__init__(md)
        self.given = given

    def run(self, lines: list[str]) -> list[str]:
        """Replace every token of the page, and report the mistakes in what it says of numbers.

        Args:
            lines: the page, without its front matter.
        """
        # Only now: an engine may load the extension to see whether that works, and convert nothing.
        context = self.given or begin(self.md)
        self.context = context
        context.markdown = self.md
        text = "\n".join(lines)
        page = f"docs/{context.source}"
        if page.endswith(".md"):
            above = lines_above(text, context.project.root / page)
            context.place = lambda line: f"{page}:{above + line}"
        woven = context.weave(text)
        if text.startswith("---"):
            woven += "\n\n" + context.report(WeaveError(NO_YAML), f"{page}:1")
        for line, mistake in context.look_up("mistakes", context.source) or ():
            woven += "\n\n" + context.report(WeaveError(mistake), f"{page}:{line}")
        for kind in KINDS.values():
            woven += kind.at_end(context)
        context.report_again()
        context.woven = woven
        return woven.split("\n")


class Marker(Treeprocessor):
    """Lets those kinds of embeds at the page's tree that have something to mark in it.

    Args:
        weaver: has woven the page.
    """

    def __init__(self, weaver: Weaver) -> None:
        super().__init__(weaver.md)
        self.weaver = weaver

    def run(self, root: Element) -> None:
        """Mark what there is to mark.

        Args:
            root: the page.
        """
        for kind in KINDS.values():
            kind.mark_tree(root, self.weaver.context)


def lines_above(text: str, path: Path) -> int:
    """Give how many lines of a page's file stand above its text: those of its front matter."""
    if not path.is_file():
        return 0
    whole = path.read_text("utf-8-sig", "replace")
    return whole.rstrip().count("\n") - text.rstrip().count("\n")


def begin(md: Markdown) -> Context:
    """Begin a page of which only the converter is known: Zensical's, or one that is in no site.

    Zensical runs no plugin, and lists `docs/` before it converts a page. So the files beside the
    pages are written below `docs/`, and a fresh clone needs a second build to publish them.
    """
    if "rendering_context" not in md.preprocessors:
        project = project_at(Path.cwd())
        project.refresh()
        return Context(project)
    zensical: Any = md.preprocessors["rendering_context"]
    project = project_at(Path(zensical.config["root_dir"]))
    project.refresh()
    for name, content in published(project).items():
        file = project.root / "docs" / name
        if not file.is_file() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return Context(project, zensical.page.path)
