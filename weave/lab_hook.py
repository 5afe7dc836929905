"""The MkDocs hook for labs: `hooks: [weave/lab_hook.py]`, beside the plugin mkdocs-jupyter.

The plugin makes notebooks pages and publishes their files. Its own page, with half a megabyte of
styles and scripts from elsewhere, gives way to one that the site's Markdown renders.
"""

import logging
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils.meta import get_data

from weave import lab, lab_page
from weave.errors import WeaveError
from weave.page import mistake

log = logging.getLogger("mkdocs.weave")
executed: dict[Path, Any] = {}  # every notebook with its outputs, or its WeaveError


def path_of(file: File) -> Path:
    """Give the path of a page's source."""
    return Path(file.abs_src_path or "")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Run all labs at the same time, before the first page is made; publish each as a script."""
    labs = [file for file in files.documentation_pages() if file.src_uri.endswith(".ipynb")]
    cache = Path(config.config_file_path).parent / ".cache" / "labs"
    executed.clear()
    executed.update(lab.run_all(map(path_of, labs), cache))
    for file in labs:
        if not isinstance(executed[path_of(file)], WeaveError):
            script = file.dest_uri.replace("index.html", f"{file.name}.py")
            files.append(File.generated(config, script, content=lab_page.to_script(path_of(file))))
    return files


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    """Let MkDocs render the page: the plugin has put its own way on this one object."""
    if page.file.src_uri.endswith(".ipynb"):
        vars(page).pop("render", None)
    return page


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """Write a notebook as Markdown. A mistake fails a strict build, and shows on the page."""
    if not page.file.src_uri.endswith(".ipynb"):
        return None
    notebook = executed[path_of(page.file)]
    try:
        if isinstance(notebook, WeaveError):
            raise notebook
        chapter = Path(config.docs_dir, f"{page.file.name}.md")
        title = get_data(chapter.read_text("utf-8-sig"))[1].get("title", page.file.name)
        links = lab_page.links(page.file.name, title, config.repo_url or "", config.edit_uri or "")
        return lab_page.to_markdown(notebook, links)
    except WeaveError as error:
        where = f"docs/{page.file.src_uri}"
        log.warning("%s, %s", where, error)
        return f"# {page.file.name}\n\n{mistake(where, str(error), block=True)}\n"
