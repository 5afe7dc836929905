"""Zensical: which page it converts, and the files that lie beside the pages.

It runs no plugin, and lists `docs/` before it converts the first page. So the files are written
below `docs/`, and a fresh clone needs a second build to publish them.
"""

from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.preprocessors import Preprocessor

from weave.embed import Context
from weave.project import project_at
from weave.published import published


class Writer(Preprocessor):
    """Writes what lies beside the pages, as far as it has changed."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.project = context.project

    def run(self, lines: list[str]) -> list[str]:
        """Write the files, and leave the page alone."""
        self.project.refresh()
        for name, content in published(self.project).items():
            file = self.project.root / "docs" / name
            if not file.is_file() or file.read_bytes() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        return lines


def join(md: Markdown, time_limit: float) -> Context | None:
    """Give the page that Zensical converts, if it is Zensical that does."""
    if "rendering_context" not in md.preprocessors:
        return None
    given: Any = md.preprocessors["rendering_context"]
    context = Context(project_at(Path(given.config["root_dir"]), time_limit), given.page.path)
    md.preprocessors.register(Writer(context), "weave_files", 29)
    return context
