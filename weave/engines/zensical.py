"""Zensical: which page it converts, and the files that lie beside the pages.

It runs no plugin, and lists `docs/` before it converts the first page. So the files are written
below `docs/`, and a fresh clone needs a second build to publish them.
"""

from pathlib import Path
from typing import Any

from markdown import Markdown

from weave.embeds.embed import Context
from weave.pages.published import content_of, published
from weave.project import Project, project_at


def page_of(md: Markdown, time_limit: float) -> tuple[Project, str] | None:
    """Give the project and the path of the page that Zensical converts, if it is Zensical."""
    if "rendering_context" not in md.preprocessors:
        return None
    given: Any = md.preprocessors["rendering_context"]
    return project_at(Path(given.config["root_dir"]), time_limit), given.page.path


def write_files(context: Context) -> None:
    """Write the files beside the pages that have changed, if it is Zensical that converts."""
    if "rendering_context" not in context.markdown.preprocessors:
        return
    for name, what in published(context.project).items():
        content = content_of(what)
        file = context.project.root / "docs" / name
        if not file.is_file() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
